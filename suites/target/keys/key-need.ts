import type { Plan, PlanLimits } from '../../../contract/plans.ts';

/** A key that a check leases for as long as it runs. */
export interface KeyNeed {
  readonly plan: Plan | 'any';
  /**
   * `share`: stays within the limit; `spare`: the same, but only with what the checks that decide leave over;
   * `exhaust`: begins with a fresh window and may reach the limit;
   * `ban`: goes on after a 429, so that the key may get banned.
   */
  readonly use: 'share' | 'spare' | 'exhaust' | 'ban';
  /** Requests that the check makes with this key, at most. */
  readonly requests: number | ((limits: PlanLimits) => number);
  /** How often it may make them, each time in another window; once if it is not given. */
  readonly rounds?: number;
  /** Requests that shall count as made today already; only a key that was issued for the check has that. */
  readonly usedToday?: (limits: PlanLimits) => number;
  /** The check also runs without it. */
  readonly optional?: true;
  /** Of an optional need that exhausts a key: it gets a configured key that nothing else needs, or none. */
  readonly ifSpared?: true;
  /** Limits to agree with an enterprise key that is issued for the check. */
  readonly agree?: PlanLimits;
}

/** Whether a key that is leased for this stays within its limit. */
export function keepsLimit({ use }: KeyNeed): boolean {
  return use === 'share' || use === 'spare';
}

/** How many requests a need may take with a key of these limits. */
export function requestsOf(need: KeyNeed, limits: PlanLimits): number {
  return typeof need.requests === 'number' ? need.requests : need.requests(limits);
}

/** What takes keys for as long as it runs, as a check does. */
export interface KeyTaker {
  readonly needs: { readonly keys: readonly KeyNeed[] };
}
