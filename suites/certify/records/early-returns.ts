import { TOLERANCE_SECONDS } from './early-requests.ts';
import type { ScenarioRecord } from './record.ts';
import { answersOf, isLimiting, clientRequests, sentRetryAfter } from './traffic-reading.ts';
import type { ClientExchange } from './traffic.ts';

/** A wait that a client ended at about the moment that Retry-After named. */
interface PromptReturn {
  readonly record: ScenarioRecord;
  readonly request: ClientExchange;
  /** By how much the client came too early; negative if it came later; seconds. */
  readonly early: number;
}

/** Returns that a single coarse timer does not explain. */
export interface HabitualEarliness {
  /** The early returns, the earliest first; never empty. */
  readonly early: readonly [PromptReturn, ...PromptReturn[]];
  /** All prompt returns, the early ones included. */
  readonly returns: number;
}

/** A timer that counts in milliseconds is early by one at most; seconds. */
const NOTICEABLE_SECONDS = 0.004;
const FEWEST_EARLY = 5;
/** A busy machine delays many returns, but makes none early. */
const FEWEST_EARLY_SHARE = 1 / 3;
/** What comes later follows a backoff of the client's own; seconds. */
const PROMPT_SECONDS = 0.06;

/**
 * Tells a client that takes an amount or a share off each wait from one whose timer was early once.
 * Only delta-seconds are looked at, since the clock that a date is read by need not be the server's.
 * @returns `null` if the client is not early as a rule
 */
export function habitualEarliness(records: readonly ScenarioRecord[]): HabitualEarliness | null {
  const returns = records.flatMap(promptReturns);
  const [first, ...others] = returns
    .filter(({ early }) => early >= NOTICEABLE_SECONDS)
    .toSorted((one, other) => other.early - one.early);
  const count = others.length + 1;
  return first === undefined || count < FEWEST_EARLY || count < returns.length * FEWEST_EARLY_SHARE
    ? null
    : { early: [first, ...others], returns: returns.length };
}

function promptReturns(record: ScenarioRecord): readonly PromptReturn[] {
  const limitings = answersOf(record).filter((exchange) => isLimiting(exchange));
  return limitings.flatMap((limiting) => {
    const request = clientRequests(record).find(({ receivedAt }) => receivedAt > limiting.answeredAt);
    const asked = sentRetryAfter(limiting);
    // Nothing can be taken off a wait of 0.
    if (request === undefined || asked?.form !== 'delta-seconds' || asked.seconds === 0) {
      return [];
    }
    const early = limiting.allowedAt - request.receivedAt;
    return Math.abs(early) >= (early > 0 ? TOLERANCE_SECONDS : PROMPT_SECONDS)
      ? []
      : [{ record, request, early }];
  });
}
