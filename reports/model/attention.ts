import { findRequirement } from '../../contract/requirements/index.ts';
import { requestsInTrail } from '../../contract/trail.ts';
import type { Report, ReportedCause, ReportedRequirement } from './report.ts';
import { isBinding } from './requirement-groups.ts';

/** A failure with those that follow from it, as the register says what depends on what. */
export interface Cause {
  readonly root: ReportedRequirement;
  readonly followers: readonly ReportedRequirement[];
}

/** The requirements that did not pass, by why they need attention: what a reader looks for first. Each is in at most one list. */
export function attention(report: Pick<Report, 'requirements' | 'level'>) {
  const {
    fail = [],
    inconclusive = [],
    skipped = [],
  } = Object.groupBy(report.requirements, ({ outcome }) => outcome);
  const {
    expected = [],
    newer = [],
    unexpected = [],
  } = Object.groupBy(fail, (row) =>
    row.expectedFailure === true ? 'expected' : row.newer === true ? 'newer' : 'unexpected',
  );
  const decides = (row: ReportedRequirement): boolean => isBinding(report, row);
  const likely = simplestFirst(unexpected);
  const causes = groupByCause([...likely.filter(decides), ...likely.filter((row) => !decides(row))], decides);
  return {
    /** Failures that decide the verdict, by cause, with what else follows from them. */
    failures: causes.filter(({ root }) => decides(root)),
    /** The other failures of a level that does not decide the verdict, by cause. */
    advice: causes.filter(({ root }) => !decides(root)),
    /** Failures that the baseline expects. */
    expected,
    /** Failures of what is newer than the set of requirements that the run was judged by. */
    newer,
    inconclusive,
    skipped,
  };
}

/** The unexpected failures, each root before what follows from it, with the root that a follower has. */
export function listedFailures(
  report: Pick<Report, 'requirements' | 'level'>,
): readonly { readonly row: ReportedRequirement; readonly root: string | null }[] {
  const { failures, advice } = attention(report);
  return listCauses([...failures, ...advice]);
}

/** The causes as the JSON report has them. */
export function reportCauses(report: Pick<Report, 'requirements' | 'level'>): readonly ReportedCause[] {
  const { failures, advice } = attention(report);
  return [...failures, ...advice].map(({ root, followers }) => ({
    requirement: root.id,
    explains: followers.map(({ id }) => id),
  }));
}

/**
 * Failures with the likely cause first: first what single responses show, in order of how many do; then what takes
 * several requests, the fewest first. Ties keep the order of the register.
 */
function simplestFirst(failures: readonly ReportedRequirement[]): readonly ReportedRequirement[] {
  return failures.toSorted(
    (left, right) => shareOf(right) - shareOf(left) || requestsOf(left) - requestsOf(right),
  );
}

function shareOf({ tally }: ReportedRequirement): number {
  return tally?.of === 'responses' && tally.judged !== null && tally.judged > 0
    ? tally.violated / tally.judged
    : 0;
}

/** Requests of the simplest finding, of those that were kept. */
function requestsOf({ findings }: ReportedRequirement): number {
  return Math.min(
    Number.MAX_SAFE_INTEGER,
    ...findings.map(({ trail }) => (trail?.takesSeveral === true ? requestsInTrail(trail) : 1)),
  );
}

/** The failures of these causes, each root before what follows from it, with the id of the root that a follower has. */
export function listCauses(
  causes: readonly Cause[],
): readonly { readonly row: ReportedRequirement; readonly root: string | null }[] {
  return causes.flatMap(({ root, followers }) => [
    { row: root, root: null },
    ...followers.map((row) => ({ row, root: root.id })),
  ]);
}

/** Failures that nothing is said of but that they are there. */
export function apart(failures: readonly ReportedRequirement[]): readonly Cause[] {
  return failures.map((root) => ({ root, followers: [] }));
}

/** How many failures these causes have. */
export function countFailures(causes: readonly Cause[]): number {
  return causes.reduce((sum, { followers }) => sum + 1 + followers.length, 0);
}

/**
 * The failures by cause: each is the root of one, or follows from one root.
 * @param failures the likelier cause first, if nothing else decides; causes and their followers keep that order
 * @param decides whether the verdict depends on a failure; what it depends on follows from nothing else
 */
function groupByCause(
  failures: readonly ReportedRequirement[],
  decides: (failure: ReportedRequirement) => boolean,
): readonly Cause[] {
  const mayExplain = (row: ReportedRequirement, other: ReportedRequirement): boolean =>
    decides(row) || !decides(other);
  const effectsOf = new Map(
    failures.map((row) => [row, failures.filter((other) => mayExplain(row, other) && explains(row, other))]),
  );
  const reached = new Map(failures.map((row) => [row, reachedFrom(row, effectsOf)]));
  const leads = (row: ReportedRequirement, other: ReportedRequirement): boolean =>
    reached.get(row)?.has(other) === true;
  const causes: Cause[] = [];
  for (let left = failures; ;) {
    const first = left.find((row) => left.every((other) => !leads(other, row) || leads(row, other)));
    if (first === undefined) {
      return causes;
    }
    const circle = left.filter((row) => leads(first, row) && leads(row, first));
    const root = likeliestOf(circle, effectsOf) ?? first;
    const [explained = [], rest = []] = [true, false].map((is) =>
      left.filter((row) => leads(root, row) === is),
    );
    causes.push({ root, followers: explained.filter((row) => row !== root) });
    left = rest;
  }
}

/** Of failures that explain each other, the one that explains the most others and is explained by the fewest. */
function likeliestOf(
  circle: readonly ReportedRequirement[],
  effectsOf: ReadonlyMap<ReportedRequirement, readonly ReportedRequirement[]>,
): ReportedRequirement | undefined {
  const lead = (row: ReportedRequirement): number =>
    circle.reduce(
      (sum, other) =>
        sum +
        Number(effectsOf.get(row)?.includes(other) === true) -
        Number(effectsOf.get(other)?.includes(row) === true),
      0,
    );
  return circle.toSorted((one, other) => lead(other) - lead(one))[0];
}

/** What follows from a failure, in however many steps; and itself. */
function reachedFrom(
  first: ReportedRequirement,
  effectsOf: ReadonlyMap<ReportedRequirement, readonly ReportedRequirement[]>,
): ReadonlySet<ReportedRequirement> {
  const reached = new Set([first]);
  for (const row of reached) {
    effectsOf.get(row)?.forEach((effect) => reached.add(effect));
  }
  return reached;
}

function explains(cause: ReportedRequirement, effect: ReportedRequirement): boolean {
  return findRequirement(effect.id)?.dependsOn?.includes(cause.id) === true;
}
