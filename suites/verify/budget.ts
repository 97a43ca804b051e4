import type { Plan } from '../../contract/plans.ts';
import {
  isSaved,
  keepsLimit,
  requestsOf,
  MOST_USE_INQUIRIES,
  MOST_WRITE_INQUIRIES,
  type KeyLeases,
  MOST_INQUIRIES,
  BudgetError,
} from '../target/index.ts';
import type { Check } from '../stimuli/index.ts';
import { planningLimits, type Key } from '../oracle/index.ts';

/** Requests that a run may make, at most, before it starts. */
export type Budget = ReturnType<typeof planBudget>;

/** Of a run that could not be planned. */
export const NO_BUDGET: Budget = { lines: [], total: 0, windows: 0, bans: [], usedUp: [], shares: new Map() };

const USED_UP = 'The announced number of requests is used up.';
/** Requests that any run needs beside its checks: pre-flight, asking whether it still answers or others use a key or write to the inventory, restoring. */
const OVERHEAD_REQUESTS = 24 + MOST_INQUIRIES + MOST_USE_INQUIRIES + MOST_WRITE_INQUIRIES;
/** In real time, what failed in an inventory that somebody else may write to is sent again with these. */
const REPETITION_REQUESTS = 60;
/** Share of a check's requests that may be sent again after a lost connection or a 429. */
const RESERVE = 0.1;

/** The most requests that a check may make with keys. */
function keyedRequests(check: Check, key: Pick<Key, 'plan' | 'limits'>, index: number): number {
  const need = check.needs.keys[index];
  return need === undefined
    ? 0
    : Math.ceil(requestsOf(need, planningLimits(key)) * (need.rounds ?? 1) * (1 + RESERVE)) +
        2 +
        (check.needs.pets ?? 0);
}

/** The line of a budget, and the label of what is spent, for all keys of an exploration together. */
export const EXPLORATION_LINE = 'exploration';

/**
 * Adds up what the checks may spend, and an exploration beside them.
 * @param exploring requests of the exploration, shrinking included; 0 without one
 */
export function planBudget(checks: readonly Check[], leases: KeyLeases, virtualTime: boolean, exploring = 0) {
  const byLabel = new Map<string, { plan: Plan | null; announced: number }>();
  const bans = new Set<string>();
  const usedUp = new Set<string>();
  const shares = new Map<Check, number>();
  const add = (label: string, plan: Plan | null, requests: number): void => {
    const line = byLabel.get(label) ?? { plan, announced: 0 };
    line.announced += requests;
    byLabel.set(label, line);
  };
  for (const check of checks) {
    let share = check.anonymousRequests ?? 0;
    for (const [index, need] of check.needs.keys.entries()) {
      const candidates = leases.candidates(need);
      if (candidates.length === 0 && (!leases.issues || isSaved(need, virtualTime))) {
        // Optional, and without a key that could serve it.
        continue;
      }
      const [only] = candidates;
      const sample = only ?? {
        plan: need.plan === 'any' ? 'business' : need.plan,
        limits: need.agree ?? null,
      };
      const requests = keyedRequests(check, sample, index);
      share += requests;
      const label =
        candidates.length === 0
          ? 'issued keys'
          : candidates.length === 1 && only !== undefined
            ? only.label
            : `shared by ${candidates.map((key) => key.label).join(', ')}`;
      add(label, candidates.length === 1 ? sample.plan : null, requests);
      if (need.use === 'ban') {
        bans.add(label);
      } else if (need.use === 'exhaust') {
        candidates.forEach((key) => usedUp.add(key.label));
      }
    }
    if ((check.anonymousRequests ?? 0) > 0) {
      add('without a known key', null, check.anonymousRequests ?? 0);
    }
    shares.set(check, share);
  }
  if (exploring > 0) {
    add(EXPLORATION_LINE, null, exploring);
  }
  const writes = checks.some(({ needs }) => (needs.pets ?? 0) > 0);
  add(
    'pre-flight and restoring',
    null,
    OVERHEAD_REQUESTS + (writes && !virtualTime ? REPETITION_REQUESTS : 0),
  );
  const lines = [...byLabel].map(([label, { plan, announced }]) => ({ label, plan, announced }));
  return {
    /** By key label; `shared` are requests that any of several keys may be asked to carry. */
    lines,
    total: sumOf(lines.map(({ announced }) => announced)),
    /** Windows of a minute that pass in real time, at most; 0 if the target's clock is moved. */
    windows: virtualTime ? 0 : windowsOf(checks, leases),
    /** Keys that one check provokes a ban of. */
    bans: [...bans],
    /** Other configured keys whose limits are used up, and which are refused more than once by that. */
    usedUp: [...usedUp.difference(bans)],
    /** What each check was announced with. */
    shares,
  };
}

