import { PLANS } from '../../contract/plans.ts';
import type { RequirementId } from '../../contract/requirements/index.ts';
import type { KeyLeases, OpenedTarget } from '../target/index.ts';
import { EXPLORATION_LINE, openAllowances } from './budget.ts';
import { createCheckEnvironment, withClient, type CheckEnvironment } from './check-environment.ts';
import { acceptedForms, type Check, withAcceptedForms } from '../stimuli/index.ts';
import type { Exploration } from './explorer/explore.ts';
import { leaveUnfinished, performCheck, type CheckSummary } from './perform-check.ts';
import {
  divide,
  missingFor,
  type LeftOut,
  type ExplorationOrder,
  type PlannedRun,
  type RunPlan,
} from './plan-run.ts';
import type { SeenFailure } from './failures.ts';

/** Is told what happens while it happens. */
export interface RunListener {
  readonly onPlan?: (plan: RunPlan) => void;
  readonly onCheckStart?: (check: Check) => void;
  readonly onCheckEnd?: (summary: CheckSummary) => void;
  readonly onNotice?: (notice: string) => void;
  /** Of a requirement, once. */
  readonly onFailure?: (failure: SeenFailure) => void;
  /** Requests of the exploration so far, of how many. */
  readonly onExplored?: (requests: number, of: number) => void;
  /** What shows that this requirement fails is made shorter now. */
  readonly onShortening?: (id: RequirementId) => void;
}

/** What the checks of a run come to, besides what they judge. */
export type RunTally = ReturnType<typeof newTally>;

export function newTally() {
  return {
    summaries: new Array<CheckSummary>(),
    /** Checks that were not carried out. */
    leftOut: new Array<LeftOut>(),
    /** Checks that had no time or no requests left. */
    cutOff: new Set<Check>(),
    /** Requests by label of their key; `none` without one. */
    spent: new Map<string, number>(),
    /** Milliseconds of the responses to requests that no other was under way with. */
    responseTimes: new Array<number>(),
  };
}

/** Counts a request. @param label of its key */
export function noteSpent({ spent }: RunTally, label: string | null): void {
  const name = label ?? 'none';
  spent.set(name, (spent.get(name) ?? 0) + 1);
}

interface PerformanceOptions {
  readonly tally: RunTally;
  readonly listener: RunListener;
  readonly banWaitSeconds: number;
  readonly rankOf: (check: Check) => number | null;
  /** When the run began, in milliseconds of `performance.now()`. */
  readonly startedAt: number;
}

/**
 * Performs the checks of a plan, except those that turn out to be pointless on this target, and then explores it.
 * @returns what the exploration came to, `null` without one, and the environment of both
 */
export async function performPlan(opened: OpenedTarget, planned: PlannedRun, options: PerformanceOptions) {
  const { first, issuedKeys, keys, problems, onNotice } = opened;
  const { plan, leases } = planned;
  const { tally, banWaitSeconds, rankOf, startedAt } = options;
  const slowness = describeSlowness(first.latencyMilliseconds, plan.checks.length);
  if (slowness !== null) {
    onNotice(slowness);
  }
  if (first.notice !== null) {
    problems.push(first.notice);
    onNotice(first.notice);
  }
  const [runnable, pointless] = divide(plan.checks, (check) => reasonToLeaveOut(check, opened, planned));
  for (const { check } of pointless) {
    leases.withdraw(check);
  }
  tally.leftOut.push(...pointless);
  const environment = createCheckEnvironment(opened, {
    leases,
    startedAt,
    banWaitSeconds,
    idleKeys: issuedKeys === null ? [] : PLANS.flatMap((plan) => keys.find((key) => key.plan === plan) ?? []),
  });
  const { reason: unknown } = tally.leftOut.find(({ check }) => check === acceptedForms) ?? {};
  if (unknown !== undefined) {
    environment.forms.accepted = { unknown };
  }
  const perform = performer(environment, plan, options);
  // Configured keys are handed out in the order of the whole plan.
  const early = issuedKeys === null ? [] : byRank(runnable, rankOf, plan);
  for (const check of early) {
    await performGroup([check], leases, perform);
  }
  const others = runnable.filter((check) => !early.includes(check));
  await performGroup(others, leases, perform);
  const exploration =
    plan.exploration === null
      ? null
      : await performExploration(environment, plan.exploration, options, problems);
  return { environment, exploration };
}

