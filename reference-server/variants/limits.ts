import { MINUTE_SECONDS } from '../../contract/plans.ts';
import { type Alteration, combine } from '../alterations/alteration.ts';
import { keyOf, operationOf } from '../alterations/requests.ts';
import { changeLater, changeResponses } from '../alterations/responses.ts';
import { changeWindow } from '../alterations/windows.ts';
import { type Answer, httpDate } from '../service/answer.ts';
import { headerOf, withHeader, type ServiceResponse } from '../service/messages.ts';
import type { KeyRecord } from '../service/key-store.ts';
import type { ServiceParts } from '../service/service.ts';
import { permitting } from './variant.ts';
import {
  alignedWindow,
  phaseByKey,
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

// Five hours after midnight UTC, and 17.3 s after the minute.
const EASTERN_MIDNIGHT_SECONDS = 18_000;

const ODD_PHASE_SECONDS = 17.3;

function writing(retryAfter: RetryAfterWriter): Alteration {
  return { parts: () => ({ retryAfter }) };
}

export const LIMITS_VARIANTS = permitting({
  'minute window': {
    'aligned-minute': ['The minute begins at whole minutes', changeWindow('minute', () => alignedWindow(0))],
    'aligned-minute-with-odd-phase': [
      'The minute begins 17.3 seconds after whole minutes',
      changeWindow('minute', () => alignedWindow(ODD_PHASE_SECONDS)),
    ],
    'aligned-minute-by-key': [
      'Minutes follow one another without gaps, at different moments for each key',
      changeWindow('minute', () => phaseByKey(alignedWindow)),
    ],
    'window-renewed-by-refused': [
      'The minute begins anew with each request answered 429',
      changeWindow('minute', () => windowRenewedByRefused),
    ],
    'sliding-log': [
      'Any sixty seconds accept at most the limit',
      changeWindow('minute', () => slidingLog({ resetsWith: 'newest' })),
    ],
    'sliding-log-that-resets-with-its-oldest': [
      'The minute is a sliding log, and X-RateLimit-Reset names when its oldest request leaves',
      changeWindow('minute', () => slidingLog({ resetsWith: 'oldest' })),
    ],
    'sliding-log-that-counts-refused': [
      'The minute is a sliding log that also counts requests answered 429',
      changeWindow('minute', () => slidingLog({ resetsWith: 'newest', countsRefused: true })),
    ],
    'sliding-counter': [
      'The minute is a sliding counter, which weighs the previous minute',
      changeWindow('minute', () => slidingCounter(0)),
    ],
    'sliding-counter-by-key': [
      'The minute is a sliding counter, whose minutes end at different moments for each key',
      changeWindow('minute', () => phaseByKey(slidingCounter)),
    ],
    'sliding-segments': [
      'The requests of a quarter of a minute are forgotten all at once, a minute after that quarter began',
      changeWindow('minute', () => slidingSegments(4)),
    ],
  },
  'day window': {
    'aligned-day': ['The day begins at midnight UTC', changeWindow('day', () => alignedWindow(0))],
    'aligned-day-with-odd-phase': [
      'The day begins at midnight in another time zone',
      changeWindow('day', () => alignedWindow(EASTERN_MIDNIGHT_SECONDS)),
    ],
    'aligned-day-by-key': [
      'Days follow one another without gaps, at different moments for each key',
      changeWindow('day', () => phaseByKey(alignedWindow)),
    ],
    'sliding-log-of-the-day': [
      'Any 24 hours accept at most the limit',
      changeWindow('day', () => slidingLog({ resetsWith: 'newest' })),
    ],
    'sliding-log-of-the-day-that-resets-with-its-oldest': [
      'The day is a sliding log, and X-RateLimit-Reset names when its oldest request leaves',
      changeWindow('day', () => slidingLog({ resetsWith: 'oldest' })),
    ],
    'sliding-counter-of-the-day': [
      'The day is a sliding counter, which weighs the previous day',
      changeWindow('day', () => slidingCounter(0)),
    ],
    'sliding-segments-of-the-day': [
      'The requests of six hours are forgotten all at once, a day after the first of them',
      changeWindow('day', () => slidingSegments(4)),
    ],
  },
  'refused requests': {
    'refused-count-into-the-day': [
      'Requests answered 429 count against the per-day limit',
      changeWindow('day', (algorithm) => (limit, seconds) => {
        const window = algorithm(limit, seconds);
        return { ...window, countRefused: window.count };
      }),
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
