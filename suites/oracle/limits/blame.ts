import { BAN_STATUSES } from '../../../contract/bans.ts';
import { MINUTE_SECONDS, type PlanLimits } from '../../../contract/plans.ts';
import { RATE_LIMIT_HEADERS, readRateLimitHeader } from '../../../contract/rate-limit-headers.ts';
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
  /** Whether more than the limit was granted in one form as well, so that no form is why. */
  readonly isPlain: boolean;
}

/**
 * A request was granted beyond a limit.
 * @param leftOut what does not use up Remaining
 */
export function blameGrant(
  key: KeyLimits,
  window: 'minute' | 'day',
  exchange: Exchange,
  { form, isAmongOthers, isOnlyConcurrent, isPlain }: Manner,
  leftOut: readonly string[],
): Accusation {
  const { label, plan } = key;
  const { limit } = key[window];
  const granted = Math.max(limit + 1, key[window].atLeastGranted(exchange.receivedAt));
  const message = `${label} was granted ${granted} requests within a ${window}, although its limit is ${limit}`;
  if (window === 'day') {
    return { id: `day-limit-${plan}`, message: `${message}.`, proof: [exchange] };
  }
  if (leftOut.length > 0) {
    return {
      id: 'limit-over-spellings',
      message: `${message}: ${leftOut.join(', ')} did not use it up.`,
      proof: [exchange],
    };
  }
  const lately = exchange.receivedAt - MINUTE_MILLISECONDS + MARGIN_MILLISECONDS;
  const refused = [...key.refusedForms].filter(([, { last }]) => last >= lately).map(([other]) => other);
  if (!isAmongOthers && refused.length > 0 && !refused.includes(form)) {
    return {
      id: 'limit-over-spellings',
      message: `${message}: ${form} was accepted after ${refused.join(', ')} had been answered 429.`,
      proof: [exchange],
    };
  }
  const usedUpBy = [...key.grantedForms].filter(([, at]) => at >= lately).map(([other]) => other);
  const isNewForm = usedUpBy.length > 0 && !usedUpBy.includes(form);
  if (!isAmongOthers && !isPlain && refused.length === 0 && isNewForm) {
    return {
      id: 'limit-over-spellings',
      message: `${message}: ${form} was accepted when ${usedUpBy.join(', ')} had used it up.`,
      proof: [exchange],
    };
  }
  // What is asked for after a 429 had come back does not race with what reached the limit.
  if (isOnlyConcurrent && !wasRefusedLately(key, form, exchange)) {
    return {
      id: 'limit-under-concurrency',
      message: `${message}: it holds for requests that are sent one by one.`,
      proof: [exchange],
    };
  }
  const isAfterAnother = key.keptAt < lately && key.keptAt > Number.NEGATIVE_INFINITY;
  // Each of several windows was kept, and one of them came too early.
  const isTooEarly = key.isExclusive && key.bursts.length() <= limit;
  return isAfterAnother || isTooEarly
    ? { id: 'limit-renews', message: `${message}, in a minute after another.`, proof: [exchange] }
    : { id: `minute-limit-${plan}`, message: `${message}.`, proof: [exchange] };
}

/** Whether the same had been answered 429 within a minute, before it was asked for. */
export function wasRefusedLately(
  { refusedForms }: Pick<KeyLimits, 'refusedForms'>,
  form: string,
  { sentAt, receivedAt }: Exchange,
): boolean {
  const refused = refusedForms.get(form);
  return (
    refused !== undefined &&
    refused.first < sentAt &&
    refused.last >= receivedAt - MINUTE_MILLISECONDS + MARGIN_MILLISECONDS
  );
}

/**
 * X-RateLimit-Remaining of a granted request fits no permitted limiter.
 * @param operation what was asked for
 * @param most how many can have been used, this one included
 */
export function blameRemaining(
  { label, usedByOperation }: KeyLimits,
  exchange: Exchange,
  { used, most }: { readonly used: number; readonly most: number },
  operation: string,
  operations: OperationCounts,
): Accusation {
  const { remaining, limit } = rateLimitOf(exchange) ?? { remaining: 0, limit: 0 };
  const message = `X-RateLimit-Remaining of ${label} is ${remaining} of ${limit} after an accepted ${operation}, which fits none of the requests that counted`;
  // Whatever is not counted leaves more to remain, not less.
  const isTooHigh = used <= most;
  const others = [...usedByOperation.keys()].filter((other) => other !== operation);
  const isCountedApart =
    isTooHigh &&
    others.length > 0 &&
    usedByOperation.get(operation) === used - 1 &&
    !operations.countedWithOthers(operation);
  const isLeftOut =
    (isTooHigh || operations.isNew(operation)) &&
    others.some(operations.counts) &&
    !operations.everCounted(operation);
  return isCountedApart || isLeftOut
    ? {
        id: 'remaining-counts-operations',
        message: `${message}: ${isCountedApart ? 'the requests of each operation are counted by themselves' : 'other operations count'}.`,
        proof: [exchange],
      }
    : { id: 'remaining-falls', message: `${message}.`, proof: [exchange] };
}

