import type { RequirementId } from '../../contract/requirements/index.ts';
import { PROFILES, type Profile } from '../../contract/verdict.ts';
import {
  leaseConfiguredKeys,
  type Capability,
  type ConnectedTarget,
  type Timekeeper,
} from '../target/index.ts';
import { type Check, CHECKS, type Needs, withAcceptedForms } from '../stimuli/index.ts';
import { NO_BUDGET, planBudget, type Budget } from './budget.ts';

/** An exploration as it is asked for. */
export interface ExplorationOrder {
  /** Requests of random sequences. */
  readonly requests: number;
  /** What the sequences are drawn with; the same seed draws the same ones. */
  readonly seed: number;
  /** Requests that shrinking may take beside them, at most. */
  readonly shrinking: number;
  /** Ends as soon as all of these are violated; by default it goes on to the end. */
  readonly until?: readonly RequirementId[];
}

/** What a run is going to do. `waits` tells, at any moment, what is waited for and how long. */
export interface RunPlan {
  readonly checks: readonly Check[];
  /** Those of the checks that were not selected: others come after them. */
  readonly broughtAlong: ReadonlySet<Check>;
  readonly skipped: readonly LeftOut[];
  /** `null` if nothing is explored. */
  readonly exploration: ExplorationOrder | null;
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

export type PlannedRun = ReturnType<typeof planRun>;

/** Decides which checks can run on a target, with which keys, and what they may spend. */
export function planRun(
  { checks: all = CHECKS, selects, long, explore }: PlanOptions,
  target: ConnectedTarget,
) {
  const { config, control, time, keys } = target;
  const resources: Resources = {
    profile: config.profile,
    capabilities: control?.capabilities ?? new Set(),
    long,
    revokedKey: config.revokedKeys.length > 0,
  };
  const selected = all.filter((check) => selects?.(check) ?? true);
  const needed = withAcceptedForms(selected);
  const inOrder = all.filter((check) => needed.includes(check));
  const [applicable, missing] = divide(inOrder, ({ needs }) => missingFor(needs, resources));
  const leases = target.issuedKeys ?? leaseConfiguredKeys(keys, applicable, time);
  const [checks, withoutKeys] = divide(applicable, ({ needs }) => leases.obstacle(needs.keys));
  const explored = planExploration(explore, resources);
  return {
    plan: {
      checks,
      broughtAlong: new Set(needed.filter((check) => !selected.includes(check))),
      skipped: [...missing, ...withoutKeys],
      ...explored,
      budget: planBudget(checks, leases, time.virtual, explorationBudget(explored.exploration)),
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

/** What a run has to offer to its checks. */
export interface Resources {
  readonly profile: Profile;
  readonly capabilities: ReadonlySet<Capability>;
  readonly long: boolean;
  readonly revokedKey: boolean;
}

/** Why a check cannot run with these resources, or `null`. */
export function missingFor(needs: Needs, resources: Resources): string | null {
  const missing = (needs.control ?? []).filter((capability) => !resources.capabilities.has(capability));
  const offered = missing.length > 0 ? `It needs a control URL that offers ${missing.join(' and ')}.` : null;
  if (PROFILES.indexOf(needs.profile) > PROFILES.indexOf(resources.profile)) {
    const larger = `Not in profile ${resources.profile}: it needs profile ${needs.profile}.`;
    return offered === null ? larger : `${larger} ${offered}`;
  }
  if (offered !== null) {
    return offered;
  }
  if (needs.long === true && !resources.long) {
    return 'It takes many windows of real time: pass --long, or a control URL with clock and keys.';
  }
  if (
    needs.realTimeOnly === true &&
    resources.capabilities.has('clock') &&
    resources.capabilities.has('keys')
  ) {
    return 'The control clock judges the same faster.';
  }
  if (needs.revokedKey === true && !resources.revokedKey && !resources.capabilities.has('keys')) {
    return 'No revoked key was given (revokedKeys), and none can be revoked through a control URL.';
  }
  return null;
}

/** What a run says if it explored nothing, though it was to. */
export function describeNotExplored(reason: string): string {
  return `Nothing was explored. ${reason}`;
}

/** Whether a target is explored, or why it is not: each sequence has keys and an inventory of its own, and moves the clock. */
function planExploration(
  order: ExplorationOrder | undefined,
  resources: Resources,
): Pick<RunPlan, 'exploration' | 'notExplored'> {
  const notExplored =
    order === undefined
      ? null
      : missingFor({ profile: 'full', keys: [], control: ['keys', 'clock', 'inventory'] }, resources);
  return { exploration: notExplored === null ? (order ?? null) : null, notExplored };
}

/** The most requests that an exploration makes. */
function explorationBudget(exploration: ExplorationOrder | null): number {
  return exploration === null ? 0 : exploration.requests + exploration.shrinking + SPARE_REQUESTS;
}

// Those that are under way together when the last one is counted, and those that are sent again.
const SPARE_REQUESTS = 100;
