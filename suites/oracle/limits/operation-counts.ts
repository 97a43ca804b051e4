/** How Remaining moved with each operation, over all keys: tells an operation that does not count from a wrong count. */
export interface OperationCounts {
  /** A granted request left so many used, and the one before it, of perhaps another operation, so many. */
  note(operation: string, used: number, before: { readonly operation: string; readonly used: number }): void;
  /** Whether it was seen to use up one request each time. */
  readonly counts: (operation: string) => boolean;
  /** Whether it was seen to use up a request at all. */
  readonly everCounted: (operation: string) => boolean;
  /** Whether it was seen to use up one more than another operation had left. */
  readonly countedWithOthers: (operation: string) => boolean;
  /** Whether nothing is known of it yet. */
  readonly isNew: (operation: string) => boolean;
  /** Those that never used up a request, while another one does each time. */
  readonly leftOut: () => readonly string[];
}

export function countOperations(): OperationCounts {
  const moves = new Map<string, { fell: number; stayed: number; fellAfterOthers: boolean }>();
  const counts = (operation: string): boolean => {
    const seen = moves.get(operation);
    return seen !== undefined && seen.fell > 0 && seen.stayed === 0;
  };
  return {
    note: (operation, used, before) => {
      const seen = moves.get(operation) ?? { fell: 0, stayed: 0, fellAfterOthers: false };
      moves.set(operation, seen);
      const hasFallen = used === before.used + 1;
      seen.fell += hasFallen ? 1 : 0;
      seen.stayed += used === before.used ? 1 : 0;
      seen.fellAfterOthers ||= hasFallen && before.operation !== operation;
    },
    counts,
    everCounted: (operation) => (moves.get(operation)?.fell ?? 0) > 0,
    countedWithOthers: (operation) => moves.get(operation)?.fellAfterOthers === true,
    isNew: (operation) => !moves.has(operation),
    leftOut: () =>
      [...moves.keys()].some(counts)
        ? [...moves].flatMap(([operation, { fell, stayed }]) => (fell === 0 && stayed > 0 ? [operation] : []))
        : [],
  };
}
