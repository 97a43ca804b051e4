import { answerError, type Answer } from '../service/answer.ts';
import type { Alteration } from '../alterations/alteration.ts';
import { changeResponses, headerOf, withoutHeader } from '../alterations/response-changes.ts';
import type { ServiceParts } from '../service/service.ts';
import { withField, withoutField } from '../alterations/answer-changes.ts';
import type { Fault } from './fault.ts';
import { ban, changeDecisions, combine, refuse } from '../alterations/limiter-changes.ts';

/** Without a ban that outlasts the limit there is nothing to see. */
const NO_BAN = ['no-ban', 'ban-of-five-seconds'];
// Where a ban does not tell its length, none can be wrong.
const TOLD = [...NO_BAN, 'ban-by-401-without-retry-after'];

/**
 * Keeps keys banned beyond the end of their ban.
 * @param until Unix seconds, of when the ban was last told to end
 */
function outlast(
  id: string,
  title: string,
  until: (toldEnd: number) => number,
  excludes: readonly string[] = TOLD,
): Fault {
  return {
    id,
    title,
    breaks: 'ban-ends',
    excludes,
    alter: changeDecisions(() => {
      const ends = new WeakMap<object, number>();
      return (decision, { key, now }) => {
        if (decision.banned) {
          ends.set(key, until(now + decision.retryAfterSeconds));
          return decision;
        }
        const end = ends.get(key) ?? 0;
        return now < end ? ban(decision, Math.min(60, end - now)) : decision;
      };
    }),
  };
}

/** Answers bans 403, and tells another wait than the one that is due; both in seconds. */
function told(id: string, title: string, wait: (due: number) => number): Fault {
  return {
    id,
    title,
    breaks: 'ban-ends',
    excludes: [...TOLD, 'retry-after form'],
    alter: combine(
      { parts: () => ({ banStatus: 403 }) },
      changeDecisions(
        () => (decision) =>
          decision.banned
            ? { ...decision, retryAfterSeconds: Math.max(1, Math.floor(wait(decision.retryAfterSeconds))) }
            : decision,
      ),
    ),
  };
}

/** Changes what a banned key is answered. */
function changeBanned(change: (answer: Answer, parts: ServiceParts) => Answer): Alteration {
  return {
    answers: ({ banned }, parts) => ({
      banned: (decision, now) => change(banned(decision, now), parts),
    }),
  };
}

function bannedAnswered(status: number): Fault {
  return {
    id: `ban-answered-${status}`,
    title: `A banned key is answered ${status}`,
    breaks: 'ban-answer',
    excludes: NO_BAN,
    alter: changeBanned((answer, { representation }) =>
      answerError(
        representation,
        { code: 'key_banned', message: 'The API key is banned.', status },
        withoutField(answer, 'Content-Type').headers,
      ),
    ),
  };
}

const MARK = 'X-Fault-Mark';

/** Leaves a field away on answers to a banned key. */
function bannedWithout(id: string, name: string): Fault {
  return {
    id,
    title: `Answers to a banned key lack ${name}`,
    breaks: 'ban-answer',
    excludes: NO_BAN,
    alter: combine(
      changeBanned((answer) => withField(answer, MARK, '1')),
      changeResponses(
        () => (response) =>
          headerOf(response, MARK) === undefined ? response : [MARK, name].reduce(withoutHeader, response),
      ),
    ),
  };
}

const NEVER_ENDING = outlast('ban-never-ends', 'A ban never ends', () => Number.POSITIVE_INFINITY, NO_BAN);

export const BAN_FAULTS: readonly Fault[] = [
  NEVER_ENDING,
  outlast('ban-longer-than-told', 'A ban lasts a minute longer than its Retry-After', (end) => end + 60),
  {
    ...NEVER_ENDING,
    id: 'ban-never-ends-untold',
    title: 'A ban is answered 403 without Retry-After, and never ends',
    alter: combine(
      NEVER_ENDING.alter,
      combine(
        { parts: () => ({ banStatus: 403 }) },
        changeBanned((answer) => withoutField(answer, 'Retry-After')),
      ),
    ),
  },
  {
    id: 'ban-stays-for-updates',
    title: 'A ban ends for reads only',
    breaks: 'ban-ends',
    excludes: NO_BAN,
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
    title:
      'Each request of a banned key lengthens the ban by half a minute, of which Retry-After says nothing',
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
    id: 'minute-halved-after-a-ban',
    title: 'A key that was banned once is granted half of its minute from then on',
    breaks: 'limit-renews',
    excludes: NO_BAN,
    alter: changeDecisions(() => {
      const banned = new WeakSet<object>();
      return (decision, { key, now }) => {
        if (decision.banned) {
          banned.add(key);
        }
        const { minute } = decision;
        return banned.has(key) && decision.accepted && minute.remaining < minute.limit / 2
          ? refuse(decision, minute.resetUnixSeconds - now)
          : decision;
      };
    }),
  },
  told('ban-told-two-seconds-short', 'Retry-After of a ban is two seconds too short', (due) => due - 2),

  ...[400, 500].map(bannedAnswered),
  bannedWithout('ban-without-limit', 'X-RateLimit-Limit'),
  bannedWithout('ban-without-reset', 'X-RateLimit-Reset'),
];
