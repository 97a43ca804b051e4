import { type Alteration, combine } from '../alterations/alteration.ts';
import { ban, changeDecisions, changeDecisionsAfterBan, refuse } from '../alterations/decisions.ts';
import { keyOf, type Asking } from '../alterations/requests.ts';
import { changeResponses } from '../alterations/responses.ts';
import { type Fault, NO_LASTING_BAN } from './fault.ts';
import type { ServiceRequest } from '../service/messages.ts';
import type { Decision } from '../service/rate-limiter.ts';
import { slidingLog } from '../variants/window-algorithms.ts';

const HOUR_SECONDS = 3_600;

const DAY_SECONDS = 86_400;

const FAST_REQUESTS = 40;

/** How a rule of a fault bans: with this answer already, or from the next request on. */
interface Sentence {
  readonly seconds: number;
  readonly from: 'now' | 'next';
}

/**
 * Bans keys by a further rule, and answers bans 403.
 * @param start its result sees every decision on a key that this rule has not banned
 */
function banWhere(start: () => (decision: Decision, asking: Asking) => Sentence | undefined): Alteration {
  return combine(
    { parts: () => ({ banStatus: 403 }) },
    changeDecisions(() => {
      const judge = start();
      const bannedUntil = new WeakMap<object, number>();
      return (decision, asking) => {
        const { key, now } = asking;
        const until = bannedUntil.get(key) ?? 0;
        if (now < until) {
          return ban(decision, until - now);
        }
        const sentence = judge(decision, asking);
        if (sentence === undefined) {
          return decision;
        }
        bannedUntil.set(key, now + sentence.seconds);
        return sentence.from === 'now' ? ban(decision, sentence.seconds) : decision;
      };
    }),
  );
}

function unjust(
  id: string,
  title: string,
  start: () => (decision: Decision, asking: Asking) => Sentence | undefined,
): Fault {
  return { id, title, breaks: 'ban-only-after-continued', alter: banWhere(start) };
}

/** Counts for each key. */
function counter(): (asking: Asking) => number {
  const counts = new WeakMap<object, number>();
  return ({ key }) => {
    const count = (counts.get(key) ?? 0) + 1;
    counts.set(key, count);
    return count;
  };
}

/** Counts waits that a key kept: refusals that came after an accepted request. */
function patientRefusals(): (decision: Decision, asking: Asking) => number {
  const counts = new WeakMap<object, { refusals: number; wasAccepted: boolean }>();
  return ({ accepted }, { key }) => {
    const { refusals, wasAccepted } = counts.get(key) ?? { refusals: 0, wasAccepted: true };
    const isNew = !accepted && wasAccepted;
    counts.set(key, { refusals: refusals + Number(isNew), wasAccepted: accepted });
    return isNew ? refusals + 1 : 0;
  };
}

/** Bans keys by what their requests were answered. */
function banAfterAnswers(status: number, most: number): Alteration {
  const counts = new WeakMap<object, number>();
  return combine(
    banWhere(() => (_, { key }) => {
      const isGuilty = (counts.get(key) ?? 0) >= most;
      if (isGuilty) {
        counts.delete(key);
      }
      return isGuilty ? { seconds: 120, from: 'now' } : undefined;
    }),
    changeResponses((parts) => (response, request) => {
      const key = response.status === status ? keyOf(parts, request) : undefined;
      if (key !== undefined) {
        counts.set(key, (counts.get(key) ?? 0) + 1);
      }
      return response;
    }),
  );
}

/** A limiter that blocks whoever goes beyond its limit once, and tells for how long. */
function blockAtTheFirst429(id: string, title: string, seconds: number): Fault {
  return {
    id,
    title,
    breaks: 'ban-only-after-continued',
    alter: changeDecisions(() => {
      const blockedUntil = new WeakMap<object, number>();
      return (decision, { key, now }) => {
        const until = blockedUntil.get(key) ?? 0;
        if (now >= until && !decision.accepted && !decision.banned && decision.day.remaining > 0) {
          blockedUntil.set(key, now + seconds);
          return refuse(decision, seconds);
        }
        return now < until ? refuse(decision, until - now) : decision;
      };
    }),
  };
}

