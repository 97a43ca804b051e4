import type { Alteration } from '../alterations/alteration.ts';
import {
  changeBothLimits,
  changeLimiter,
  changeShownLimits,
  forgetAfter,
  forgetMinute,
} from '../alterations/decisions.ts';
import { everyNth, keyOf, operationOf, stateOfEach } from '../alterations/requests.ts';
import { type Condition, changeResponses, changeWhere } from '../alterations/responses.ts';
import { type Fault, breaking } from './fault.ts';
import { headerOf, rewriteHeader, type ServiceRequest, type ServiceResponse } from '../service/messages.ts';
import type { KeyRecord } from '../service/key-store.ts';
import type { Decision, LimitState } from '../service/rate-limiter.ts';
import type { RoutedOperation } from '../service/router.ts';
import type { ServiceParts } from '../service/service.ts';

const isTwelfth = everyNth(12);

const isFifteenth = everyNth(15);

const lastUsed = stateOfEach((): { key?: KeyRecord | undefined } => ({}));

const lastShown = stateOfEach((): { remaining?: number } => ({}));

/** Changes X-RateLimit-Remaining of requests with a valid key, after it was chosen which window is described. */
function changeRemaining(
  change: (state: LimitState, decision: Decision, parts: ServiceParts) => number,
): Alteration {
  return {
    parts: (parts) => ({
      describe: (decision) => {
        const state = parts.describe(decision);
        return { ...state, remaining: change(state, decision, parts) };
      },
    }),
  };
}

/** Rewrites X-RateLimit-Remaining of the responses that are meant. */
function showWhere(
  isMeant: Condition,
  write: (value: string, response: ServiceResponse) => string,
): Alteration {
  return changeWhere(isMeant, (response) =>
    rewriteHeader(response, 'X-RateLimit-Remaining', (value) => write(value, response)),
  );
}

/**
 * Lets the headers show other counts than the ones that decide.
 * @param start called at start and at each reset; names the record whose counts are shown instead of the key's, and says
 * whether this request counts there
 */
function showOtherCounts(
  start: (
    parts: ServiceParts,
  ) => (key: KeyRecord, request: ServiceRequest) => { readonly shown: KeyRecord; readonly counts: boolean },
): Alteration {
  return changeLimiter((limiter, parts) => {
    const choose = start(parts);
    return {
      decide: (key, now, request) => {
        const decision = limiter.decide(key, now, request);
        const { shown, counts } = choose(key, request);
        const { minute, day } = counts ? limiter.decide(shown, now, request) : limiter.look(shown, now);
        return { ...decision, minute, day };
      },
    };
  });
}

/** Records with the limits of a key, one for each name that is asked for. */
function createTwins(): (key: KeyRecord, name: string) => KeyRecord {
  const twins = stateOfEach(() => new Map<string, KeyRecord>());
  return (key, name) => {
    const twin = twins(key).get(name) ?? { ...key };
    twins(key).set(name, twin);
    return twin;
  };
}

/** Variants under which no request for the orders is accepted. */
const NO_ORDERS = ['other-operations-404', 'orders-403'];

function uncounted(ignored: RoutedOperation): Alteration {
  return showOtherCounts((parts) => {
    const twinOf = createTwins();
    return (key, request) => ({
      shown: twinOf(key, 'shown'),
      counts: operationOf(parts, request) !== ignored,
    });
  });
}

