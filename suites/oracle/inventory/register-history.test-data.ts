/** A write of a register or a read of it, with the span in which it took effect. */
export interface RegisterOperation {
  readonly kind: 'write' | 'read';
  /** What was written, or found. */
  readonly value: number;
  readonly from: number;
  /** When its answer was there; `null` if none came. Such a write may have taken effect at any time after `from`, or never. */
  readonly to: number | null;
}

/** What was done to one register, which stood at 0 before. */
export type RegisterHistory = readonly RegisterOperation[];

/**
 * Whether each operation can be given a moment between its sending and its answer such that each read finds what was written
 * last. Tries every order that their times allow, which takes exponential time.
 */
export function isLinearizable(history: RegisterHistory): boolean {
  const attempt = (left: RegisterHistory, value: number): boolean =>
    left.every(({ to }) => to === null) ||
    left.some((operation) => {
      const rest = left.filter((other) => other !== operation);
      const isFree = rest.every(({ to }) => to === null || to >= operation.from);
      const isPossible = operation.kind === 'write' || operation.to === null || operation.value === value;
      const next = operation.kind === 'write' ? operation.value : value;
      return isFree && isPossible && attempt(rest, next);
    });
  return attempt(history, 0);
}
