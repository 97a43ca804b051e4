import { MINUTE_SECONDS, type PlanLimits } from '../../../contract/plans.ts';
import type { RequirementId } from '../../../contract/requirements/index.ts';
import { rateLimitOf, type Exchange } from '../exchange.ts';
import type { KeyLimits } from './key-limits.ts';
import type { OperationCounts } from './operation-counts.ts';
import type { Broken } from './waits.ts';
import { MARGIN_MILLISECONDS } from './margin.ts';

/** What is to be said of an answer that no permitted limiter gives. */
export interface Accusation {
  readonly id: RequirementId;
  readonly message: string;
  readonly proof: readonly Exchange[];
}

const MINUTE_MILLISECONDS = MINUTE_SECONDS * 1000;
// A sliding counter is full for two windows at most.
const LONGEST_MINUTE_WAIT_SECONDS = 122;

/** How a request was made. */
export interface Manner {
  /** What was asked for, and in which spelling. */
  readonly form: string;
  /** Whether others were under way with it. */
  readonly isAmongOthers: boolean;
  /** And the limit was seen to hold for requests that were sent one by one. */
  readonly isOnlyConcurrent: boolean;
}

/** A request was granted beyond a limit. */
export function blameGrant(
  key: KeyLimits,
  window: 'minute' | 'day',
  exchange: Exchange,
  { form, isAmongOthers, isOnlyConcurrent }: Manner,
): Accusation {
  const { label, plan } = key;
  const { limit } = key[window];
  const granted = Math.max(limit + 1, key[window].atLeastGranted(exchange.receivedAt));
  const message = `${label} was granted ${granted} requests within a ${window}, although its limit is ${limit}`;
  if (window === 'day') {
    return { id: `day-limit-${plan}`, message: `${message}.`, proof: [exchange] };
  }
  const lately = exchange.receivedAt - MINUTE_MILLISECONDS + MARGIN_MILLISECONDS;
  const refused = [...key.refusedForms].filter(([, at]) => at >= lately).map(([other]) => other);
  if (!isAmongOthers && refused.length > 0 && !refused.includes(form)) {
    return {
      id: 'limit-over-spellings',
      message: `${message}: ${form} was accepted after ${refused.join(', ')} had been answered 429.`,
      proof: [exchange],
    };
  }
  // What is asked for after a 429 had come back does not race with what reached the limit.
  const hadBeenRefused = (key.refusedForms.get(form) ?? Infinity) < exchange.sentAt && refused.includes(form);
  if (isOnlyConcurrent && !hadBeenRefused) {
    return {
      id: 'limit-under-concurrency',
      message: `${message}: it holds for requests that are sent one by one.`,
      proof: [exchange],
    };
  }
  return key.keptAt < lately && key.keptAt > Number.NEGATIVE_INFINITY
    ? { id: 'limit-renews', message: `${message}, in a minute after another.`, proof: [exchange] }
    : { id: `minute-limit-${plan}`, message: `${message}.`, proof: [exchange] };
}

/** X-RateLimit-Remaining of a granted request fits no permitted limiter. @param operation what was asked for */
export function blameRemaining(
  { label, usedByOperation }: KeyLimits,
  exchange: Exchange,
  used: number,
  operation: string,
  operations: OperationCounts,
): Accusation {
  const { remaining, limit } = rateLimitOf(exchange) ?? { remaining: 0, limit: 0 };
  const message = `X-RateLimit-Remaining of ${label} is ${remaining} of ${limit} after an accepted ${operation}, which fits none of the requests that counted`;
  const isCountedApart = usedByOperation.size > 1 && usedByOperation.get(operation) === used - 1;
  const isLeftOut = operations.others(operation).length > 0 && !operations.counts(operation);
  return isCountedApart || isLeftOut
    ? {
        id: 'remaining-counts-operations',
        message: `${message}: ${isCountedApart ? 'the requests of each operation are counted by themselves' : 'other operations count'}.`,
        proof: [exchange],
      }
    : { id: 'remaining-falls', message: `${message}.`, proof: [exchange] };
}

/** What else may have had a request refused. */
export interface Suspects {
  /** Another key that was refused by its own limit just now. */
  readonly atLimit: string | null;
  /** Another key that was banned just now. */
  readonly banned: string | null;
  /** Seconds that the answer asks for. */
  readonly wait: number | undefined;
  readonly manner: Manner;
}

