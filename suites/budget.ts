import type { Plan } from '../contract/plans.ts';
import { keepsLimit, requestsOf, type Check } from './check.ts';
import type { KeyLeases } from './key-leases.ts';
import { planningLimits, type Key } from './keys.ts';

/** Requests that a run may make, at most, before it starts. */
export interface Budget {
  /** By key label; `shared` are requests that any of several keys may be asked to carry. */
  readonly lines: readonly BudgetLine[];
  readonly total: number;
  /** Windows of a minute that pass in real time, at most; 0 where the target's clock is moved. */
  readonly windows: number;
  readonly bans: readonly string[];
}

/** Of a run that could not be planned. */
export const NO_BUDGET: Budget = { lines: [], total: 0, windows: 0, bans: [] };

interface BudgetLine {
  readonly label: string;
  readonly plan: Plan | null;
  readonly announced: number;
}

/** Requests that any run needs beside its checks: pre-flight, and restoring at the end. */
const OVERHEAD_REQUESTS = 24;
/** Share of a check's requests that may be sent again after a lost connection or a 429. */
const RESERVE = 0.1;

/** The most requests that a check may make with keys. */
function keyedRequests(check: Check, key: Pick<Key, 'plan' | 'limits'>, index: number): number {
  const need = check.needs.keys[index];
  return need === undefined
    ? 0
    : Math.ceil(requestsOf(need, planningLimits(key)) * (1 + RESERVE)) + 2 + (check.needs.pets ?? 0);
}

/** Adds up what the checks may spend. */
export function planBudget(checks: readonly Check[], leases: KeyLeases, virtualTime: boolean): Budget {
  const byLabel = new Map<string, { plan: Plan | null; announced: number }>();
  const bans: string[] = [];
  let exhausts = false;
  const add = (label: string, plan: Plan | null, requests: number): void => {
    const line = byLabel.get(label) ?? { plan, announced: 0 };
    line.announced += requests;
    byLabel.set(label, line);
  };
  for (const check of checks) {
    for (const [index, need] of check.needs.keys.entries()) {
      const candidates = leases.candidates(need);
      const [only] = candidates;
      exhausts ||= !keepsLimit(need);
      const sample = only ?? {
        plan: need.plan === 'any' ? 'business' : need.plan,
        limits: need.agree ?? null,
      };
      const requests = keyedRequests(check, sample, index);
      const label =
        candidates.length === 0
          ? 'issued keys'
          : candidates.length === 1 && only !== undefined
            ? only.label
            : `shared by ${candidates.map((key) => key.label).join(', ')}`;
      add(label, candidates.length === 1 ? sample.plan : null, requests);
      if (need.use === 'ban') {
        bans.push(label);
      }
    }
    if ((check.anonymousRequests ?? 0) > 0) {
      add('without a known key', null, check.anonymousRequests ?? 0);
    }
  }
  add('pre-flight and restoring', null, OVERHEAD_REQUESTS);
  const lines = [...byLabel].map(([label, { plan, announced }]) => ({ label, plan, announced }));
  return {
    lines,
    total: lines.reduce((sum, line) => sum + line.announced, 0),
    windows: virtualTime ? 0 : exhausts ? 2 : 1,
    bans,
  };
}
