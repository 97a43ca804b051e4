import { findRequirement } from '../../contract/requirements/index.ts';
import type { ReportedRequirement } from './report.ts';

/** A failure with those that follow from it, as the register says what depends on what. */
export interface Cause {
  readonly root: ReportedRequirement;
  readonly followers: readonly ReportedRequirement[];
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
export function groupByCause(
  failures: readonly ReportedRequirement[],
  decides: (failure: ReportedRequirement) => boolean,
): readonly Cause[] {
  const mayExplain = (row: ReportedRequirement, other: ReportedRequirement): boolean =>
    decides(row) || !decides(other);
  const effectsOf = new Map(
    failures.map((row) => [row, failures.filter((other) => mayExplain(row, other) && explains(row, other))]),
  );
  const causes: Cause[] = [];
  let left = failures;
  for (;;) {
    const reached = new Map(left.map((row) => [row, reachedFrom(row, effectsOf, left)]));
    const first = left.find((row) =>
      left.every((other) => reached.get(other)?.has(row) !== true || reached.get(row)?.has(other) === true),
    );
    if (first === undefined) {
      return causes;
    }
    const circle = left.filter(
      (row) => reached.get(first)?.has(row) === true && reached.get(row)?.has(first) === true,
    );
    const root = likeliestOf(circle, effectsOf) ?? first;
    const explained = reached.get(root);
    causes.push({ root, followers: left.filter((row) => row !== root && explained?.has(row) === true) });
    left = left.filter((row) => explained?.has(row) !== true);
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

/** What follows from a failure, in however many steps, among those that are left; and itself. */
function reachedFrom(
  first: ReportedRequirement,
  effectsOf: ReadonlyMap<ReportedRequirement, readonly ReportedRequirement[]>,
  left: readonly ReportedRequirement[],
): ReadonlySet<ReportedRequirement> {
  const reached = new Set([first]);
  for (const row of reached) {
    effectsOf
      .get(row)
      ?.filter((effect) => left.includes(effect))
      .forEach((effect) => reached.add(effect));
  }
  return reached;
}

function explains(cause: ReportedRequirement, effect: ReportedRequirement): boolean {
  return findRequirement(effect.id)?.dependsOn?.includes(cause.id) === true;
}
