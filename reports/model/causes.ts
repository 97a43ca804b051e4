import { CAUSE_RULES, type CauseEvidence, type CauseRule } from '../../contract/requirements/causes.ts';
import type { ReportedRequirement } from './report.ts';

/** A failure with those that follow from it, by the rules beside the register and what was seen. */
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
 * @param failures the likelier cause first, if no rule decides; causes and their followers keep that order
 * @param decides whether the verdict depends on a failure; what it depends on follows from nothing else
 */
export function groupByCause(
  failures: readonly ReportedRequirement[],
  decides: (failure: ReportedRequirement) => boolean,
): readonly Cause[] {
  const mayExplain = (row: ReportedRequirement, other: ReportedRequirement): boolean =>
    decides(row) || !decides(other);
  const ids = new Map(failures.map((row) => [row.id, row]));
  const effectsOf = new Map(
    failures.map((row) => [
      row,
      failures.filter((other) => mayExplain(row, other) && explains(row, other, ids)),
    ]),
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

/** Whether the first rule that fits the two, in either direction, makes this one the cause. */
function explains(
  cause: ReportedRequirement,
  effect: ReportedRequirement,
  failed: ReadonlyMap<string, ReportedRequirement>,
): boolean {
  for (const rule of CAUSE_RULES) {
    if (fits(rule, cause, effect, failed)) {
      return true;
    }
    if (fits(rule, effect, cause, failed)) {
      return false;
    }
  }
  return false;
}

function fits(
  { causes, effects, when }: CauseRule,
  cause: ReportedRequirement,
  effect: ReportedRequirement,
  failed: ReadonlyMap<string, ReportedRequirement>,
): boolean {
  if (cause.id === effect.id || !causes.has(cause.id) || !effects.has(effect.id)) {
    return false;
  }
  switch (when) {
    case undefined:
      return true;
    case 'alone':
      return (
        failed
          .keys()
          .filter((id) => causes.has(id))
          .toArray().length === 1
      );
    default:
      return EVIDENCE[when](cause, effect);
  }
}

const EVIDENCE: Readonly<
  Record<
    Exclude<CauseEvidence, 'alone'>,
    (cause: ReportedRequirement, effect: ReportedRequirement) => boolean
  >
> = {
  'same exchanges': (cause, effect) => {
    const others = exchangesOf(effect);
    return others.size > 0 && others.isSubsetOf(exchangesOf(cause));
  },
  'part of it': (cause, effect) =>
    violationsOf(effect) < violationsOf(cause) && !exchangesOf(effect).isDisjointFrom(exchangesOf(cause)),
  'same checks': (cause, effect) => checksOf(effect).isSubsetOf(checksOf(cause)),
  'other requests': (_cause, effect) => {
    const requests = requestsOf(effect);
    return requests.size > 0 && requests.isDisjointFrom(PLAIN_REQUESTS);
  },
  'same status': haveSameStatus,
  'same status, more often': (cause, effect) =>
    haveSameStatus(cause, effect) && shareOf(cause) >= shareOf(effect) * MUCH,
  'same words': (cause, effect) => effect.findings.length > 0 && wordsOf(effect).isSubsetOf(wordsOf(cause)),
  'seen more often': (cause, effect) => violationsOf(cause) >= violationsOf(effect) * MUCH,
  'fails more often': (cause, effect) => shareOf(cause) >= shareOf(effect) * MUCH,
  'always fails': (cause) => shareOf(cause) === 1,
};

function exchangesOf({ findings }: ReportedRequirement): Set<string> {
  return new Set(
    findings.flatMap(({ exchange }) => (exchange === undefined ? [] : [JSON.stringify(exchange)])),
  );
}

function haveSameStatus(cause: ReportedRequirement, effect: ReportedRequirement): boolean {
  return (
    effect.findings.length > 0 &&
    effect.findings.every(({ exchange }) => isOddStatus(exchange?.response?.status)) &&
    statusesOf(effect).isSubsetOf(statusesOf(cause))
  );
}

function statusesOf({ findings }: ReportedRequirement): Set<number | undefined> {
  return new Set(findings.map(({ exchange }) => exchange?.response?.status));
}

/** Whether it is an error that no key is refused with. */
function isOddStatus(status = 0): boolean {
  return status >= 400 && status !== 401 && status !== 429;
}

function wordsOf({ findings }: ReportedRequirement): Set<string> {
  return new Set(findings.map(({ message }) => message));
}

function checksOf({ findings }: ReportedRequirement): Set<string> {
  return new Set(findings.flatMap(({ check }) => (check === undefined ? [] : [check])));
}

function violationsOf({ tally }: ReportedRequirement): number {
  return tally?.violated ?? 0;
}

function shareOf({ tally }: ReportedRequirement): number {
  return tally === undefined ? 0 : tally.violated / Math.max(1, tally.judged ?? tally.violated);
}

/** How many times larger a share is that is much larger. */
const MUCH = 4;

const PLAIN_LIST = 'GET /inventory';
const PLAIN_REQUESTS = new Set([PLAIN_LIST, 'PATCH /inventory/#']);

/** Such as `PATCH /inventory/#?more=1`: method and path below the base address, ids as one. */
function requestsOf({ findings }: ReportedRequirement): Set<string> {
  return new Set(
    findings.flatMap(({ exchange }) => {
      if (exchange === undefined) {
        return [];
      }
      const { method, url } = exchange.request;
      return [`${method} ${url.replace(/^.*?\/v1(?=\/|$)/, '').replaceAll(/\/-?\d+/g, '/#')}`];
    }),
  );
}
