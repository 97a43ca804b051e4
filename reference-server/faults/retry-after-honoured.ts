import { changeWindow } from '../alterations/windows.ts';
import { slidingLog } from '../variants/window-algorithms.ts';
import type { Asking } from '../alterations/requests.ts';
import { MINUTE_SECONDS } from '../../contract/plans.ts';
import {
  ban,
  changeDecisions,
  changeDecisionsAfterBan,
  changeEachDecision,
  refuse,
} from '../alterations/decisions.ts';
import { type Fault, NO_LASTING_BAN, breaking } from './fault.ts';
import type { Decision } from '../service/rate-limiter.ts';
import { httpDate } from '../service/answer.ts';

const FORM = 'retry-after form';

const HOUR_SECONDS = 3_600;

/** Tells another wait at limits than the one that is due; both in seconds. */
function told(
  id: string,
  title: string,
  wait: (due: number, decision: Decision, asking: Asking) => number,
  excludes: readonly string[] = [FORM],
): Fault {
  return {
    id,
    title,
    breaks: 'retry-after-honoured',
    excludes,
    alter: changeEachDecision((decision, asking) =>
      decision.accepted || decision.banned
        ? decision
        : { ...decision, retryAfterSeconds: wait(decision.retryAfterSeconds, decision, asking) },
    ),
  };
}

/** Tells a date of another moment, at limits and in bans. */
function dated(id: string, title: string, moment: (seconds: number, now: number) => number): Fault {
  return {
    id,
    title,
    breaks: 'retry-after-honoured',
    alter: { parts: () => ({ retryAfter: (seconds, now) => httpDate(moment(seconds, now)) }) },
  };
}

/** What is remembered of a key. */
function remembering<Memory>(): {
  readonly of: (asking: Asking) => Memory | undefined;
  readonly set: (asking: Asking, memory: Memory) => void;
} {
  const memories = new WeakMap<object, Memory>();
  return {
    of: ({ key }) => memories.get(key),
    set: ({ key }, memory) => void memories.set(key, memory),
  };
}

function refuseAfterWait(applies: (asking: Asking) => boolean): Fault['alter'] {
  return changeDecisions(() => {
    const waits = remembering<number>();
    return (decision, asking) => {
      const { now } = asking;
      if (!decision.accepted) {
        waits.set(asking, now + decision.retryAfterSeconds + 20);
        return decision;
      }
      const opensAt = waits.of(asking) ?? 0;
      return now < opensAt && applies(asking) ? refuse(decision, opensAt - now) : decision;
    };
  });
}

