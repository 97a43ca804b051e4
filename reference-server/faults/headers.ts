import { RATE_LIMIT_HEADERS, type RateLimitHeader } from '../../contract/rate-limit-headers.ts';
import { type Alteration, combine } from '../alterations/alteration.ts';
import { everyNth, keyOf, operationOf, stateOfEach } from '../alterations/requests.ts';
import {
  type Condition,
  answerRanges,
  changeLater,
  changeResponses,
  changeWhere,
  handleRequests,
  setHeaderWhere,
} from '../alterations/responses.ts';
import { answerUpdatesLater, isNoJson } from '../alterations/updates.ts';
import { type Fault, breaking } from './fault.ts';
import {
  headerOf,
  rewriteHeader,
  withHeader,
  withoutHeader,
  type ServiceRequest,
  type ServiceResponse,
} from '../service/messages.ts';
import { httpDate } from '../service/answer.ts';
import type { Decision } from '../service/rate-limiter.ts';
import type { RoutedOperation } from '../service/router.ts';
import type { ServiceParts } from '../service/service.ts';
import { DAY_SECONDS, MINUTE_SECONDS } from '../../contract/plans.ts';
import { untoldBan } from '../alterations/answers.ts';
import { changeBothLimits, nameBanEnd, changeShownLimits } from '../alterations/decisions.ts';
import { WINDOW_SECONDS, type WindowName } from '../alterations/windows.ts';
import type { KeyRecord } from '../service/key-store.ts';

const LIMIT = 'X-RateLimit-Limit';
const REMAINING = 'X-RateLimit-Remaining';
const RESET = 'X-RateLimit-Reset';

function written(header: RateLimitHeader, write: (value: string) => string): Alteration {
  return changeResponses((response) => rewriteHeader(response, header, write));
}

function renamed(rename: (name: RateLimitHeader) => string): Alteration {
  return changeResponses((response) =>
    RATE_LIMIT_HEADERS.reduce((changed, name) => {
      const value = headerOf(changed, name);
      return value === undefined ? changed : withHeader(withoutHeader(changed, name), rename(name), value);
    }, response),
  );
}

function append(response: ServiceResponse, name: string, value: string): ServiceResponse {
  return { ...response, headers: [...response.headers, name, value] };
}

function lacks(header: RateLimitHeader, isMeant: Condition): Alteration {
  return changeWhere(isMeant, (response) => withoutHeader(response, header));
}

/** An answer that the operation itself gave. */
function on(operation: RoutedOperation, status?: number): Condition {
  return (response, request, parts) =>
    (status === undefined ? ![401, 429].includes(response.status) : response.status === status) &&
    operationOf(parts, request) === operation;
}

/** A 401 for want of a valid key. */
const withoutKey: Condition = ({ status }, request, parts) =>
  status === 401 && keyOf(parts, request) === undefined;

/** A 429 for a limit, not for a ban. */
const limited: Condition = ({ status }, request, parts) => {
  const decision = lookAgain(request, parts);
  const isBan = decision?.banned === true && parts.banStatus === 429;
  return status === 429 && !isBan;
};

const lastLimited = stateOfEach((): { isLimited?: boolean } => ({}));

/** The same, if the key was answered so the last time as well. */
const limitedAgain: Condition = (response, request, parts) => {
  const key = keyOf(parts, request);
  const last = key === undefined ? {} : lastLimited(key);
  const wasLimited = last.isLimited === true;
  last.isLimited = limited(response, request, parts);
  return wasLimited && last.isLimited;
};

/** What the limiter would decide on the key of a request. */
function lookAgain(request: ServiceRequest, parts: ServiceParts): Decision | undefined {
  const key = keyOf(parts, request);
  return key === undefined ? undefined : parts.limiter.look(key, parts.clock.now());
}

const isFifteenth = everyNth(15);

const onceInFifteen: Condition = (_response, _request, parts) => isFifteenth(parts);

function withoutHeaders(response: ServiceResponse): ServiceResponse {
  return RATE_LIMIT_HEADERS.reduce(withoutHeader, response);
}

function withoutHeadersOnMalformedJson(): Alteration {
  return handleRequests(async (request, service) => {
    let isMalformed = false;
    const response = await service.respond({
      ...request,
      readBody: async () => {
        const reading = await request.readBody();
        isMalformed = reading.state === 'complete' && isNoJson(reading.bytes);
        return reading;
      },
    });
    return isMalformed && response.status === 400 ? withoutHeaders(response) : response;
  });
}

function withoutResetUnderConcurrency(): Alteration {
  return {
    answers: answerUpdatesLater,
    service: (service) => {
      let underWay = 0;
      return {
        ...service,
        respond: (request) => {
          underWay += 1;
          const isAlone = underWay === 1;
          const finish = (response: ServiceResponse): ServiceResponse => {
            underWay -= 1;
            return isAlone ? response : withoutHeader(response, RESET);
          };
          return changeLater(service.respond(request), finish);
        },
      };
    },
  };
}

