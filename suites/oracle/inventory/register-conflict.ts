import type { TimedOperation, TimeTeller } from './register-operation.ts';

/** The write of a value and the reads that found it: no other value can have been there between them. */
export interface Cluster {
  readonly write: TimedOperation;
  /** The member that was over first. */
  readonly firstOver: TimedOperation;
  /** The member that began last. */
  readonly lastBegun: TimedOperation;
}

/** A value was there before another, because `before` precedes `between`, and after it: `replaced` precedes `after`. */
export interface Conflict {
  readonly before: TimedOperation;
  readonly between: TimedOperation;
  readonly replaced: TimedOperation;
  readonly after: TimedOperation;
  /** Of the value that was there before and after. */
  readonly write: TimedOperation;
  /** Of the value between. */
  readonly writeBetween: TimedOperation;
}

/** Whether one of its members precedes another. */
export function reaches({ firstOver, lastBegun }: Cluster): boolean {
  return firstOver.to < lastBegun.from;
}

/** What proves that two clusters, each with a member that precedes one of the other, are in conflict. */
export function conflictOf(reaching: Cluster, other: Cluster): Conflict {
  const conflict = around(reaching, other);
  const turned = around(other, reaching);
  return reaches(other) && complexity(turned) < complexity(conflict) ? turned : conflict;
}

/** Writes are preferred, as they say most, and one member of `inner` that serves twice. */
function around(outer: Cluster, inner: Cluster): Conflict {
  const isWriteAfter = outer.firstOver.to < inner.write.from;
  const between = isWriteAfter ? inner.write : inner.lastBegun;
  return {
    before: outer.write.to < between.from ? outer.write : outer.firstOver,
    between,
    replaced: inner.write.to < outer.lastBegun.from ? inner.write : inner.firstOver,
    after: outer.lastBegun,
    write: outer.write,
    writeBetween: inner.write,
  };
}

/** How much a reader has to take in; the initial and the final value serve best as what is around. */
export function complexity(conflict: Conflict): number {
  const isOdd = conflict.replaced.operation === 'initial' || conflict.between.operation === 'final';
  return membersOf(conflict).length + (isOdd ? 10 : 0);
}

/** The operations that prove it by themselves, in the order of their sending. */
export function membersOf(conflict: Conflict): readonly TimedOperation[] {
  const { before, between, replaced, after, write, writeBetween } = conflict;
  return [...new Set([write, before, writeBetween, between, replaced, after])]
    .filter(({ operation }) => typeof operation === 'object')
    .toSorted((left, right) => left.from - right.from);
}

/** One sentence, such as `write 1 (answered at 10 ms) wrote 5, then write 2 (12 ms to 20 ms) wrote 7, yet …`. */
export function describeConflict({ before, between, replaced, after }: Conflict, tell: TimeTeller): string {
  const { value } = before;
  const start =
    before.operation === 'initial'
      ? `The initial value was ${value}`
      : `${tell.over(before)} ${verbOf(before)} ${value}`;
  const middle =
    between === replaced
      ? `then ${tell.whole(between)} ${verbOf(between)} ${between.value}`
      : `then ${tell.begun(between)} ${verbOf(between)} ${between.value} and ${tell.over(replaced)} ${verbOf(replaced)} it`;
  const end =
    after.operation === 'final' ? `in the end the value was ${value}` : `${tell.begun(after)} found ${value}`;
  const again = before.operation === 'initial' ? 'which was never written' : 'which was written only once';
  return `${start}, ${middle}, yet ${end} again, ${again}`;
}

function verbOf({ kind }: TimedOperation): string {
  return kind === 'write' ? 'wrote' : 'found';
}