/** A key at its limit was granted a request of a new minute, when no permitted limiter begins one. */
export function blameRenewal({ label }: KeyLimits, exchange: Exchange): Accusation {
  const { remaining, limit } = rateLimitOf(exchange) ?? { remaining: 0, limit: 0 };
  return {
    id: 'limit-renews',
    message: `${label} was refused by its limit, and is told then that ${remaining} of ${limit} requests remain: no window of a minute that fits its other answers begins there.`,
    proof: [exchange],
  };
}

/** What else may have had a request refused. */
export interface Suspects {
  /** Another key that was refused by its own limit just now. */
  readonly atLimit: string | null;
  /** Another key that may be banned just now. */
  readonly banned: string | null;
  /** Seconds that the answer asks for. */
  readonly wait: number | undefined;
  readonly manner: Manner;
  /** Whether another key of the plan was refused after exactly as many requests as its limit. */
  readonly isKept: Readonly<Record<'minute' | 'day', boolean>>;
}

/** A request was answered 429, though neither limit can have been reached and no ban can have begun. */
export function blameRefusal(
  key: KeyLimits,
  exchange: Exchange,
  used: { readonly minute: number; readonly day: number },
  { atLimit, banned, wait, manner, isKept }: Suspects,
): readonly Accusation[] {
  const { label, plan, limits, keptAt, usedUpSince, wasDayFull } = key;
  const { perMinute, perDay } = limits;
  const ofDay = used.day === Infinity ? '' : ` and ${used.day} of ${perDay} in a day`;
  const soFar = `${label} was answered 429 when at most ${used.minute} of ${perMinute} requests in a minute${ofDay} had counted`;
  const say = (id: RequirementId, more: string): readonly Accusation[] => [
    { id, message: `${soFar}${more}`, proof: [exchange] },
  ];
  const isFar = 2 * used.minute < perMinute && 2 * used.day < perDay;
  const isDay = isOfDay(exchange, used.day, limits);
  const lastMinute = exchange.sentAt - MINUTE_MILLISECONDS;
  if (isFar && !isDay && key.banEndedAt > keptAt) {
    return say('ban-ends', ', when its ban was over for another request.');
  }
  const isLong = wait !== undefined && wait > LONGEST_MINUTE_WAIT_SECONDS;
  // The minute before it may be what refuses.
  if (!isDay && !isLong && key.minute.atLeastInTwo(exchange.sentAt) >= perMinute) {
    return say('limit-renews', ', in a minute after another that was used up.');
  }
  if ((isFar || isKept[isDay ? 'day' : 'minute']) && (banned !== null || atLimit !== null)) {
    return [
      ...(banned === null ? [] : say('keys-independent-in-ban', `, while ${banned} was banned.`)),
      ...(atLimit === null ? [] : say('keys-independent-at-limit', `, while ${atLimit} was at its limit.`)),
    ];
  }
  if (isFar && usedUpSince < lastMinute && !isDay) {
    return say('limit-renews', ', in a minute after another that was used up.');
  }
  if (isDay || (isLong && wasDayFull)) {
    return say(`day-limit-${plan}`, '.');
  }
  if (isLong) {
    const what = 'it is banned, though it never went on after a 429';
    return say('ban-only-after-continued', `, and is to wait ${Math.ceil(wait)} s: ${what}.`);
  }
  if (manner.isOnlyConcurrent) {
    const what = 'the whole limit is granted to requests that are sent one by one';
    return say('limit-under-concurrency', `: ${what}.`);
  }
  return keptAt < lastMinute && keptAt > Number.NEGATIVE_INFINITY
    ? say('limit-renews', ', in a minute after another.')
    : say(`minute-limit-${plan}`, '.');
}

/** X-RateLimit-Remaining goes wrong only when other keys are used in between. */
export function blameIntrusion(
  { label }: KeyLimits,
  exchange: Exchange,
  { atLimit, banned }: Pick<Suspects, 'atLimit' | 'banned'>,
): readonly Accusation[] {
  const { remaining, limit } = rateLimitOf(exchange) ?? { remaining: 0, limit: 0 };
  const say = (id: RequirementId, other: string): Accusation => ({
    id,
    message: `X-RateLimit-Remaining of ${label} is ${remaining} of ${limit} after requests of ${other}, which moved it.`,
    proof: [exchange],
  });
  return [
    ...(banned === null ? [] : [say('keys-independent-in-ban', banned)]),
    // One that may be banned, and does not show it, may be at its limit as well.
    ...(banned !== null && atLimit === null
      ? []
      : [say('keys-independent-at-limit', atLimit ?? 'another key')]),
  ];
}

