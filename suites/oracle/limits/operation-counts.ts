export type OperationCounts = ReturnType<typeof countOperations>;

/** What a request asked for, and the same with its spelling. */
interface Asked {
  readonly operation: string;
  readonly form: string;
}

// The last request of a window can use up no more than is left.
const MANY_TIMES = 8;

/** Counts how Remaining moved with each operation, over all keys: tells an operation that does not count from a wrong count. */
export function countOperations() {
  let fellByMore = false;
  const formsCounted = new Set<string>();
  const formsThatStayed = new Map<string, { readonly operation: string; readonly times: number }>();
  const moves = new Map<string, { fell: number; stayed: number; fellAfterOthers: boolean }>();
  // How often one request by itself used up one, and more than one.
  const alone = new Map<string, { one: number; more: number }>();
  /** Whether it was seen to use up one request each time. */
  const counts = (operation: string): boolean => {
    const seen = moves.get(operation);
    return seen !== undefined && seen.fell > 0 && seen.stayed === 0;
  };
  return {
    /**
     * A granted request left so many used, and the one before it, of perhaps another operation, so many.
     * @param isAlone whether no other request, of any key, can have counted in between
     */
    note: (
      { operation, form }: Asked,
      used: number,
      before: Asked & { readonly used: number },
      isAlone: boolean,
    ): void => {
      const seen = moves.get(operation) ?? { fell: 0, stayed: 0, fellAfterOthers: false };
      moves.set(operation, seen);
      const hasFallen = used === before.used + 1;
      if (isAlone && used > before.used) {
        const { one, more } = alone.get(operation) ?? { one: 0, more: 0 };
        alone.set(operation, hasFallen ? { one: one + 1, more } : { one, more: more + 1 });
        fellByMore ||= !hasFallen;
      }
      seen.fell += hasFallen ? 1 : 0;
      seen.stayed += used === before.used ? 1 : 0;
      seen.fellAfterOthers ||= hasFallen && before.operation !== operation;
      if (hasFallen && before.form !== form) {
        formsCounted.add(form);
      }
      if (used === before.used) {
        formsThatStayed.set(form, { operation, times: (formsThatStayed.get(form)?.times ?? 0) + 1 });
      }
    },
    counts,
    /** Whether one request was seen to use up more than one. */
    fellByMore: (): boolean => fellByMore,
    /** Whether one operation used up more than one request nearly each time, and another one just one. */
    countsOneOtherwise: (): boolean =>
      [...alone.values()].some(({ one, more }) => one > 1 && more === 0) &&
      [...alone.values()].some(({ one, more }) => more > 1 && more > MANY_TIMES * one),
    /** Whether it was seen to use up a request at all. */
    everCounted: (operation: string): boolean => (moves.get(operation)?.fell ?? 0) > 0,
    /** Whether it was seen to use up one more than another operation had left. */
    countedWithOthers: (operation: string): boolean => moves.get(operation)?.fellAfterOthers === true,
    /** Whether requests in each of these forms were seen to use up one more than one in another form had left. */
    countForms: (forms: readonly string[]): boolean => forms.every((form) => formsCounted.has(form)),
    /** Whether Remaining stood still in a few spellings alone, each time, of operations that count else. */
    leavesOutForms: (): boolean =>
      !fellByMore &&
      formsThatStayed.size > 0 &&
      [...formsThatStayed].every(
        ([form, { operation, times }]) =>
          times > 1 && form !== operation && !formsCounted.has(form) && (moves.get(operation)?.fell ?? 0) > 0,
      ),
    /** Whether nothing is known of it yet. */
    isNew: (operation: string): boolean => !moves.has(operation),
    /** Those that never used up a request, while another one does each time. */
    leftOut: (): readonly string[] =>
      [...moves.keys()].some(counts)
        ? [...moves].flatMap(([operation, { fell, stayed }]) => (fell === 0 && stayed > 0 ? [operation] : []))
        : [],
  };
}