export const REMAINING_FAULTS: readonly Fault[] = [
  ...breaking('remaining-counts-operations', {
    'remaining-ignores-updates': [
      'X-RateLimit-Remaining does not fall for updates',
      uncounted('updateInventory'),
    ],
    'remaining-ignores-orders': [
      'X-RateLimit-Remaining does not fall for GET /store/orders',
      uncounted('listOrders'),
      { excludes: NO_ORDERS },
    ],
    'remaining-of-operation': [
      'X-RateLimit-Remaining is counted separately for each operation',
      showOtherCounts((parts) => {
        const twinOf = createTwins();
        return (key, request) => ({ shown: twinOf(key, operationOf(parts, request) ?? ''), counts: true });
      }),
    ],
    'remaining-constant-on-orders': [
      'X-RateLimit-Remaining is always 42 on GET /store/orders',
      showWhere(
        ({ status }, request, parts) => operationOf(parts, request) === 'listOrders' && status < 300,
        () => '42',
      ),
      { excludes: NO_ORDERS },
    ],
  }),
  ...breaking('remaining-falls', {
    'remaining-never-falls': [
      'X-RateLimit-Remaining is always the limit',
      changeRemaining(({ limit }) => limit),
    ],
    'remaining-before-request': [
      'X-RateLimit-Remaining does not count the request itself',
      changeRemaining(({ remaining }, { accepted }) => (accepted ? remaining + 1 : remaining)),
    ],
    'remaining-one-too-few': [
      'X-RateLimit-Remaining is one too small',
      changeRemaining(({ remaining }) => Math.max(0, remaining - 1)),
    ],
    'remaining-rounded-down': [
      'X-RateLimit-Remaining is rounded down to tens',
      changeRemaining(({ remaining }) => remaining - (remaining % 10)),
    ],
    'remaining-falls-by-two': [
      'X-RateLimit-Remaining falls by two for each request',
      changeRemaining(({ limit, remaining }) => Math.max(0, 2 * remaining - limit)),
    ],
    'remaining-one-on-429': [
      'X-RateLimit-Remaining is 1 on a 429',
      changeRemaining(({ remaining }, { accepted }) => (accepted ? remaining : 1)),
    ],
    'remaining-ends-at-one': [
      'X-RateLimit-Remaining is 1 when nothing remains',
      changeRemaining(({ remaining }, { accepted }) => (accepted ? Math.max(1, remaining) : remaining)),
    ],
    'remaining-full-on-400': [
      'X-RateLimit-Remaining of a 400 is the whole limit',
      showWhere(
        ({ status }) => status === 400,
        (value, response) => headerOf(response, 'X-RateLimit-Limit') ?? value,
      ),
    ],
    'remaining-zero-in-errors': [
      'X-RateLimit-Remaining is 0 in answers to bad updates and unknown pets',
      showWhere(
        ({ status }) => status === 400 || status === 404,
        () => '0',
      ),
    ],
    'remaining-jumps-back': [
      'One response in twelve has an X-RateLimit-Remaining that is larger by five',
      changeRemaining(({ limit, remaining }, _decision, parts) =>
        isTwelfth(parts) ? Math.min(limit, remaining + 5) : remaining,
      ),
    ],
    'remaining-cached-for-a-second': [
      'X-RateLimit-Remaining is updated only once a second',
      changeShownLimits(({ clock }) => {
        const cache = new WeakMap<KeyRecord, { readonly decision: Decision; readonly until: number }>();
        return (decision, key) => {
          const now = clock.now();
          const cached = cache.get(key);
          if (cached !== undefined && now < cached.until) {
            return { ...decision, minute: cached.decision.minute, day: cached.decision.day };
          }
          cache.set(key, { decision, until: now + 1 });
          return decision;
        };
      }),
    ],
    'remaining-never-renews': [
      'X-RateLimit-Remaining keeps falling when a new minute has begun',
      changeShownLimits(() => {
        const lowest = new WeakMap<KeyRecord, number>();
        return ({ minute, ...rest }, key) => {
          const remaining = Math.min(minute.remaining, Math.max(0, (lowest.get(key) ?? Infinity) - 1));
          lowest.set(key, remaining);
          return { ...rest, minute: { ...minute, remaining } };
        };
      }),
      { excludes: ['headers-describe-the-day'] },
    ],
    'remaining-of-the-day-never-falls': [
      'X-RateLimit-Remaining of a day stays as it was at the first request of a key',
      changeShownLimits(() => {
        const first = new WeakMap<KeyRecord, number>();
        return ({ day, ...rest }, key) => {
          const remaining = first.get(key) ?? day.remaining;
          first.set(key, remaining);
          return { ...rest, day: { ...day, remaining } };
        };
      }),
      { excludes: ['headers-describe-the-minute', 'headers-describe-the-day-once-it-is-used-up'] },
    ],
    'remaining-of-request-before': [
      'X-RateLimit-Remaining is that of the previous request, whatever its key',
      changeRemaining(({ limit, remaining }, _decision, parts) => {
        const memory = lastShown(parts);
        const told = Math.min(limit, memory.remaining ?? remaining);
        memory.remaining = remaining;
        return told;
      }),
    ],
    'remaining-shared-in-plan': [
      'All keys of a plan see one X-RateLimit-Remaining',
      showOtherCounts(() => {
        const ofPlan = new Map<string, KeyRecord>();
        return (key) => {
          const { plan, limits } = key;
          const name = `${plan} ${limits.perMinute} ${limits.perDay}`;
          const twin = ofPlan.get(name) ?? { ...key };
          ofPlan.set(name, twin);
          return { shown: twin, counts: true };
        };
      }),
    ],
    'remaining-of-the-minute-in-the-day': [
      'X-RateLimit-Limit is that of the day, X-RateLimit-Remaining and X-RateLimit-Reset are those of the minute',
      { parts: () => ({ describe: ({ minute, day }) => ({ ...minute, limit: day.limit }) }) },
    ],
    'minute-forgotten-after-a-401-beside-it': [
      'A request without a valid key restores the per-minute limit of the key that was last used on its connection',
      changeResponses((response, request, parts) => {
        const used = lastUsed(request.connection);
        used.key = keyOf(parts, request) ?? used.key;
        if (response.status === 401 && used.key !== undefined) {
          forgetMinute(parts.limiter, used.key, parts.clock.now());
        }
        return response;
      }),
      { excludes: ['minute window', 'connections'] },
    ],
    'minute-forgotten-after-options': [
      'A request with OPTIONS restores the per-minute limit of its key',
      forgetAfter(({ method }) => method === 'OPTIONS'),
      { excludes: ['minute window'] },
    ],
    'minute-forgotten-after-head': [
      'A request with HEAD restores the per-minute limit of its key',
      forgetAfter(({ method }) => method === 'HEAD'),
      { excludes: ['minute window'] },
    ],
    'day-named-with-the-last-of-a-minute': [
      'The request that uses a minute up is told that nothing remains of the day',
      {
        parts: ({ describe }) => ({
          describe: (decision) => {
            const { accepted, minute, day } = decision;
            return accepted && minute.remaining === 0 ? { ...minute, limit: day.limit } : describe(decision);
          },
        }),
      },
    ],
    'remaining-of-connection': [
      'X-RateLimit-Remaining counts the requests of one connection only',
      showOtherCounts(() => {
        const twinOf = createTwins();
        return (key, { connection }) => ({ shown: twinOf(key, `${connection.id}`), counts: true });
      }),
      { excludes: ['connections'] },
    ],
  }),
  ...breaking('remaining-in-range', {
    'remaining-above-limit-without-key': [
      'X-RateLimit-Remaining is one more than the limit without a valid key',
      {
        parts: ({ describeWithoutKey }) => ({
          describeWithoutKey: (now) => {
            const state = describeWithoutKey(now);
            return { ...state, remaining: state.limit + 1 };
          },
        }),
      },
    ],
    'remaining-below-zero-in-ban': [
      'X-RateLimit-Remaining is -1 while a key is banned',
      changeRemaining(({ remaining }, { banned }) => (banned ? -1 : remaining)),
      { excludes: ['no-ban'] },
    ],
    'remaining-falls-below-zero': [
      'X-RateLimit-Remaining keeps falling beyond the limit',
      changeShownLimits(() => {
        const refused = new WeakMap<KeyRecord, number>();
        return (decision, key) => {
          const count = decision.accepted ? 0 : (refused.get(key) ?? 0) + 1;
          refused.set(key, count);
          return changeBothLimits(decision, (state) => ({ ...state, remaining: state.remaining - count }));
        };
      }),
    ],
    'remaining-of-the-day-in-the-minute': [
      'X-RateLimit-Remaining describes the day, X-RateLimit-Limit the minute',
      { parts: () => ({ describe: ({ minute, day }) => ({ ...minute, remaining: day.remaining }) }) },
    ],
    'remaining-above-limit-once-in-fifteen': [
      'One response in fifteen has an X-RateLimit-Remaining above the limit',
      changeRemaining(({ limit, remaining }, _decision, parts) =>
        isFifteenth(parts) ? limit + remaining + 1 : remaining,
      ),
    ],
  }),
];