const ZONE_SECONDS = 7_200;

const BAN_SECONDS = 300;

// If a ban does not say how long it lasts, Reset may name any end.
const NO_BAN_TOLD = ['no-ban', 'ban-by-401-without-retry-after'];

/**
 * Changes X-RateLimit-Reset wherever it is told.
 * @param move of Unix seconds, the length of the window in seconds and Unix seconds now
 */
function moveReset(move: (reset: number, windowSeconds: number, now: number) => number): Alteration {
  const decisions = changeShownResets(
    (decision, now) => (name) => move(decision[name].resetUnixSeconds, WINDOW_SECONDS[name], now),
  );
  const withoutKey = resetWithoutKey((reset, now) => move(reset, MINUTE_SECONDS, now));
  return { parts: (parts) => ({ ...decisions.parts?.(parts), ...withoutKey.parts?.(parts) }) };
}

/** Shows other resets of a decision. @param change returns the Unix seconds for either window, or `undefined` for the right ones */
function changeShownResets(
  change: (decision: Decision, now: number, key: KeyRecord) => ((name: WindowName) => number) | undefined,
): Alteration {
  return changeShownLimits(({ clock }) => (decision, key) => {
    const resetOf = change(decision, clock.now(), key);
    return resetOf === undefined
      ? decision
      : changeBothLimits(decision, (state, name) => ({ ...state, resetUnixSeconds: resetOf(name) }));
  });
}

function resetWithoutKey(move: (reset: number, now: number) => number): Alteration {
  return {
    parts: ({ describeWithoutKey }) => ({
      describeWithoutKey: (now) => {
        const state = describeWithoutKey(now);
        return { ...state, resetUnixSeconds: move(state.resetUnixSeconds, now) };
      },
    }),
  };
}

/** What was shown to the last key. */
const lastTold = stateOfEach((): { reset?: string | undefined } => ({}));

/** What was shown to a key first. */
const first = new WeakMap<KeyRecord, Decision>();

/** What was shown when a ban of a key began. */
const inBan = new WeakMap<KeyRecord, Decision>();

const banEnds = new WeakMap<KeyRecord, number>();

