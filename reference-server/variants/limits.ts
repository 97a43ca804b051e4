import { DAY_SECONDS, MINUTE_SECONDS } from '../../contract/plans.ts';
import { type Alteration, combine } from '../alterations/alteration.ts';
import { keyOf, operationOf } from '../alterations/requests.ts';
import { changeLater, changeResponses } from '../alterations/responses.ts';
import { type Answer, httpDate } from '../service/answer.ts';
import { headerOf, withHeader, type ServiceResponse } from '../service/messages.ts';
import type { KeyRecord } from '../service/key-store.ts';
import type { ServiceParts } from '../service/service.ts';
import { type WindowAlgorithm, windowFromFirstRequest } from '../service/window.ts';
import { permitting } from './variant.ts';
import {
  alignedWindow,
  phaseByKey,
  minuteAndDay,
  slidingCounter,
  slidingLog,
  slidingSegments,
  windowRenewedByRefused,
} from './window-algorithms.ts';
import type { RetryAfterWriter } from '../service/refusals.ts';

/** What remains now of the window that the response describes. */
function refresh(response: ServiceResponse, { describe, limiter, clock }: ServiceParts, key: KeyRecord) {
  const decision = limiter.look(key, clock.now());
  const shown = headerOf(response, 'X-RateLimit-Limit');
  const state = [describe(decision), decision.minute, decision.day].find(({ limit }) => `${limit}` === shown);
  return state === undefined || headerOf(response, 'X-RateLimit-Remaining') === undefined
    ? response
    : withHeader(response, 'X-RateLimit-Remaining', `${state.remaining}`);
}

const UNCOUNTED_STATUSES = new Set([400, 404, 411, 413, 415, 422]);

/** Updates that are refused for their content are taken back, and X-RateLimit-Remaining tells so. */
const takeRefusedUpdatesBack = combine(
  {
    answers: ({ updateInventory }, parts) => ({
      updateInventory: (request, petId) =>
        changeLater(updateInventory(request, petId), (answer: Answer) => {
          const key = UNCOUNTED_STATUSES.has(answer.status) ? keyOf(parts, request) : undefined;
          if (key !== undefined) {
            parts.limiter.giveBack(key);
          }
          return answer;
        }),
    }),
  },
  changeResponses((response, request, parts) => {
    const isRefused =
      UNCOUNTED_STATUSES.has(response.status) && operationOf(parts, request) === 'updateInventory';
    const key = isRefused ? keyOf(parts, request) : undefined;
    return key === undefined ? response : refresh(response, parts, key);
  }),
);

/** Requests that are refused count into windows of a day, too. */
function countingRefusedIntoDay(algorithm: WindowAlgorithm): WindowAlgorithm {
  return (limit, seconds) => {
    const window = algorithm(limit, seconds);
    return seconds === DAY_SECONDS ? { ...window, countRefused: window.count } : window;
  };
}

const aligned = alignedWindow(0);

const log = slidingLog({ resetsWith: 'newest' });

// Five hours after midnight UTC, and 17.3 s after the minute.
const EASTERN_MIDNIGHT_SECONDS = 18_000;

const ODD_PHASE_SECONDS = 17.3;

function windows(window: WindowAlgorithm): Alteration {
  return windowsFrom(() => window);
}

/** @param window called at start and at each reset */
function windowsFrom(window: () => WindowAlgorithm): Alteration {
  return { options: (options) => ({ ...options, window }) };
}

function writing(retryAfter: RetryAfterWriter): Alteration {
  return { parts: () => ({ retryAfter }) };
}

