import { type Alteration, combine } from '../alterations/alteration.ts';
import { ban, changeDecisions } from '../alterations/decisions.ts';
import { changeResponses } from '../alterations/responses.ts';
import { type Fault, NO_LASTING_BAN } from './fault.ts';
import { banAddress } from './independence.ts';
import { answerWithStatus } from './refusal-is-429.ts';
import { type Answer, answerError } from '../service/answer.ts';
import { headerOf, withHeader, withoutHeader } from '../service/header-fields.ts';
import type { ServiceParts } from '../service/service.ts';

// If a ban does not say how long it lasts, no length can be wrong.
const TOLD = [...NO_LASTING_BAN, 'ban-by-401-without-retry-after'];

/**
 * Keeps keys banned beyond the end of their ban.
 * @param until when the ban ends, if it was last announced to end at `announced`, both in Unix seconds, and it is the
 *   key's ban of that number, from 1
 */
function outlastBan(until: (announced: number, number: number) => number): Alteration {
  return changeDecisions(() => {
    const bans = new WeakMap<object, { readonly number: number; readonly end: number }>();
    return (decision, { key, now }) => {
      const { number, end } = bans.get(key) ?? { number: 0, end: 0 };
      if (decision.banned) {
        const own = now < end ? number : number + 1;
        bans.set(key, { number: own, end: until(now + decision.retryAfterSeconds, own) });
        return decision;
      }
      return now < end ? ban(decision, Math.min(60, end - now)) : decision;
    };
  });
}

/** Changes what a banned key is answered. */
function changeBanned(change: (answer: Answer, parts: ServiceParts) => Answer): Alteration {
  return {
    answers: ({ banned }, parts) => ({
      banned: (decision, now) => change(banned(decision, now), parts),
    }),
  };
}

/** Answers a banned key with this status, and an Error object. */
function answerBanned(status: number): Alteration {
  return changeBanned((answer, { representation }) =>
    answerError(
      representation,
      { code: 'key_banned', message: 'The API key is banned.', status },
      withoutHeader(answer, 'Content-Type').headers,
    ),
  );
}

function banAnswered(id: string, status: number): Fault {
  return {
    id,
    title: `A banned key is answered ${status}`,
    breaks: 'ban-answer',
    excludes: NO_LASTING_BAN,
    alter: answerBanned(status),
  };
}

const MARK = 'X-Fault-Mark';

/** Leaves a field away on answers to a banned key. */
function bannedWithout(id: string, name: string): Fault {
  return {
    id,
    title: `Answers to a banned key lack ${name}`,
    breaks: 'ban-answer',
    excludes: NO_LASTING_BAN,
    alter: combine(
      changeBanned((answer) => withHeader(answer, MARK, '1')),
      changeResponses(
        () => (response) =>
          headerOf(response, MARK) === undefined ? response : [MARK, name].reduce(withoutHeader, response),
      ),
    ),
  };
}

export const BAN_FAULTS: readonly Fault[] = [
  {
    id: 'second-ban-longer-than-told',
    title: 'The second ban of a key lasts an hour longer than its Retry-After',
    breaks: 'ban-ends',
    excludes: TOLD,
    alter: outlastBan((announced, number) => announced + (number > 1 ? 3_600 : 0)),
  },
  {
    id: 'third-ban-never-ends',
    title: 'The third ban of a key never ends, whatever its Retry-After says',
    breaks: 'ban-ends',
    excludes: TOLD,
    alter: outlastBan((announced, number) => (number > 2 ? Number.POSITIVE_INFINITY : announced)),
  },
  {
    id: 'ban-never-ends',
    title: 'A ban never ends',
    breaks: 'ban-ends',
    excludes: NO_LASTING_BAN,
    alter: outlastBan(() => Number.POSITIVE_INFINITY),
  },
  {
    id: 'ban-longer-than-told',
    title: 'A ban lasts a minute longer than its Retry-After',
    breaks: 'ban-ends',
    excludes: TOLD,
    alter: outlastBan((announced) => announced + 60),
  },
  {
    id: 'ban-never-ends-untold',
    title: 'A ban is answered 403 without Retry-After, and never ends',
    breaks: 'ban-ends',
    excludes: NO_LASTING_BAN,
    alter: combine(
      outlastBan(() => Number.POSITIVE_INFINITY),
      { parts: () => ({ banStatus: 403 }) },
      changeBanned((answer) => withoutHeader(answer, 'Retry-After')),
    ),
  },
  {
    id: 'ban-stays-for-updates',
    title: 'A ban ends for reads only',
    breaks: 'ban-ends',
    excludes: NO_LASTING_BAN,
    alter: changeDecisions(() => {
      const banned = new WeakSet<object>();
      return (decision, { key, operation }) => {
        if (decision.banned) {
          banned.add(key);
        }
        return banned.has(key) && operation === 'updateInventory' && !decision.banned
          ? ban(decision, 60)
          : decision;
      };
    }),
  },
  {
    id: 'ban-lengthened-silently',
    title: 'Each request of a banned key extends the ban by half a minute without a longer Retry-After',
    breaks: 'ban-ends',
    excludes: TOLD,
    alter: changeDecisions(() => {
      const bans = new WeakMap<object, { readonly told: number; readonly end: number }>();
      return (decision, { key, now }) => {
        const last = bans.get(key) ?? { told: 0, end: 0 };
        if (!decision.banned && now >= last.end) {
          return decision;
        }
        const told = now < last.told || !decision.banned ? last.told : now + decision.retryAfterSeconds;
        bans.set(key, { told, end: Math.max(last.end, told) + 30 });
        return ban(decision, told - now);
      };
    }),
  },
  {
    id: 'ban-told-two-seconds-short',
    title: 'Retry-After of a ban is two seconds too short',
    breaks: 'ban-ends',
    excludes: [...TOLD, 'retry-after form'],
    alter: combine(
      { parts: () => ({ banStatus: 403 }) },
      changeDecisions(
        () => (decision) =>
          decision.banned
            ? { ...decision, retryAfterSeconds: Math.max(1, Math.floor(decision.retryAfterSeconds - 2)) }
            : decision,
      ),
    ),
  },
  banAnswered('ban-answered-400', 400),
  banAnswered('ban-answered-500', 500),
  {
    id: 'ban-answers-418-to-the-address',
    title: 'While a key is banned, every key that is used from its address is answered 418',
    breaks: 'ban-answer',
    alsoBreaks: ['keys-independent-in-ban'],
    excludes: [...NO_LASTING_BAN, 'ban-after-one'],
    alter: combine(banAddress, answerBanned(418)),
  },
  bannedWithout('ban-without-limit', 'X-RateLimit-Limit'),
  bannedWithout('ban-without-reset', 'X-RateLimit-Reset'),
  bannedWithout('remaining-missing-in-ban', 'X-RateLimit-Remaining'),
  {
    id: 'refusals-in-the-middle-of-a-wait-answered-500',
    title: 'A key that comes back between a quarter and three quarters of its wait is answered 500',
    breaks: 'ban-answer',
    alsoBreaks: ['refusal-is-429'],
    alter: answerWithStatus(500, () => {
      const waits = new WeakMap<object, { readonly from: number; readonly seconds: number }>();
      return ({ asking: { key, now }, decision: { retryAfterSeconds } }) => {
        const { from, seconds } = waits.get(key) ?? { from: 0, seconds: 0 };
        if (now >= from + seconds) {
          waits.set(key, { from: now, seconds: retryAfterSeconds });
          return false;
        }
        return Math.abs(now - from - seconds / 2) < seconds / 4;
      };
    }),
  },
];