/** A key was refused when its limit was reached, and told that something remains. */
export function blameRemainingOfRefusal(
  { label }: KeyLimits,
  exchange: Exchange,
  remaining: number,
): Accusation {
  return {
    id: 'remaining-falls',
    message: `${label} was answered 429 when its limit was reached, and X-RateLimit-Remaining is ${remaining}.`,
    proof: [exchange],
  };
}

/** What a key that may be banned was answered, while it was told to wait. @param served how it may be answered else, if that is known */
export function blameBanAnswer(
  { label, waits, lastReset }: KeyLimits,
  exchange: Exchange,
  served: readonly number[] | null,
): readonly Accusation[] {
  const { status, headers, rateLimit } = exchange.response;
  if (exchange.sentAt >= waits.until() || exchange.request.operation === null) {
    return [];
  }
  if (!BAN_STATUSES.has(status)) {
    return served !== null && status >= 400 && !served.includes(status)
      ? [blameAnswerBeyondLimit({ label }, exchange)]
      : [];
  }
  // Whoever has read them already has not kept them; and what no answer has is not missing for a ban.
  const missing =
    rateLimit === undefined && lastReset !== null
      ? RATE_LIMIT_HEADERS.find((name) => readRateLimitHeader(headers, name).state === 'missing')
      : undefined;
  return missing === undefined ? [] : [sayOfBan(label, exchange, ` without ${missing}`)];
}

/** What a key that had gone on beyond its limit was answered is neither that of a limit nor that of a ban. */
export function blameAnswerBeyondLimit({ label }: Pick<KeyLimits, 'label'>, exchange: Exchange): Accusation {
  return sayOfBan(label, exchange, ', and not 401, 403 or 429');
}

function sayOfBan(label: string, exchange: Exchange, what: string): Accusation {
  const { status } = exchange.response;
  return {
    id: 'ban-answer',
    message: `${label}, which had gone on after a 429 and was to wait, was answered ${status}${what}.`,
    proof: [exchange],
  };
}

/** Which limit refuses, by the headers if they tell, else by what is near. */
function isOfDay(exchange: Exchange, used: number, { perMinute, perDay }: PlanLimits): boolean {
  const reading = rateLimitOf(exchange);
  const isOfMinute = reading?.limit === perMinute && reading.remaining === 0;
  return reading?.limit === perDay || (!isOfMinute && 2 * used >= perDay);
}

/** A valid key was refused, neither by 429 nor in a ban of its own. @param by which limits may have been reached */
export function blameOtherRefusal(
  label: string,
  exchange: Exchange,
  by: { readonly minute: boolean; readonly day: boolean },
  { banned, wait }: Pick<Suspects, 'banned' | 'wait'>,
): Accusation {
  const { status } = exchange.response;
  if (banned !== null) {
    return {
      id: 'keys-independent-in-ban',
      message: `${label}, which had been served before, was answered ${status} while ${banned} was banned.`,
      proof: [exchange],
    };
  }
  const isLong = wait !== undefined && wait > LONGEST_MINUTE_WAIT_SECONDS;
  const isBan = !by.day && (!by.minute || isLong);
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

/** A key was refused until the same moment as by its first refusal, when neither limit could refuse it any more. */
export function blameBlock(label: string, first: Exchange, exchange: Exchange): Accusation {
  const seconds = Math.floor((exchange.sentAt - first.receivedAt) / 1000);
  return {
    id: 'ban-only-after-continued',
    message: `${label} was answered 429 once, and again ${seconds} s later, with the same end and neither limit near: it was banned without a continued request.`,
    proof: [first, exchange],
  };
}

/** A client waited for what it was told, and was refused again. If it had gone on before, that is a ban as well. */
export function blameWait(
  label: string,
  exchange: Exchange,
  { refusal, wasBanned }: Broken,
  hadContinued: boolean,
): readonly Accusation[] {
  const { status } = exchange.response;
  const said = `${label} waited for the Retry-After of its last refusal, sent one request, and was answered ${status}`;
  const proof = [refusal, exchange];
  if (status !== 429 && !hadContinued) {
    return [
      {
        id: 'ban-only-after-continued',
        message: `${said}: it is banned, though it never went on after a 429.`,
        proof,
      },
    ];
  }
  // A wait that is prolonged by who goes on is a ban only if an answer said so.
  return hadContinued && (wasBanned || status !== 429)
    ? [{ id: 'ban-ends', message: `${said}: its ban outlasts what it was told.`, proof }]
    : [{ id: 'retry-after-honoured', message: `${said}.`, proof }];
}
