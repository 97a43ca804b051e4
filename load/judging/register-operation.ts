/** A write of a register or a read of it, with the span in which it took effect. */
export interface RegisterOperation {
  readonly kind: 'write' | 'read';
  /** What was written, or found. */
  readonly value: number;
  /** When it was sent, in milliseconds. */
  readonly from: number;
  /**
   * When its answer was there, in milliseconds; `null` where none came. Such a write may have taken effect
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
  /** Infinite where no answer came. */
  readonly to: number;
}
