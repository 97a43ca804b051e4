import { DAY_SECONDS } from '../../contract/plans.ts';
import { type Alteration, combine } from '../alterations/alteration.ts';
import {
  ban,
  changeDecisions,
  changeDecisionsAfterBan,
  changeDecisionsByKey,
  refuse,
} from '../alterations/decisions.ts';
import { everyNth, keyOf, stateOfEach, type Asking } from '../alterations/requests.ts';
import { changeResponses } from '../alterations/responses.ts';
import { NO_LASTING_BAN, breaking } from './fault.ts';
import type { ServiceRequest } from '../service/messages.ts';
import type { Decision } from '../service/rate-limiter.ts';
import { slidingLog } from '../variants/window-algorithms.ts';

const HOUR_SECONDS = 3_600;

const FAST_REQUESTS = 40;

/** How a rule of a fault bans: with this answer already, or from the next request on. */
interface Sentence {
  readonly seconds: number;
  readonly from: 'now' | 'next';
}

/**
 * Bans keys by a further rule, and answers bans 403.
 * @param start makes what is remembered of a key that comes for the first time
 * @param judge sees every decision on a key that this rule has not banned; `server` tells one server from another
 */
function banWhere<Memory extends object>(
  start: () => Memory,
  judge: (decision: Decision, asking: Asking, memory: Memory, server: object) => Sentence | undefined,
): Alteration {
  return combine(
    { parts: () => ({ banStatus: 403 }) },
    changeDecisions(() => {
      const server = {};
      const recordOf = stateOfEach(() => ({ bannedUntil: 0, memory: start() }));
      return (decision, asking) => {
        const { key, now } = asking;
        const record = recordOf(key);
        if (now < record.bannedUntil) {
          return ban(decision, record.bannedUntil - now);
        }
        const sentence = judge(decision, asking, record.memory, server);
        if (sentence === undefined) {
          return decision;
        }
        record.bannedUntil = now + sentence.seconds;
        return sentence.from === 'now' ? ban(decision, sentence.seconds) : decision;
      };
    }),
  );
}

/** Bans keys by a rule that needs no memory. */
function banIf(judge: (decision: Decision, asking: Asking) => Sentence | undefined): Alteration {
  return banWhere(() => ({}), judge);
}

/** Bans a key at the last of so many decisions that are as meant. */
function banAtCount(most: number, sentence: Sentence, isMeant: (decision: Decision) => boolean): Alteration {
  return banWhere(
    () => ({ count: 0 }),
    (decision, _asking, seen) => {
      seen.count += Number(isMeant(decision));
      return isMeant(decision) && seen.count === most ? sentence : undefined;
    },
  );
}

/** Bans a key at the refusal of that number, counting those only that came after an accepted request. */
function banAtPatientRefusal(most: number): Alteration {
  return banWhere(
    () => ({ refusals: 0, wasAccepted: true }),
    ({ accepted }, _asking, seen) => {
      const isNew = !accepted && seen.wasAccepted;
      seen.refusals += Number(isNew);
      seen.wasAccepted = accepted;
      return isNew && seen.refusals === most ? { seconds: 300, from: 'next' } : undefined;
    },
  );
}

const isTenth = everyNth(10);

/** Bans keys by what their requests were answered. */
function banAfterAnswers(status: number, most: number): Alteration {
  const counts = new WeakMap<object, number>();
  return combine(
    banIf((_, { key }) => {
      const isGuilty = (counts.get(key) ?? 0) >= most;
      if (isGuilty) {
        counts.delete(key);
      }
      return isGuilty ? { seconds: 120, from: 'now' } : undefined;
    }),
    changeResponses((response, request, parts) => {
      const key = response.status === status ? keyOf(parts, request) : undefined;
      if (key !== undefined) {
        counts.set(key, (counts.get(key) ?? 0) + 1);
      }
      return response;
    }),
  );
}