export const LIMITS_VARIANTS = permitting({
  'window algorithm': {
    'aligned-windows': ['The windows begin at whole minutes and at midnight UTC', windows(aligned)],
    'aligned-minute': [
      'The minute begins at whole minutes, the day with its first request',
      windows(minuteAndDay(aligned, windowFromFirstRequest)),
    ],
    'aligned-day': [
      'The day begins at midnight UTC, the minute with its first request',
      windows(minuteAndDay(windowFromFirstRequest, aligned)),
    ],
    'aligned-windows-with-odd-phase': [
      'The minute begins 17.3 seconds after whole minutes, the day at midnight in another time zone',
      windows(minuteAndDay(alignedWindow(ODD_PHASE_SECONDS), alignedWindow(EASTERN_MIDNIGHT_SECONDS))),
    ],
    'aligned-windows-by-key': [
      'Minutes and days follow one another without gaps, at different moments for each key',
      windowsFrom(() => phaseByKey(alignedWindow)),
    ],
    'window-renewed-by-refused': [
      'The minute begins anew with each request answered 429',
      windows(minuteAndDay(windowRenewedByRefused, windowFromFirstRequest)),
    ],
    'sliding-log': ['Any sixty seconds and any 24 hours accept at most the limit', windows(log)],
    'sliding-log-that-resets-with-its-oldest': [
      'The windows are sliding logs, and X-RateLimit-Reset names when the oldest request leaves',
      windows(slidingLog({ resetsWith: 'oldest' })),
    ],
    'sliding-log-that-counts-refused': [
      'The minute is a sliding log that also counts requests answered 429',
      windows(
        minuteAndDay(slidingLog({ resetsWith: 'newest', countsRefused: true }), windowFromFirstRequest),
      ),
    ],
    'sliding-log-of-the-minute': [
      'The minute is a sliding log, the day begins at midnight UTC',
      windows(minuteAndDay(log, aligned)),
    ],
    'sliding-log-of-the-day': [
      'The day is a sliding log, the minute begins with its first request',
      windows(minuteAndDay(windowFromFirstRequest, log)),
    ],
    'sliding-counter': [
      'The windows are sliding counters, which weigh the previous window',
      windows(slidingCounter(0)),
    ],
    'sliding-counter-by-key': [
      'The windows are sliding counters, whose windows end at different moments for each key',
      windowsFrom(() => phaseByKey(slidingCounter)),
    ],
    'sliding-segments': [
      'What is counted in a quarter of a window is forgotten all at once, a window after that quarter began',
      windows(slidingSegments(4)),
    ],
    'sliding-counter-of-the-minute': [
      'The minute is a sliding counter, the day begins with its first request',
      windows(minuteAndDay(slidingCounter(0), windowFromFirstRequest)),
    ],
    'sliding-counter-of-the-day': [
      'The day is a sliding counter, the minute begins at whole minutes',
      windows(minuteAndDay(aligned, slidingCounter(0))),
    ],
  },
  'refused requests': {
    'refused-count-into-the-day': [
      'Requests answered 429 count against the per-day limit',
      {
        options: (options) => ({
          ...options,
          window: () => countingRefusedIntoDay(options.window?.() ?? windowFromFirstRequest),
        }),
      },
    ],
    'uncounted-errors': ['Updates answered 400, 404, 413, 415 or 422 do not count', takeRefusedUpdatesBack],
    'key-counted-under-any-scheme': [
      'A request with a good key under another scheme, or under none, is answered 401 and counts on that key',
      {
        parts: ({ authenticate, limiter, clock }) => ({
          authenticate: (request, keys) => {
            const key = authenticate(request, keys);
            const held = keys.find(headerOf(request, 'Authorization')?.split(' ').at(-1) ?? '');
            if (key === 'invalid' && held !== undefined) {
              limiter.decide(held, clock.now(), request);
            }
            return key;
          },
        }),
      },
    ],
  },
  'retry-after form': {
    'retry-after-as-date': [
      'Retry-After is an HTTP-date',
      writing((seconds, now) => httpDate(Math.ceil(now + seconds))),
    ],
    'retry-after-with-two-seconds-to-spare': [
      'Retry-After is two seconds longer than needed',
      writing((seconds) => `${seconds + 2}`),
    ],
    'retry-after-in-whole-minutes': [
      'Retry-After is rounded up to whole minutes',
      writing((seconds) => `${Math.ceil(seconds / MINUTE_SECONDS) * MINUTE_SECONDS}`),
    ],
    'retry-after-with-leading-zeros': [
      'Retry-After has six digits, with leading zeros',
      writing((seconds) => `${seconds}`.padStart(6, '0')),
    ],
  },
});