/** A request was answered 429, though neither limit can have been reached and no ban can have begun. */
export function blameRefusal(
  key: KeyLimits,
  exchange: Exchange,
  used: { readonly minute: number; readonly day: number },
  { atLimit, banned, wait, manner }: Suspects,
): Accusation {
  const { label, plan, limits } = key;
  const { perMinute, perDay } = limits;
  const proof = [exchange];
  const soFar = `${label} was answered 429 when at most ${used.minute} of ${perMinute} requests in a minute and ${used.day} of ${perDay} in a day had counted`;
  const isFar = 2 * used.minute < perMinute && 2 * used.day < perDay;
  const lastMinute = exchange.sentAt - MINUTE_MILLISECONDS;
  if (isFar && key.refusedSince < lastMinute && !isOfDay(exchange, used.day, limits)) {
    return { id: 'limit-renews', message: `${soFar}, in a minute after another that was used up.`, proof };
  }
  if (isFar && banned !== null) {
    return { id: 'keys-independent-in-ban', message: `${soFar}, while ${banned} was banned.`, proof };
  }
  if (isFar && atLimit !== null) {
    return {
      id: 'keys-independent-at-limit',
      message: `${soFar}, while ${atLimit} was at its limit.`,
      proof,
    };
  }
  if (isOfDay(exchange, used.day, limits)) {
    return { id: `day-limit-${plan}`, message: `${soFar}.`, proof };
  }
  if (wait !== undefined && wait > LONGEST_MINUTE_WAIT_SECONDS) {
    return {
      id: 'ban-only-after-continued',
      message: `${soFar}, and is to wait ${Math.ceil(wait)} s: it is banned, though it never went on after a 429.`,
      proof,
    };
  }
  if (manner.isOnlyConcurrent) {
    return {
      id: 'limit-under-concurrency',
      message: `${soFar}: the whole limit is granted to requests that are sent one by one.`,
      proof,
    };
  }
  return key.keptAt < lastMinute && key.keptAt > Number.NEGATIVE_INFINITY
    ? { id: 'limit-renews', message: `${soFar}, in a minute after another.`, proof }
    : { id: `minute-limit-${plan}`, message: `${soFar}.`, proof };
}

/** Which limit refuses, by the headers if they tell, else by what is near. */
function isOfDay(exchange: Exchange, used: number, { perMinute, perDay }: PlanLimits): boolean {
  const reading = rateLimitOf(exchange);
  const isOfMinute = reading?.limit === perMinute && reading.remaining === 0;
  return reading?.limit === perDay || (!isOfMinute && 2 * used >= perDay);
}

/** A valid key was refused, neither by 429 nor in a ban. @param byLimit whether a limit may have been reached */
export function blameOtherRefusal(
  label: string,
  exchange: Exchange,
  byLimit: boolean,
  wait: number | undefined,
): Accusation {
  const { status } = exchange.response;
  const isBan = !byLimit || (wait !== undefined && wait > LONGEST_MINUTE_WAIT_SECONDS);
  return isBan
    ? {
        id: 'ban-only-after-continued',
        message: `${label} was answered ${status}, though it never went on after a 429.`,
        proof: [exchange],
      }
    : {
        id: 'refusal-is-429',
        message: `${label} was answered ${status} when its limit was reached, and not 429.`,
        proof: [exchange],
      };
}

/** A client waited for what it was told, and was refused again. */
export function blameWait(
  label: string,
  exchange: Exchange,
  { refusal, wasBanned }: Broken,
  hadContinued: boolean,
): Accusation {
  const { status } = exchange.response;
  const said = `${label} waited for the Retry-After of its last refusal, sent one request, and was answered ${status}`;
  const proof = [refusal, exchange];
  if (status !== 429 && !hadContinued) {
    return {
      id: 'ban-only-after-continued',
      message: `${said}: it is banned, though it never went on after a 429.`,
      proof,
    };
  }
  return wasBanned && hadContinued
    ? { id: 'ban-ends', message: `${said}: its ban outlasts what it was told.`, proof }
    : { id: 'retry-after-honoured', message: `${said}.`, proof };
}
