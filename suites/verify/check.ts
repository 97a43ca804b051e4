import type { Plan, PlanLimits } from '../../contract/plans.ts';
import type { RequirementId } from '../../contract/requirements.ts';
import type { Capability } from '../target/control/control-client.ts';
import type { Lab } from './lab.ts';
import type { Survey, SurveyRecord, SurveyRecords } from './survey.ts';
import type { Profile } from '../target/configuration/target-config.ts';

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
  /** How often it may make them, each time in another window; once where it is not given. */
  readonly rounds?: number;
  /** Requests that shall count as made today already; only a key that was issued for the check has that. */
  readonly usedToday?: (limits: PlanLimits) => number;
  /** The check also runs without it. */
  readonly optional?: true;
  /** Limits to agree with an enterprise key that is issued for the check. */
  readonly agree?: PlanLimits;
}

/** What it takes to run a check. What is missing makes the runner skip it, with the reason. */
export interface Needs {
  /** The most careful profile in which it may run. */
  readonly profile: Profile;
  readonly keys: readonly KeyNeed[];
  /** Pets that it may write to; each is restored afterwards. */
  readonly pets?: number;
  /** In a store without pets the check still has something to judge. */
  readonly worksWithoutPets?: true;
  readonly control?: readonly Capability[];
  /** Runs before the rest, with nothing beside it. */
  readonly alone?: true;
  /** Takes more than two windows of real time, so it wants `--long` or the control clock. */
  readonly long?: true;
  /** Only where no clock can be moved. */
  readonly realTimeOnly?: true;
  readonly revokedKey?: true;
}

/**
 * A check provokes; what it sees is judged by itself and by the monitors. It knows its target only through the
 * lab. Any error that it throws makes what it judges inconclusive, never failed.
 */
export interface Check {
  readonly id: string;
  readonly title: string;
  /** What it sets out to judge, the first above all. It stays open where the check is not carried out to its end. */
  readonly judges: readonly RequirementId[];
  /** What it judges in passing. */
  readonly alsoJudges?: readonly RequirementId[];
  readonly needs: Needs;
  /** Requests without any key that the target knows, at most. */
  readonly anonymousRequests?: number;
  /** What it builds on. That runs before, whatever was selected, and `checkAfter` hands its result over. */
  readonly after?: Survey<unknown>;
  /** Only a survey returns something. */
  readonly run: (lab: Lab, records: SurveyRecords) => Promise<SurveyRecord | void>;
}

/** Whether a check may decide a requirement, as what it sets out to judge or in passing. */
export function mayJudge({ judges, alsoJudges = [] }: Check, id: RequirementId): boolean {
  return judges.includes(id) || alsoJudges.includes(id);
}

/** Whether a key that is leased for this stays within its limit. */
export function keepsLimit({ use }: KeyNeed): boolean {
  return use === 'share' || use === 'spare';
}

/** How many requests a need may take with a key of these limits. */
export function requestsOf(need: KeyNeed, limits: PlanLimits): number {
  return typeof need.requests === 'number' ? need.requests : need.requests(limits);
}
