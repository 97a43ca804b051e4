import type { Alteration } from '../alterations/alteration.ts';
import { changeLimiter, grant, refuse } from '../alterations/decisions.ts';
import { keyOf, operationOf } from '../alterations/requests.ts';
import { countMinutesApart } from '../alterations/windows.ts';
import { breaking } from './fault.ts';
import type { KeyRecord } from '../service/key-store.ts';
import type { Connection, ServiceRequest } from '../service/messages.ts';
import type { RateLimiter } from '../service/rate-limiter.ts';
import type { RoutedOperation } from '../service/router.ts';
import type { ServiceParts } from '../service/service.ts';
import { setTimeout as sleep } from 'node:timers/promises';

type Verdict = 'count' | 'refuse';

/** What was found out of a request before the limiter decides on it. */
interface Preliminary {
  readonly verdict: Verdict;
  readonly milliseconds: number;
}

/**
 * Looks at a request, waits, and only then lets the limiter decide, which follows the verdict if there is one.
 * @param start called once for each server
 */
export function lookFirst(
  start: (parts: ServiceParts) => {
    readonly look: (key: KeyRecord, request: ServiceRequest) => Preliminary | undefined;
    readonly leave?: (key: KeyRecord) => void;
  },
): Alteration {
  const verdicts = new WeakMap<ServiceRequest, Verdict>();
  return {
    ...changeLimiter((limiter) => ({
      decide: (key, now, request) => decideAsTold(limiter, verdicts.get(request))(key, now, request),
    })),
    service: (service, parts) => {
      const { look, leave } = start(parts);
      return {
        ...service,
        respond: (request) => {
          const key = keyOf(parts, request);
          const preliminary = key === undefined ? undefined : look(key, request);
          if (key === undefined || preliminary === undefined) {
            return service.respond(request);
          }
          verdicts.set(request, preliminary.verdict);
          return sleep(preliminary.milliseconds).then(() => {
            leave?.(key);
            return service.respond(request);
          });
        },
      };
    },
  };
}

function decideAsTold(limiter: RateLimiter, verdict: Verdict | undefined): RateLimiter['decide'] {
  return (key, now, request) => {
    const seen = limiter.look(key, now);
    if (verdict === undefined || seen.banned || (verdict === 'count' && seen.accepted)) {
      return limiter.decide(key, now, request);
    }
    return verdict === 'refuse' ? refuse(seen, 1) : grant(seen);
  };
}

/** Checks the limit when a request comes, and counts it some milliseconds later. */
function race(milliseconds: number, operations?: readonly RoutedOperation[]): Alteration {
  return lookFirst((parts) => ({
    look: (key, request) => {
      const operation = operationOf(parts, request);
      const isRacing =
        operations === undefined || (operation !== undefined && operations.includes(operation));
      return isRacing && parts.limiter.look(key, parts.clock.now()).accepted
        ? { verdict: 'count', milliseconds }
        : undefined;
    },
  }));
}

/** How many requests of a key are under way. */
function countUnderWay() {
  const counts = new WeakMap<KeyRecord, number>();
  const of = (key: KeyRecord): number => counts.get(key) ?? 0;
  return {
    of,
    enter: (key: KeyRecord) => counts.set(key, of(key) + 1),
    leave: (key: KeyRecord) => void counts.set(key, of(key) - 1),
  };
}

const MOST_UNDER_WAY = 12;

export const LIMIT_UNDER_CONCURRENCY_FAULTS = breaking('limit-under-concurrency', {
  'race-of-check-and-count': ['A request is counted five milliseconds after its limit was checked', race(5)],
  'race-of-updates': [
    'An update is counted five milliseconds after its limit was checked',
    race(5, ['updateInventory']),
  ],
  'race-of-reads': [
    'A read is counted five milliseconds after its limit was checked',
    race(5, ['listInventory', 'getPet', 'listOrders']),
  ],
  'refused-when-many-at-once': [
    'Some of more than twelve simultaneous requests are answered 429 below the limit',
    lookFirst(({ limiter, clock }) => {
      const underWay = countUnderWay();
      return {
        look: (key) => {
          if (!limiter.look(key, clock.now()).accepted) {
            return undefined;
          }
          const verdict = underWay.of(key) >= MOST_UNDER_WAY ? 'refuse' : 'count';
          underWay.enter(key);
          return { verdict, milliseconds: 5 };
        },
        leave: underWay.leave,
      };
    }),
  ],
  'minute-per-connection': [
    'Each connection has its own per-minute limit',
    countMinutesApart(({ request }) => `${request?.connection.id}`),
  ],
  'new-connections-unlimited': [
    'The first request of a connection is never answered 429',
    changeLimiter((limiter) => {
      const used = new WeakSet<Connection>();
      return {
        decide: (key, now, request) => {
          const { connection } = request;
          const seen = limiter.look(key, now);
          const passes = !used.has(connection) && !seen.accepted && !seen.banned;
          used.add(connection);
          return passes ? grant(seen) : limiter.decide(key, now, request);
        },
      };
    }),
  ],
  'minute-per-worker': [
    'Each connection is served by one of two workers, which count separately',
    countMinutesApart(({ request }) => `${(request?.connection.id ?? 0) % 2}`),
  ],
});
