import {
  leaseConfiguredKeys,
  type ConnectedTarget,
  type KeyLeases,
  type Timekeeper,
} from '../target/index.ts';
import { NO_BUDGET, planBudget, type Budget } from './budget.ts';
import { type Check, CHECKS, withSurveys } from '../stimuli/index.ts';
import {
  explorationBudget,
  planExploration,
  type ExplorationOrder,
  type PlannedExploration,
} from './plan-exploration.ts';
import { missingFor, type Resources } from './resources.ts';

/** What a run is going to do. `waits` tells, at any moment, what is waited for and how long. */
export interface RunPlan {
  readonly checks: readonly Check[];
  /** Those of the checks that were not selected: others come after them. */
  readonly broughtAlong: ReadonlySet<Check>;
  readonly skipped: readonly LeftOut[];
  /** `null` if nothing is explored. */
  readonly exploration: PlannedExploration | null;
  /** Why the exploration that was asked for is left out, or `null`. */
  readonly notExplored: string | null;
  readonly budget: Budget;
  readonly waits: Timekeeper['sleeping'];
}

/** Of a run that could not be planned. */
export const EMPTY_PLAN: RunPlan = {
  checks: [],
  broughtAlong: new Set(),
  skipped: [],
  exploration: null,
  notExplored: null,
  budget: NO_BUDGET,
  waits: () => [],
};

export interface LeftOut {
  readonly check: Check;
  readonly reason: string;
}

export interface PlanOptions {
  /** What there is to run; by default all checks. */
  readonly checks?: readonly Check[];
  /** Which checks to run, besides what they come after; by default all of the profile. */
  readonly selects?: (check: Check) => boolean;
  /** Whether checks may take many windows of real time. */
  readonly long: boolean;
  /** What is explored after the checks; nothing by default. */
  readonly explore?: ExplorationOrder;
}

export interface PlannedRun {
  readonly plan: RunPlan;
  readonly resources: Resources;
  readonly leases: KeyLeases;
}

/** Decides which checks can run on a target, with which keys, and what they may spend. */
export function planRun(
  { checks: all = CHECKS, selects, long, explore }: PlanOptions,
  target: ConnectedTarget,
): PlannedRun {
  const { config, control, time, keys } = target;
  const resources: Resources = {
    profile: config.profile,
    capabilities: control?.capabilities ?? new Set(),
    long,
    revokedKey: config.revokedKeys.length > 0,
  };
  const selected = all.filter((check) => selects?.(check) ?? true);
  const needed = withSurveys(selected);
  const inOrder = all.filter((check) => needed.includes(check));
  const [applicable, missing] = divide(inOrder, ({ needs }) => missingFor(needs, resources));
  const leases = target.issuedKeys ?? leaseConfiguredKeys(keys, applicable, time);
  const [checks, withoutKeys] = divide(applicable, ({ needs }) => leases.obstacle(needs.keys));
  const explored = explore === undefined ? null : planExploration(explore, resources, leases);
  const exploration = explored !== null && 'exploration' in explored ? explored.exploration : null;
  return {
    plan: {
      checks,
      broughtAlong: new Set(needed.filter((check) => !selected.includes(check))),
      skipped: [...missing, ...withoutKeys],
      exploration,
      notExplored: explored !== null && 'obstacle' in explored ? explored.obstacle : null,
      budget: planBudget(checks, leases, time.virtual, explorationBudget(exploration)),
      waits: () => time.sleeping(),
    },
    resources,
    leases,
  };
}

/** Tells checks that can run from those that are left out, each with the reason. */
export function divide(
  checks: readonly Check[],
  whyNot: (check: Check) => string | null,
): readonly [runnable: readonly Check[], leftOut: readonly LeftOut[]] {
  const reasons = checks.map((check) => ({ check, reason: whyNot(check) }));
  return [
    reasons.filter(({ reason }) => reason === null).map(({ check }) => check),
    reasons.flatMap(({ check, reason }) => (reason === null ? [] : [{ check, reason }])),
  ];
}
