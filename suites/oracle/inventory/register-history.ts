import {
  complexity,
  conflictOf,
  describeConflict,
  membersOf,
  reaches,
  type Cluster,
  type Conflict,
} from './register-conflict.ts';
import { timeTeller, type RegisterOperation, type TimedOperation } from './register-operation.ts';

/** What was done to one register. */
export interface RegisterHistory {
  readonly operations: readonly RegisterOperation[];
  /** The value before the first operation. */
  readonly initial: number;
  /** The value found after the last one, if it was read. */
  readonly final?: number;
}

/** If it does not hold: a sentence, and the operations that are enough to prove it. */
export type RegisterVerdict =
  | { readonly holds: true }
  | { readonly holds: false; readonly message: string; readonly operations: readonly RegisterOperation[] };

/**
 * Judges whether a history is linearizable: whether each operation can be given a moment between its
 * sending and its answer such that each read finds what was written last. An operation precedes another
 * only if it was answered strictly before the other was sent.
 *
 * As no value is written twice, all that concerns one value has to happen in one piece. So a history holds
 * if and only if no read precedes the write of what it found, and no two values each have something that
 * precedes something of the other (P. B. Gibbons and E. Korach, Testing Shared Memories, SIAM Journal on
 * Computing 26(4), 1997). Takes O(n log n).
 * @throws {RangeError} if a value is written twice, or the initial value again
 */
export function judgeRegisterHistory(history: RegisterHistory): RegisterVerdict {
  const { operations } = history;
  const tell = timeTeller(operations);
  const timed = timedOperations(history);
  const writes = writesByValue(timed);
  for (const read of timed.filter(({ kind }) => kind === 'read')) {
    const write = writes.get(read.value);
    if (write === undefined) {
      const found = read.operation === 'final' ? 'In the end the value was' : `${tell.whole(read)} found`;
      return refuted(`${found} ${read.value}, which was never written`, [read]);
    }
    if (read.to < write.from) {
      const sentence = `${tell.whole(read)} found ${read.value}, which ${tell.begun(write)} wrote only later`;
      return refuted(sentence, [read, write]);
    }
  }
  const conflict = simplestConflict(clustersOf(timed, writes));
  if (conflict === undefined) {
    return { holds: true };
  }
  const proof = { ...conflict, after: firstAfter(conflict, timed) };
  return refuted(describeConflict(proof, tell), membersOf(proof));
}

function timedOperations({ operations, initial, final }: RegisterHistory): readonly TimedOperation[] {
  const [start, end] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
  return [
    { operation: 'initial', kind: 'write', value: initial, from: start, to: start },
    ...operations
      .filter(({ kind, to }) => kind === 'write' || to !== null)
      .map((operation) => {
        const { kind, value, from, to } = operation;
        return { operation, kind, value, from, to: to ?? end };
      }),
    ...(final === undefined
      ? []
      : [{ operation: 'final', kind: 'read', value: final, from: end, to: end } as const]),
  ];
}

function writesByValue(timed: readonly TimedOperation[]): ReadonlyMap<number, TimedOperation> {
  const writes = new Map<number, TimedOperation>();
  for (const write of timed.filter(({ kind }) => kind === 'write')) {
    if (writes.has(write.value)) {
      throw new RangeError(`${write.value} is written twice`);
    }
    writes.set(write.value, write);
  }
  return writes;
}

function clustersOf(
  timed: readonly TimedOperation[],
  writes: ReadonlyMap<number, TimedOperation>,
): readonly Cluster[] {
  const clusters = new Map<number, Cluster>();
  for (const member of timed) {
    const write = writes.get(member.value) ?? member;
    const { firstOver, lastBegun } = clusters.get(member.value) ?? { firstOver: write, lastBegun: write };
    clusters.set(member.value, {
      write,
      firstOver: member.to < firstOver.to ? member : firstOver,
      lastBegun: member.from > lastBegun.from ? member : lastBegun,
    });
  }
  return [...clusters.values()];
}

/**
 * Finds conflicts, if there are any, and chooses the one that takes the fewest operations to prove, and of
 * these the earliest.
 *
 * Of two values in conflict at least one reaches: one of its members precedes another. So, if the
 * clusters are gone through by their earlier end, it is enough to hold each against the one before it that
 * reaches farthest.
 */
function simplestConflict(clusters: readonly Cluster[]): Conflict | undefined {
  const conflicts: Conflict[] = [];
  let farthest: Cluster | undefined;
  for (const cluster of clusters.toSorted(byEarlierEnd)) {
    if (farthest !== undefined && cluster.firstOver.to < farthest.lastBegun.from) {
      conflicts.push(conflictOf(farthest, cluster));
    }
    if (reaches(cluster) && cluster.lastBegun.from > (farthest?.lastBegun.from ?? Number.NEGATIVE_INFINITY)) {
      farthest = cluster;
    }
  }
  return conflicts.toSorted(
    (left, right) => complexity(left) - complexity(right) || left.after.from - right.after.from,
  )[0];
}

/** The first to find the value that had been replaced; the conflict itself knows only the last. */
function firstAfter({ replaced, after }: Conflict, timed: readonly TimedOperation[]): TimedOperation {
  return timed
    .filter(({ value, from }) => value === after.value && from > replaced.to)
    .reduce((first, other) => (other.from < first.from ? other : first), after);
}

/** At the same moment one that does not reach comes first: it only touches one that reaches from there. */
function byEarlierEnd(left: Cluster, right: Cluster): number {
  const [leftEnd, rightEnd] = [left, right].map(({ firstOver, lastBegun }) =>
    Math.min(firstOver.to, lastBegun.from),
  );
  return leftEnd === rightEnd
    ? Number(reaches(left)) - Number(reaches(right))
    : (leftEnd ?? 0) - (rightEnd ?? 0);
}

function refuted(message: string, proof: readonly TimedOperation[]): RegisterVerdict {
  const operations = proof
    .map(({ operation }) => operation)
    .filter((operation) => typeof operation === 'object');
  return { holds: false, message: `${message}.`, operations };
}