/** What runs one after another may spend together. */
export function sumOfBudgets(budgets: readonly Budget[]): Budget {
  const lines = budgets.flatMap((budget) => budget.lines);
  const bans = new Set(budgets.flatMap((budget) => budget.bans));
  return {
    lines: [...Map.groupBy(lines, ({ label }) => label)].map(([label, same]) => ({
      label,
      plan: same[0]?.plan ?? null,
      announced: sumOf(same.map(({ announced }) => announced)),
    })),
    total: sumOf(budgets.map(({ total }) => total)),
    windows: sumOf(budgets.map(({ windows }) => windows)),
    bans: [...bans],
    usedUp: [...new Set(budgets.flatMap(({ usedUp }) => usedUp)).difference(bans)],
    shares: new Map(),
  };
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0);
}

/** One window, and another one if a key has to be used up twice because there are too few. */
function windowsOf(checks: readonly Check[], leases: KeyLeases): number {
  const used = new Set<Key>();
  let windows = 1;
  for (const need of checks.flatMap(({ needs }) => needs.keys.filter((one) => !keepsLimit(one)))) {
    const candidates = leases.candidates(need);
    // Without a key of its own it takes another window of the one that is there.
    const isMissed =
      need.ifSpared === true &&
      candidates.length === 0 &&
      [...used].some((key) => key.plan === need.plan && requestsOf(need, planningLimits(key)) > 0);
    if (isMissed || candidates.some((key) => used.has(key))) {
      windows = 2;
    }
    candidates.forEach((key) => used.add(key));
  }
  return windows;
}

/** What is left of the requests that were announced, but for what restoring takes. */
export type LeftRequests = ReturnType<typeof openLeftRequests>;

/** @param note counts a request in `spent`, by label */
export function openLeftRequests(
  { total }: Pick<Budget, 'total'>,
  spent: ReadonlyMap<string, number>,
  note: (label: string | null) => void,
) {
  const left = (): number =>
    total - OVERHEAD_REQUESTS - [...spent.values()].reduce((sum, count) => sum + count, 0);
  return {
    left,
    /** Takes one. @throws {BudgetError} if none is left */
    spend: (label: string | null): void => {
      if (left() <= 0) {
        throw new BudgetError(USED_UP);
      }
      note(label);
    },
  };
}

/**
 * Has checks spend what was announced: each its own share, then what checks that are over have left. So one that
 * measures again and again takes nothing from the others, nor from what restoring needs.
 */
export function openAllowances({ shares }: Pick<Budget, 'shares'>) {
  let left = 0;
  return (check: Check) => {
    let share = shares.get(check) ?? 0;
    return {
      /** Takes one. @throws {BudgetError} if none is left */
      spend: (): void => {
        if (share > 0) {
          share -= 1;
        } else if (left > 0) {
          left -= 1;
        } else {
          throw new BudgetError(USED_UP);
        }
      },
      /** Leaves what was not spent to the other checks. */
      close: (): void => {
        left += share;
        share = 0;
      },
    };
  };
}