/** A limiter that blocks a key that goes beyond its limit once, and tells for how long. */
function blockAtTheFirst429(seconds: number): Alteration {
  return changeDecisionsByKey(
    () => ({ until: 0 }),
    (decision, { now }, block) => {
      const { accepted, banned, day } = decision;
      if (now >= block.until && !accepted && !banned && day.remaining > 0) {
        block.until = now + seconds;
        return refuse(decision, seconds);
      }
      return now < block.until ? refuse(decision, block.until - now) : decision;
    },
  );
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

export const BAN_ONLY_AFTER_CONTINUED_FAULTS = breaking('ban-only-after-continued', {
  'banned-again-in-place-of-a-429': [
    'After a ban that is answered 403, the first request beyond the limit is answered 403 again, not 429',
    combine(
      { parts: () => ({ banStatus: 403 }) },
      changeDecisionsAfterBan(() => (decision) => (decision.accepted ? decision : ban(decision, 300))),
    ),
    { excludes: NO_LASTING_BAN },
  ],
  'ban-in-place-of-the-first-429': [
    'The first request beyond a limit leads to a ban of an hour, without a 429 before',
    banIf(({ accepted }) => (accepted ? undefined : { seconds: HOUR_SECONDS, from: 'now' })),
    {
      // The request beyond the limit gets the answer to a banned key.
      alsoBreaks: ['refusal-is-429'],
    },
  ],
  'ban-behind-the-first-429': [
    'The first 429 silently bans the key for an hour',
    banIf(({ accepted }) => (accepted ? undefined : { seconds: HOUR_SECONDS, from: 'next' })),
  ],
  'ban-for-reaching-the-limit': [
    'A key that uses up its minute is banned, without a 429 before',
    banIf(({ minute, accepted }) =>
      accepted && minute.remaining === 0 ? { seconds: 120, from: 'next' } : undefined,
    ),
    {
      // The request beyond the limit gets the answer to a banned key.
      alsoBreaks: ['refusal-is-429'],
    },
  ],
  'ban-at-the-second-wait': [
    'A key that has waited as told is banned at its next 429',
    banAtPatientRefusal(2),
  ],
  'ban-at-the-tenth-wait': [
    'A key that uses up its tenth minute is banned, though it waited every time',
    banAtPatientRefusal(10),
  ],
  'ban-at-the-twentieth-429': [
    'The twentieth 429 of a key bans it, however long it waited after the others',
    banAtCount(20, { seconds: HOUR_SECONDS, from: 'next' }, ({ accepted }) => !accepted),
  ],
  'ban-on-the-third-day-with-a-429': [
    'A key that was answered 429 on three days is banned for an hour',
    banWhere(
      () => ({ days: new Set<number>() }),
      ({ accepted, day }, { now }, { days }) => {
        const today = Math.floor(now / DAY_SECONDS);
        const isThird = !accepted && day.remaining > 0 && !days.has(today) && days.size === 2;
        if (!accepted) {
          days.add(today);
        }
        return isThird ? { seconds: HOUR_SECONDS, from: 'next' } : undefined;
      },
    ),
  ],
  'ban-at-the-third-day-used-up': [
    'A key that goes beyond its day for the third time is banned for three days, though it waited',
    banAtCount(
      3,
      { seconds: 3 * DAY_SECONDS, from: 'next' },
      ({ accepted, day }) => !accepted && day.remaining === 0,
    ),
  ],
  'ban-of-who-comes-before-reset': [
    'Windows slide, and a key that returns after Retry-After but before X-RateLimit-Reset is banned',
    combine(
      { options: (options) => ({ ...options, window: () => slidingLog({ resetsWith: 'newest' }) }) },
      banWhere(
        () => ({ reset: 0 }),
        ({ accepted, minute, day }, { now }, told) => {
          const isEarly = accepted && now < told.reset - 2;
          told.reset = !accepted && day.remaining > 0 ? minute.resetUnixSeconds : told.reset;
          return isEarly ? { seconds: 120, from: 'now' } : undefined;
        },
      ),
    ),
    { excludes: ['minute window'] },
  ],
  'block-at-the-first-429': [
    'The first 429 blocks the key for five minutes, as its Retry-After says',
    blockAtTheFirst429(300),
  ],
  'block-of-a-quarter-of-an-hour': [
    'The first 429 blocks the key for a quarter of an hour, as its Retry-After says',
    blockAtTheFirst429(900),
  ],
  'ban-of-who-returns': [
    'The first request after a wait bans the key',
    banWhere(
      () => ({ wasRefused: false }),
      ({ accepted }, _asking, last) => {
        const isBack = last.wasRefused && accepted;
        last.wasRefused = !accepted;
        return isBack ? { seconds: 120, from: 'now' } : undefined;
      },
    ),
  ],
  'ban-for-refusals-of-all-keys': [
    'Every tenth 429 bans the key that gets it, whichever keys got the others',
    banWhere(
      () => ({}),
      ({ accepted }, _asking, _memory, server) =>
        !accepted && isTenth(server) ? { seconds: 300, from: 'next' } : undefined,
    ),
  ],
  'ban-for-fast-requests': [
    'Forty requests within a second ban the key, though they are below its limit',
    banWhere(
      () => ({ second: 0, requests: 0 }),
      (_, { now }, last) => {
        const second = Math.floor(now);
        last.requests = last.second === second ? last.requests + 1 : 1;
        last.second = second;
        return last.requests === FAST_REQUESTS ? { seconds: 60, from: 'next' } : undefined;
      },
    ),
  ],
  'ban-for-the-used-up-day': [
    'The first request beyond the per-day limit bans the key for two days',
    banIf(({ accepted, day }) =>
      !accepted && day.remaining === 0 ? { seconds: 2 * DAY_SECONDS, from: 'next' } : undefined,
    ),
  ],
  'ban-after-a-hundred-requests': [
    'The hundredth request of a key bans it',
    banAtCount(100, { seconds: 120, from: 'next' }, () => true),
  ],
  'ban-for-bad-requests': ['Three requests answered 400 ban the key', banAfterAnswers(400, 3)],
  'ban-comes-back': [
    'After a ban the second request of the key is banned again, without another 429',
    banWhere(
      () => ({ sinceBan: Number.NEGATIVE_INFINITY }),
      ({ banned }, _asking, requests) => {
        requests.sinceBan = banned ? 0 : requests.sinceBan + 1;
        return requests.sinceBan === 2 ? { seconds: 120, from: 'now' } : undefined;
      },
    ),
    { excludes: ['no-ban', 'ban-of-five-seconds'] },
  ],
  'bad-keys-block-the-address': [
    'The tenth bad key that an address sends blocks every key there for five minutes, answered 429',
    blockAddressForBadKeys(10, 300),
  ],
});
