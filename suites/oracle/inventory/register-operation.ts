/** A write of a register or a read of it, with the span in which it took effect. */
export interface RegisterOperation {
  readonly kind: 'write' | 'read';
  /** What was written, or found. */
  readonly value: number;
  /** When it was sent, in milliseconds. */
  readonly from: number;
  /**
   * When its answer was there, in milliseconds; `null` if none came. Such a write may have taken effect
   * at any time after `from`, or never; such a read says nothing.
   */
  readonly to: number | null;
  /** What messages call it. */
  readonly label: string;
}

/** An operation; or the initial value, a write before all time; or the final value, a read after it. */
export interface TimedOperation {
  readonly operation: RegisterOperation | 'initial' | 'final';
  readonly kind: 'write' | 'read';
  readonly value: number;
  readonly from: number;
  /** Infinity if no answer came. */
  readonly to: number;
}

/** Names operations with their times, in milliseconds since the first one was sent. */
export interface TimeTeller {
  /** Such as `write 3 (12 ms to 20.5 ms)`. */
  readonly whole: (operation: TimedOperation) => string;
  /** Such as `write 3 (sent at 12 ms)`. */
  readonly begun: (operation: TimedOperation) => string;
  /** Such as `write 3 (answered at 20.5 ms)`. */
  readonly over: (operation: TimedOperation) => string;
}

/** The start of the count is the earliest sending of them all. */
export function timeTeller(operations: readonly RegisterOperation[]): TimeTeller {
  const start = operations.reduce((earliest, { from }) => Math.min(earliest, from), Number.POSITIVE_INFINITY);
  const at = (moment: number): string => `${Number((moment - start).toFixed(3))} ms`;
  return {
    whole: (operation) => `${labelOf(operation)} (${at(operation.from)} to ${at(operation.to)})`,
    begun: (operation) => `${labelOf(operation)} (sent at ${at(operation.from)})`,
    over: (operation) => `${labelOf(operation)} (answered at ${at(operation.to)})`,
  };
}

function labelOf({ operation }: TimedOperation): string {
  return typeof operation === 'object' ? operation.label : `the ${operation} value`;
}