export const HEADERS_FAULTS: readonly Fault[] = [
  ...breaking('date-header', {
    'date-of-1970': [
      'Date is the first second of 1970',
      setHeaderWhere(
        (response) => headerOf(response, 'Date') !== undefined,
        'Date',
        'Thu, 01 Jan 1970 00:00:00 GMT',
      ),
      { excludes: ['date header'] },
    ],
  }),
  ...breaking('header-limit', {
    'part-of-list-without-limit': [
      'A part of the list, which a request asked for with Range, lacks X-RateLimit-Limit',
      combine(
        answerRanges,
        lacks(LIMIT, ({ status }) => status === 206),
      ),
      { excludes: ['ranges of a list'] },
    ],
    'limit-with-policy': [
      'X-RateLimit-Limit is followed by a policy',
      written(LIMIT, (value) => `${value}, ${value};w=60`),
    ],
    'limit-missing-on-list': ['The list has no X-RateLimit-Limit', lacks(LIMIT, on('listInventory'))],
    'limit-missing-on-400': ['A 400 has no X-RateLimit-Limit', lacks(LIMIT, on('updateInventory', 400))],
    'limit-missing-on-401': ['A 401 has no X-RateLimit-Limit', lacks(LIMIT, withoutKey)],
    'limit-missing-on-429-of-the-day': [
      'A 429 of the per-day limit has no X-RateLimit-Limit',
      lacks(
        LIMIT,
        (response, request, parts) =>
          limited(response, request, parts) && lookAgain(request, parts)?.day.remaining === 0,
      ),
    ],
    'limit-missing-once-in-fifteen': [
      'One response in fifteen has no X-RateLimit-Limit',
      lacks(LIMIT, onceInFifteen),
    ],
    'limit-of-millions-as-a-float': [
      'X-RateLimit-Limit of a million or more is written with an exponent',
      written(LIMIT, (value) => (Number(value) < 1_000_000 ? value : Number(value).toExponential())),
    ],
    'limit-twice': [
      'X-RateLimit-Limit is sent twice',
      changeResponses((response) => append(response, LIMIT, headerOf(response, LIMIT) ?? '')),
    ],
    'headers-of-the-draft': [
      'The headers are named RateLimit-Limit, RateLimit-Remaining and RateLimit-Reset',
      renamed((name) => name.slice('X-'.length)),
    ],
    'headers-missing-on-malformed-json': [
      'A 400 for content that is not JSON has none of the three headers',
      withoutHeadersOnMalformedJson(),
    ],
    'headers-on-failure-only': [
      'Only a 429 has the three headers',
      changeWhere(({ status }) => status !== 429, withoutHeaders),
    ],
  }),
  ...breaking('header-remaining', {
    'remaining-empty-at-zero': [
      'X-RateLimit-Remaining is empty when nothing remains',
      written(REMAINING, (value) => (value === '0' ? '' : value)),
    ],
    'remaining-missing-on-pets': [
      'An answer to GET /pets/{petId} has no X-RateLimit-Remaining',
      lacks(REMAINING, on('getPet')),
    ],
    'remaining-missing-on-404': [
      'A 404 has no X-RateLimit-Remaining',
      lacks(REMAINING, on('updateInventory', 404)),
    ],
    'remaining-missing-once-in-fifteen': [
      'One response in fifteen has no X-RateLimit-Remaining',
      lacks(REMAINING, onceInFifteen),
    ],
    'remaining-twice-and-different': [
      'X-RateLimit-Remaining is sent twice, with different values',
      changeResponses((response) => append(response, REMAINING, '9')),
    ],
    'remaining-not-a-number-without-key': [
      'X-RateLimit-Remaining is NaN without a valid key',
      changeWhere(withoutKey, (response) => rewriteHeader(response, REMAINING, () => 'NaN')),
    ],
    'headers-on-success-only': [
      'Only successful responses have the three headers',
      changeWhere(({ status }) => status >= 400, withoutHeaders),
      { alsoBreaks: ['header-limit', 'header-reset'] },
    ],
  }),
  ...breaking('header-reset', {
    'reset-as-decimal': [
      'X-RateLimit-Reset has a decimal fraction',
      written(RESET, (value) => `${value}.250`),
    ],
    'reset-as-http-date': [
      'X-RateLimit-Reset is an HTTP-date',
      written(RESET, (value) => httpDate(Number(value))),
    ],
    'reset-missing-on-updates': [
      'The answer to an update has no X-RateLimit-Reset',
      lacks(RESET, on('updateInventory', 200)),
    ],
    'reset-missing-on-orders': [
      'An answer to GET /store/orders has no X-RateLimit-Reset',
      lacks(RESET, on('listOrders')),
    ],
    'reset-missing-on-429': ['A 429 has no X-RateLimit-Reset', lacks(RESET, limited)],
    'reset-missing-from-the-second-429-on': [
      'Each further 429 of a key that goes on has no X-RateLimit-Reset',
      lacks(RESET, limitedAgain),
    ],
    'reset-missing-once-in-fifteen': [
      'One response in fifteen has no X-RateLimit-Reset',
      lacks(RESET, onceInFifteen),
    ],
    'reset-missing-with-an-origin': [
      'A response to a request with an Origin has no X-RateLimit-Reset',
      lacks(RESET, (_response, request) => headerOf(request, 'Origin') !== undefined),
    ],
    'reset-missing-before-close': [
      'A response to a request with Connection: close has no X-RateLimit-Reset',
      lacks(RESET, (_response, request) => headerOf(request, 'Connection')?.toLowerCase() === 'close'),
    ],
    'headers-in-one-field': [
      'One field RateLimit holds all three values',
      changeResponses((response) => {
        const [limit, remaining, reset] = RATE_LIMIT_HEADERS.map((name) => headerOf(response, name));
        return append(
          withoutHeaders(response),
          'RateLimit',
          `limit=${limit}, remaining=${remaining}, reset=${reset}`,
        );
      }),
      { alsoBreaks: ['header-limit', 'header-remaining'] },
    ],
    'reset-missing-under-concurrency': [
      'A response has no X-RateLimit-Reset if its request came while another was being answered',
      withoutResetUnderConcurrency(),
    ],
  }),
  ...breaking('reset-is-near', {
    'reset-late-before-midnight': [
      'In the last minute of a day of UTC, X-RateLimit-Reset is an hour late',
      moveReset((reset, windowSeconds, now) =>
        now % DAY_SECONDS > DAY_SECONDS - MINUTE_SECONDS && windowSeconds === MINUTE_SECONDS
          ? reset + 3_600
          : reset,
      ),
    ],
    'reset-in-milliseconds': ['X-RateLimit-Reset is in milliseconds', moveReset((reset) => reset * 1_000)],
    'reset-as-delta': [
      'X-RateLimit-Reset is the number of seconds left',
      moveReset((reset, _seconds, now) => Math.max(0, Math.ceil(reset - now))),
    ],
    'reset-in-zone-ahead': [
      'X-RateLimit-Reset is in a local time two hours ahead of UTC',
      moveReset((reset) => reset + ZONE_SECONDS),
      { excludes: ['described window'] },
    ],
    'reset-at-start-of-window': [
      'X-RateLimit-Reset is the start of the window',
      moveReset((reset, seconds) => reset - seconds),
    ],
    'reset-a-window-late': [
      'X-RateLimit-Reset is the end of the next window',
      moveReset((reset, seconds) => reset + seconds),
    ],
    'reset-early': [
      'X-RateLimit-Reset is five seconds early, except on a 429',
      changeShownResets((decision) =>
        decision.accepted ? (name) => decision[name].resetUnixSeconds - 5 : undefined,
      ),
    ],
    'reset-seconds-beyond-window': [
      'X-RateLimit-Reset is always eight seconds more than a window from now',
      moveReset((_reset, seconds, now) => Math.ceil(now) + seconds + 8),
    ],
    'reset-of-first-window': [
      'X-RateLimit-Reset stays at the end of the first window of a key',
      changeShownResets((decision, _now, key) => {
        const kept = first.get(key) ?? decision;
        first.set(key, kept);
        return (name) => kept[name].resetUnixSeconds;
      }),
    ],
    'reset-of-the-day-in-the-minute': [
      'X-RateLimit-Reset describes the day, X-RateLimit-Limit the minute',
      {
        parts: () => ({
          describe: ({ minute, day }) => ({ ...minute, resetUnixSeconds: day.resetUnixSeconds }),
        }),
      },
    ],
    'reset-as-delta-without-key': [
      'X-RateLimit-Reset is 60 without a valid key',
      resetWithoutKey(() => MINUTE_SECONDS),
    ],
    'reset-of-the-last-key-without-key': [
      'X-RateLimit-Reset without a valid key is what the last key was told',
      changeResponses((response, request, parts) => {
        const last = lastTold(parts);
        if (keyOf(parts, request) !== undefined) {
          last.reset = headerOf(response, RESET);
        }
        return rewriteHeader(response, RESET, (value) => last.reset ?? value);
      }),
    ],
    'reset-past-in-ban': [
      'X-RateLimit-Reset is an hour in the past while a key is banned',
      changeShownResets(({ banned }, now) => (banned ? () => Math.floor(now) - 3_600 : undefined)),
      { excludes: ['no-ban'] },
    ],
    'reset-of-the-minute-throughout-a-ban': [
      'Until a ban of a hundred seconds ends, X-RateLimit-Reset stays at the end of the minute in which it began',
      combine(
        { options: (options) => ({ ...options, ban: { ...options.ban, seconds: 100 } }) },
        changeShownResets((decision, _now, key) => {
          const kept = inBan.get(key) ?? decision;
          if (!decision.banned) {
            inBan.delete(key);
            return undefined;
          }
          inBan.set(key, kept);
          return (name) => kept[name].resetUnixSeconds;
        }),
      ),
      { excludes: [...NO_BAN_TOLD, 'ban length', 'described window', 'reset of a ban'] },
    ],
    'reset-beyond-the-end-of-a-ban': [
      'X-RateLimit-Reset is ten minutes after the end of a ban',
      nameBanEnd((end) => end + 600),
      { excludes: [...NO_BAN_TOLD, 'described window', 'reset of a ban'] },
    ],
    'reset-of-an-untold-ban-in-two-months': [
      'A ban is answered 403 without Retry-After, and X-RateLimit-Reset is two months ahead',
      combine(
        nameBanEnd((end) => end + 60 * DAY_SECONDS),
        { parts: () => ({ banStatus: 403 }) },
        untoldBan,
      ),
      { excludes: ['no-ban', 'ban status', 'reset of a ban'] },
    ],
    'reset-of-a-ban-at-the-limit': [
      'X-RateLimit-Reset is five minutes ahead on every 429, whether the key is banned or not',
      changeShownResets(({ accepted }, now) => (accepted ? undefined : () => Math.ceil(now) + BAN_SECONDS)),
      { excludes: ['described window', 'reset of a ban'] },
    ],
    'reset-of-a-ban-kept-after-it': [
      'X-RateLimit-Reset still names the end of a ban that is over',
      changeShownResets((decision, now, key) => {
        if (decision.banned) {
          banEnds.set(key, Math.ceil(now + decision.retryAfterSeconds));
        }
        const end = banEnds.get(key);
        return end === undefined ? undefined : () => end;
      }),
      { excludes: ['no-ban', 'reset of a ban'] },
    ],
    'reset-in-milliseconds-once-in-fifteen': [
      'X-RateLimit-Reset is in milliseconds on one response in fifteen',
      changeWhere(
        (_response, request, parts) => keyOf(parts, request) !== undefined && isFifteenth(parts),
        (response) => rewriteHeader(response, RESET, (value) => `${value}000`),
      ),
    ],
  }),
];
