import type { RequirementId } from '../../../contract/requirements/index.ts';
import type { Judgements } from '../../oracle/index.ts';
import { recordClientExchange } from './record-client-exchange.ts';
import type { ScenarioRecord } from './record.ts';
import { type LimitedWait, TOLERANCE_SECONDS, waitsAfterLimits } from './traffic-reading.ts';

const ID: RequirementId = 'client-waits';
const SHOWN_RETURNS = 8;

/** A timer that counts in milliseconds is early by one at most; seconds. */
export const NOTICEABLE_SECONDS = 0.004;
const FEWEST_EARLY = 5;
/** A busy machine delays many returns, but makes none early. */
const FEWEST_EARLY_SHARE = 1 / 3;
/** What comes later follows a backoff of the client's own; seconds. */
const PROMPT_SECONDS = 0.06;

/** What scenarios show only together, and which of them do. */
export interface JointFailure {
  readonly records: ReadonlySet<ScenarioRecord>;
  /** What failed and what to change, in sentences. */
  readonly message: string;
}

/** Judges what no scenario shows by itself: a client that usually returns a few milliseconds too early. */
export function judgeTogether(
  records: readonly ScenarioRecord[],
  judgements: Judgements,
): JointFailure | null {
  const habit = habitualEarliness(records.filter(({ scenario }) => scenario.judges.includes(ID)));
  if (habit === null) {
    return null;
  }
  const { early, returns } = habit;
  const [{ record, request }] = early;
  const shown = early.slice(0, SHOWN_RETURNS).map((each) => `${(-each.after * 1_000).toFixed(0)} ms`);
  const further = early.length > shown.length ? ' …' : '';
  const message =
    `The client tried again before Retry-After had passed in ${early.length} of ${returns} waits: ${shown.join(', ')}${further} too early. ` +
    'Less than 20 ms passes once, as a timer may be coarse; this is a habit. ' +
    'Subtract nothing from Retry-After, begin to count when the answer has arrived, and add a tick if the timer is coarse.';
  judgements.fail(record.scenario.id, ID, { message, exchange: recordClientExchange(request, record) });
  return { records: new Set(early.map((each) => each.record)), message };
}

/**
 * Tells a client that takes an amount or a share off each wait from one whose timer was early once.
 * @returns the early returns, the earliest first, and how many prompt ones there were; `null` if it is not early as a rule
 */
export function habitualEarliness(
  records: readonly ScenarioRecord[],
): { readonly early: readonly [LimitedWait, ...LimitedWait[]]; readonly returns: number } | null {
  const returns = records.flatMap(waitsAfterLimits).filter(isPrompt);
  const [first, ...others] = returns
    .filter(({ after }) => -after >= NOTICEABLE_SECONDS)
    .toSorted((one, other) => one.after - other.after);
  return first === undefined || !isHabit(others.length + 1, returns.length)
    ? null
    : { early: [first, ...others], returns: returns.length };
}

/** Whether so many of all returns are more than a coarse timer explains. */
export function isHabit(early: number, all: number): boolean {
  return early >= FEWEST_EARLY && early >= all * FEWEST_EARLY_SHARE;
}

/** Whether a client came back at about the moment that Retry-After named; nothing can be taken off a wait of 0. */
function isPrompt({ asked, after }: LimitedWait): boolean {
  return asked > 0 && after > -TOLERANCE_SECONDS && after < PROMPT_SECONDS;
}