export const RETRY_AFTER_HONOURED_FAULTS: readonly Fault[] = [
  told('retry-after-zero', 'Retry-After is 0 while the limit holds', () => 0),
  told('retry-after-second-short', 'Retry-After is a second too short', (due) => due - 1),
  told(
    'retry-after-second-short-near-the-end',
    'Retry-After is a second too short if fewer than six seconds are left',
    (due) => (due > 1 && due < 6 ? due - 1 : due),
  ),
  told('retry-after-in-minutes', 'Retry-After is in minutes', (due) => Math.max(1, Math.floor(due / 60))),
  told(
    'retry-after-elapsed',
    'Retry-After is the elapsed part of the minute, not the remaining one',
    (due, { day }) => (day.remaining === 0 ? due : Math.max(0, 60 - due)),
  ),
  told(
    'retry-after-of-the-minute-for-the-day',
    'Retry-After names the end of the minute when the per-day limit is used up',
    (due, { day, minute }, { now }) =>
      day.remaining === 0 ? Math.max(1, Math.ceil(minute.resetUnixSeconds - now)) : due,
    [],
  ),
  told(
    'retry-after-of-the-minute-for-minute-and-day',
    'Retry-After names the end of the minute when both limits are used up at once',
    (due, { day, minute }, { now }) =>
      day.remaining === 0 && minute.remaining === 0
        ? Math.max(1, Math.ceil(minute.resetUnixSeconds - now))
        : due,
    [],
  ),
  dated(
    'retry-after-date-two-seconds-short',
    'Retry-After is a date two seconds too early',
    (seconds, now) => Math.ceil(now + seconds) - 2,
  ),
  dated(
    'retry-after-date-of-another-zone',
    'Retry-After is a date two hours in the past',
    (seconds, now) => Math.ceil(now + seconds) - 2 * HOUR_SECONDS,
  ),
  ...breaking('retry-after-honoured', {
    'ban-begins-untold': {
      title: 'The 429 with which a ban begins asks for the rest of the minute only',
      excludes: [...NO_LASTING_BAN, FORM],
      alter: changeDecisions(() => {
        const bans = remembering<number>();
        return (decision, asking) => {
          const { now } = asking;
          if (!decision.banned) {
            return decision;
          }
          const isBegun = (bans.of(asking) ?? 0) > now;
          bans.set(asking, now + decision.retryAfterSeconds);
          return isBegun ? decision : refuse(decision, Math.max(1, decision.minute.resetUnixSeconds - now));
        };
      }),
    },
    'banned-again-at-the-next-429': {
      title: 'The first 429 after a ban silently bans the key again for five minutes',
      excludes: NO_LASTING_BAN,
      alter: changeDecisionsAfterBan(() => {
        const ends = new WeakMap<object, number>();
        return (decision, { key, now }) => {
          const end = ends.get(key) ?? 0;
          if (now < end) {
            return ban(decision, end - now);
          }
          if (!decision.accepted) {
            ends.set(key, now + 300);
          }
          return decision;
        };
      }),
    },
    'retry-after-one-from-the-second-refusal': {
      title: 'From the second 429 in a row on Retry-After is 1',
      excludes: [FORM, 'ban-after-one'],
      alter: changeDecisions(() => {
        const refusals = remembering<number>();
        return (decision, asking) => {
          const before = refusals.of(asking) ?? 0;
          refusals.set(asking, decision.accepted ? 0 : before + 1);
          return !decision.accepted && !decision.banned && before > 0
            ? { ...decision, retryAfterSeconds: 1 }
            : decision;
        };
      }),
    },
    'refusals-prolong-the-wait-silently': {
      title: 'Each 429 extends the wait by five seconds without a longer Retry-After',
      excludes: [FORM],
      alter: changeDecisions(() => {
        const waits = remembering<number>();
        return (decision, asking) => {
          const { now } = asking;
          const opensAt = waits.of(asking) ?? 0;
          if (decision.accepted) {
            return now < opensAt ? refuse(decision, 1) : decision;
          }
          if (!decision.banned) {
            waits.set(asking, Math.max(opensAt, now + decision.retryAfterSeconds) + 5);
          }
          return decision;
        };
      }),
    },
    'refusals-counted-silently': {
      title: 'The minute slides and counts requests answered 429, and Retry-After does not',
      excludes: [FORM],
      alter: changeWindow('minute', () => (limit, seconds) => {
        const counted = slidingLog({ resetsWith: 'newest', countsRefused: true })(limit, seconds);
        const told = slidingLog({ resetsWith: 'newest' })(limit, seconds);
        return {
          ...counted,
          count: (now) => {
            counted.count(now);
            told.count(now);
          },
          opensAt: (now) => (counted.remaining(now) > 0 ? now : told.opensAt(now)),
        };
      }),
    },
    'wait-begins-anew-silently': {
      title: 'A second 429 silently restarts the minute',
      excludes: [FORM, 'ban-after-one'],
      alter: changeDecisions(() => {
        const waits = remembering<{ readonly refusals: number; readonly until: number }>();
        return (decision, asking) => {
          const { now } = asking;
          const { refusals, until } = waits.of(asking) ?? { refusals: 0, until: 0 };
          if (decision.accepted) {
            if (now < until) {
              return refuse(decision, Math.ceil(until - now));
            }
            waits.set(asking, { refusals: 0, until: 0 });
          } else if (!decision.banned && decision.day.remaining > 0) {
            waits.set(asking, {
              refusals: refusals + 1,
              until: refusals === 1 ? now + MINUTE_SECONDS : until,
            });
          }
          return decision;
        };
      }),
    },
    'refused-once-more-after-the-wait': {
      title: 'The first request after a wait is refused again',
      alter: changeDecisions(() => {
        const owing = remembering<boolean>();
        return (decision, asking) => {
          const owes = owing.of(asking) ?? false;
          owing.set(asking, !decision.accepted);
          return owes && decision.accepted ? refuse(decision, 1) : decision;
        };
      }),
    },
    'updates-refused-after-the-wait': {
      title: 'After a wait, updates are refused for another twenty seconds',
      excludes: ['retry-after-in-whole-minutes'],
      alter: refuseAfterWait(({ operation }) => operation === 'updateInventory'),
    },
  }),
];
