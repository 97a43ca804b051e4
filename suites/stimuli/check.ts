import type { KeyNeed, Capability } from '../target/index.ts';
import type { RequirementId } from '../../contract/requirements/index.ts';
import type { CheckContext } from './check-context.ts';
import type { Profile } from '../../contract/verdict.ts';

/** What it takes to run a check. What is missing makes the runner skip it, with the reason. */
export interface Needs {
  /** The most careful profile in which it may run. */
  readonly profile: Profile;
  readonly keys: readonly KeyNeed[];
  /** Pets that it may write to; each is restored afterwards. */
  readonly pets?: number;
  /** With how many of them it can do, if one is not enough and the target has more. */
  readonly fewestPets?: number;
  /** It keeps a pet for windows of real time, and sets it to and fro, so that others of this kind may do so with the same one. */
  readonly sharesPet?: true;
  /** Even if the inventory has no pets the check has something to judge. */
  readonly worksWithoutPets?: true;
  readonly control?: readonly Capability[];
  /** Runs before the rest, with nothing beside it. */
  readonly alone?: true;
  /** Takes more than two windows of real time, so it wants `--long` or the control clock. */
  readonly long?: true;
  /** Only if no clock can be moved. */
  readonly realTimeOnly?: true;
  readonly revokedKey?: true;
}

/** What most checks of limits take: keys issued for them, whose time the clock passes. A list serves where no pet can be updated. */
export function needsOfIssuedKeys(keys: readonly KeyNeed[]): Needs {
  return { profile: 'full', control: ['keys', 'clock'], keys, pets: 1, worksWithoutPets: true };
}

/** What most checks of updates take: one key that stays within its limit, and pets. */
export function needsOfUpdates(requests: number, pets: number, use: 'share' | 'spare' = 'share'): Needs {
  return { profile: 'standard', keys: [{ plan: 'any', use, requests }], pets };
}

/** What a check takes that looks at a whole store which the run fills, and to which nothing else writes meanwhile. */
export function needsOfStore(requests: number, pets = 0): Needs {
  return { ...needsOfUpdates(requests, pets), profile: 'full', control: ['inventory'], alone: true };
}

/**
 * A check provokes, and the oracle judges. It knows its target only through the context. Any error
 * that it throws leaves open what it sets out to have judged.
 */
export interface Check {
  readonly id: string;
  readonly title: string;
  /** What it sets out to judge, the first above all. It stays open if the check is not carried out to its end. */
  readonly judges: readonly RequirementId[];
  /** What it judges in passing. */
  readonly alsoJudges?: readonly RequirementId[];
  readonly needs: Needs;
  /** Requests without any key that the target knows, at most. */
  readonly anonymousRequests?: number;
  /** Whether it takes the forms of requests that the target accepts: `accepted-forms` runs before, whatever was selected. */
  readonly takesForms?: true;
  readonly run: (context: CheckContext) => Promise<void>;
}

/** Whether a check may decide a requirement, as what it sets out to judge or in passing. */
export function mayJudge({ judges, alsoJudges = [] }: Check, id: RequirementId): boolean {
  return judges.includes(id) || alsoJudges.includes(id);
}