/** Performs checks that have to be alone one after the other, and then the others side by side. @returns results as they come */
export async function performGroup<Result>(
  checks: readonly Check[],
  leases: Pick<KeyLeases, 'sharingIsOver'>,
  perform: (check: Check) => Promise<Result>,
): Promise<readonly Result[]> {
  const results: Result[] = [];
  let sharing = checks.filter(onlyShares).length;
  if (sharing === 0) {
    leases.sharingIsOver();
  }
  const performOne = async (check: Check): Promise<void> => {
    results.push(await perform(check));
    if (onlyShares(check)) {
      sharing -= 1;
      if (sharing === 0) {
        leases.sharingIsOver();
      }
    }
  };
  for (const check of checks.filter(({ needs }) => needs.alone === true)) {
    await performOne(check);
  }
  const settled = await Promise.allSettled(
    checks.filter(({ needs }) => needs.alone !== true).map(performOne),
  );
  // What one throws ends the run once no other sends any more, so that all they changed can be put back.
  const failed = settled.find((one) => one.status === 'rejected');
  if (failed !== undefined) {
    throw failed.reason;
  }
  return results;
}

function onlyShares({ needs }: Check): boolean {
  return needs.keys.every(({ use }) => use === 'share');
}

/** Its requests are counted together, whatever their key. */
async function performExploration(
  environment: CheckEnvironment,
  order: ExplorationOrder,
  { tally, listener }: PerformanceOptions,
  problems: string[],
): Promise<Exploration> {
  // What draws the sequences takes a while to load, and most runs draw none.
  const { explore } = await import('./explorer/explore.ts');
  const { client } = environment;
  const own = withClient(environment, { spend: () => noteSpent(tally, EXPLORATION_LINE) });
  return client.time.participate(() =>
    explore(own, order, {
      onExplored: (requests) => listener.onExplored?.(requests, order.requests),
      onProblem: (message) => problems.push(message),
    }),
  );
}

/** The checks that have a rank, by it and by what they cost, each with what it comes after. */
function byRank(
  runnable: readonly Check[],
  rankOf: (check: Check) => number | null,
  { budget: { shares } }: RunPlan,
): readonly Check[] {
  const ranked = runnable.flatMap((check) => {
    const rank = rankOf(check);
    return rank === null ? [] : [{ check, rank, cost: shares.get(check) ?? 0 }];
  });
  const sorted = ranked.toSorted((one, other) => one.rank - other.rank || one.cost - other.cost);
  return withAcceptedForms(sorted.map(({ check }) => check)).filter((check) => runnable.includes(check));
}

/** What performs one check on its own share of the budget, and notes how that went. */
function performer(
  environment: CheckEnvironment,
  { budget }: RunPlan,
  { tally, listener }: PerformanceOptions,
): (check: Check) => Promise<void> {
  const { client } = environment;
  const allowanceOf = openAllowances(budget);
  return async (check) => {
    if (client.signal.aborted) {
      leaveUnfinished(check, client);
      tally.cutOff.add(check);
      return;
    }
    const allowance = allowanceOf(check);
    const spend = (label: string | null): void => {
      allowance.spend();
      noteSpent(tally, label);
    };
    const own = withClient(environment, { sender: { check: check.id }, spend });
    const summary = await client.time.participate(() =>
      performCheck(check, own, () => listener.onCheckStart?.(check)),
    );
    allowance.close();
    tally.summaries.push(summary);
    if (summary.isCutOff) {
      tally.cutOff.add(check);
    }
    if (check === acceptedForms && summary.problem !== null) {
      environment.forms.accepted = { unknown: summary.problem };
    }
    listener.onCheckEnd?.(summary);
  };
}

/** Why a planned check is not carried out on this target after all, or `null`. */
function reasonToLeaveOut(
  { needs }: Check,
  { first, inventory }: OpenedTarget,
  { resources }: PlannedRun,
): string | null {
  // A capability may have turned out to be named only.
  const missing = missingFor(needs, resources);
  if (missing !== null) {
    return missing;
  }
  if (inventory.whyKept !== null && needs.control?.includes('inventory') === true) {
    return inventory.whyKept;
  }
  const hasNoPets = first.items !== null && inventory.pets.length === 0;
  if (hasNoPets && (needs.pets ?? 0) > 0 && needs.worksWithoutPets !== true) {
    return 'The inventory has no pet that can be updated.';
  }
  // What does not serve the list, or refuses a new key, will not show how its limits work either.
  const isPointless = first.notice !== null && needs.keys.some(({ use }) => use !== 'share');
  return isPointless ? `${first.notice} Nothing that takes whole windows was tried.` : null;
}

const SLOW_MILLISECONDS = 300;
// Of all checks together, some of which run side by side; an estimate.
const ROUND_TRIPS_PER_CHECK = 7;

/** What a slow first answer lets expect, or `null`. */
function describeSlowness(latencyMilliseconds: number, checks: number): string | null {
  if (latencyMilliseconds < SLOW_MILLISECONDS || checks === 0) {
    return null;
  }
  const minutes = Math.ceil((latencyMilliseconds * ROUND_TRIPS_PER_CHECK * checks) / 60_000);
  const about = minutes === 1 ? 'a minute' : `${minutes} minutes`;
  return `The target took ${(latencyMilliseconds / 1000).toFixed(1)} s for its first answer. If every answer takes as long, this run takes about ${about}, windows aside; --only runs a part of it.`;
}