/** Has every so many bad keys from one address block all keys there. */
function blockAddressForBadKeys(most: number, seconds: number): Alteration {
  return {
    parts: ({ authenticate, limiter, clock }) => {
      const seen = new WeakSet<ServiceRequest>();
      const addresses = new Map<string, { readonly bad: number; readonly until: number }>();
      return {
        authenticate: (request, keys) => {
          const key = authenticate(request, keys);
          if (key === 'invalid' && !seen.has(request)) {
            seen.add(request);
            const { remoteAddress } = request.connection;
            const { bad, until } = addresses.get(remoteAddress) ?? { bad: 0, until: 0 };
            const isLast = (bad + 1) % most === 0;
            addresses.set(remoteAddress, { bad: bad + 1, until: isLast ? clock.now() + seconds : until });
          }
          return key;
        },
        limiter: {
          ...limiter,
          decide: (key, now, request) => {
            const until = addresses.get(request.connection.remoteAddress)?.until ?? 0;
            return now < until ? ban(limiter.look(key, now), until - now) : limiter.decide(key, now, request);
          },
          reset: () => {
            addresses.clear();
            limiter.reset();
          },
        },
      };
    },
  };
}

export const BAN_ONLY_AFTER_CONTINUED_FAULTS: readonly Fault[] = [
  {
    id: 'banned-again-in-place-of-a-429',
    title:
      'After a ban that is answered 403, the first request beyond the limit is answered 403 again, not 429',
    breaks: 'ban-only-after-continued',
    excludes: NO_LASTING_BAN,
    alter: combine(
      { parts: () => ({ banStatus: 403 }) },
      changeDecisionsAfterBan(() => (decision) => (decision.accepted ? decision : ban(decision, 300))),
    ),
  },
  {
    ...unjust(
      'ban-in-place-of-the-first-429',
      'The first request beyond a limit leads to a ban of an hour, without a 429 before',
      () =>
        ({ accepted }) =>
          accepted ? undefined : { seconds: HOUR_SECONDS, from: 'now' },
    ),
    // The request beyond the limit gets the answer to a banned key.
    alsoBreaks: ['refusal-is-429'],
  },
  unjust(
    'ban-behind-the-first-429',
    'The first 429 silently bans the key for an hour',
    () =>
      ({ accepted }) =>
        accepted ? undefined : { seconds: HOUR_SECONDS, from: 'next' },
  ),
  {
    ...unjust(
      'ban-for-reaching-the-limit',
      'A key that uses up its minute is banned, without a 429 before',
      () =>
        ({ minute, accepted }) =>
          accepted && minute.remaining === 0 ? { seconds: 120, from: 'next' } : undefined,
    ),
    // The request beyond the limit gets the answer to a banned key.
    alsoBreaks: ['refusal-is-429'],
  },
  unjust('ban-at-the-second-wait', 'A key that has waited as told is banned at its next 429', () => {
    const refusals = patientRefusals();
    return (decision, asking) =>
      refusals(decision, asking) === 2 ? { seconds: 300, from: 'next' } : undefined;
  }),
  unjust(
    'ban-at-the-tenth-wait',
    'A key that uses up its tenth minute is banned, though it waited every time',
    () => {
      const refusals = patientRefusals();
      return (decision, asking) =>
        refusals(decision, asking) === 10 ? { seconds: 300, from: 'next' } : undefined;
    },
  ),
  unjust(
    'ban-at-the-twentieth-429',
    'The twentieth 429 of a key bans it, however long it waited after the others',
    () => {
      const counts = new WeakMap<object, number>();
      return ({ accepted }, { key }) => {
        const count = (counts.get(key) ?? 0) + Number(!accepted);
        counts.set(key, count);
        return !accepted && count === 20 ? { seconds: HOUR_SECONDS, from: 'next' } : undefined;
      };
    },
  ),
  unjust(
    'ban-on-the-third-day-with-a-429',
    'A key that was answered 429 on three days is banned for an hour',
    () => {
      const days = new WeakMap<object, Set<number>>();
      return ({ accepted, day }, { key, now }) => {
        const seen = days.get(key) ?? new Set();
        days.set(key, seen);
        const today = Math.floor(now / DAY_SECONDS);
        const isThird = !accepted && day.remaining > 0 && !seen.has(today) && seen.size === 2;
        if (!accepted) {
          seen.add(today);
        }
        return isThird ? { seconds: HOUR_SECONDS, from: 'next' } : undefined;
      };
    },
  ),
  unjust(
    'ban-at-the-third-day-used-up',
    'A key that goes beyond its day for the third time is banned for three days, though it waited',
    () => {
      const counts = new WeakMap<object, number>();
      return ({ accepted, day }, { key }) => {
        const isBeyond = !accepted && day.remaining === 0;
        const count = (counts.get(key) ?? 0) + Number(isBeyond);
        counts.set(key, count);
        return isBeyond && count === 3 ? { seconds: 3 * DAY_SECONDS, from: 'next' } : undefined;
      };
    },
  ),
  {
    id: 'ban-of-who-comes-before-reset',
    title: 'Windows slide, and a key that returns after Retry-After but before X-RateLimit-Reset is banned',
    breaks: 'ban-only-after-continued',
    excludes: ['window algorithm'],
    alter: combine(
      { options: (options) => ({ ...options, window: slidingLog({ resetsWith: 'newest' }) }) },
      banWhere(() => {
        const resets = new WeakMap<object, number>();
        return ({ accepted, minute, day }, { key, now }) => {
          const reset = resets.get(key) ?? 0;
          if (!accepted && day.remaining > 0) {
            resets.set(key, minute.resetUnixSeconds);
          }
          return accepted && now < reset - 2 ? { seconds: 120, from: 'now' } : undefined;
        };
      }),
    ),
  },
  blockAtTheFirst429(
    'block-at-the-first-429',
    'The first 429 blocks the key for five minutes, as its Retry-After says',
    300,
  ),
  blockAtTheFirst429(
    'block-of-a-quarter-of-an-hour',
    'The first 429 blocks the key for a quarter of an hour, as its Retry-After says',
    900,
  ),
  unjust('ban-of-who-returns', 'The first request after a wait bans the key', () => {
    const owing = new WeakSet<object>();
    return ({ accepted }, { key }) => {
      const owes = owing.delete(key);
      if (!accepted) {
        owing.add(key);
      }
      return owes && accepted ? { seconds: 120, from: 'now' } : undefined;
    };
  }),
  unjust(
    'ban-for-refusals-of-all-keys',
    'Every tenth 429 bans the key that gets it, whichever keys got the others',
    () => {
      let refusals = 0;
      return ({ accepted }) => {
        refusals += Number(!accepted);
        return !accepted && refusals % 10 === 0 ? { seconds: 300, from: 'next' } : undefined;
      };
    },
  ),
  unjust(
    'ban-for-fast-requests',
    'Forty requests within a second ban the key, though they are below its limit',
    () => {
      const seconds = new WeakMap<object, { second: number; requests: number }>();
      return (_, { key, now }) => {
        const second = Math.floor(now);
        const last = seconds.get(key);
        const requests = last?.second === second ? last.requests + 1 : 1;
        seconds.set(key, { second, requests });
        return requests === FAST_REQUESTS ? { seconds: 60, from: 'next' } : undefined;
      };
    },
  ),
  unjust(
    'ban-for-the-used-up-day',
    'The first request beyond the per-day limit bans the key for two days',
    () =>
      ({ accepted, day }) =>
        !accepted && day.remaining === 0 ? { seconds: 2 * DAY_SECONDS, from: 'next' } : undefined,
  ),
  unjust('ban-after-a-hundred-requests', 'The hundredth request of a key bans it', () => {
    const count = counter();
    return (_, asking) => (count(asking) === 100 ? { seconds: 120, from: 'next' } : undefined);
  }),
  {
    id: 'ban-for-bad-requests',
    title: 'Three requests answered 400 ban the key',
    breaks: 'ban-only-after-continued',
    alter: banAfterAnswers(400, 3),
  },
  {
    id: 'ban-comes-back',
    title: 'After a ban the second request of the key is banned again, without another 429',
    breaks: 'ban-only-after-continued',
    excludes: ['no-ban', 'ban-of-five-seconds'],
    alter: banWhere(() => {
      const requests = new WeakMap<object, number>();
      return (decision, { key }) => {
        const count = decision.banned ? 0 : (requests.get(key) ?? Number.NEGATIVE_INFINITY) + 1;
        requests.set(key, count);
        return count === 2 ? { seconds: 120, from: 'now' } : undefined;
      };
    }),
  },
  {
    id: 'bad-keys-block-the-address',
    title: 'The tenth bad key that an address sends blocks every key there for five minutes, answered 429',
    breaks: 'ban-only-after-continued',
    alter: blockAddressForBadKeys(10, 300),
  },
];
