import { setTimeout as sleep } from 'node:timers/promises';

import { DAY_SECONDS } from '../../contract/plans.ts';
import { type Alteration, combine } from '../alterations/alteration.ts';
import {
  changeDecisions,
  changeDecisionsAfterBan,
  changeDecisionsByKey,
  changeLimiter,
  forgetAfter,
  forgetMinute,
  grant,
  refuse,
} from '../alterations/decisions.ts';
import { WINDOW_SECONDS, changeWindow, lastFor, type WindowName } from '../alterations/windows.ts';
import { keyOf } from '../alterations/requests.ts';
import { handleRequests } from '../alterations/responses.ts';
import { NO_LASTING_BAN, breaking } from './fault.ts';
import type { KeyRecord } from '../service/key-store.ts';
import { fixedWindow, type WindowAlgorithm } from '../service/window.ts';

/**
 * Windows from the first request, of another limit each.
 * @param limitOf number of the window, from 0, the limit, and what the window before had left
 */
export function windowsOf(
  name: WindowName,
  limitOf: (number: number, limit: number, left: number) => number,
): Alteration {
  return changeWindow(name, () => (limit, seconds) => {
    let number = -1;
    let granted = limitOf(0, limit, 0);
    let used = 0;
    let end = Number.NEGATIVE_INFINITY;
    const next = (): number => limitOf(number + 1, limit, Math.max(0, granted - used));
    const left = (now: number): number => (now >= end ? next() : granted - used);
    return {
      remaining: (now) => Math.min(limit, left(now)),
      count: (now) => {
        if (now >= end) {
          granted = next();
          number += 1;
          used = 0;
          end = now + seconds;
        }
        used += 1;
      },
      giveBack: () => {
        used -= 1;
      },
      opensAt: (now) => (left(now) > 0 ? now : Math.max(end, now + 1)),
      resetsAt: (now) => (now >= end ? now + seconds : end),
      countEarlier: (requests, now) => {
        used = requests;
        end = now + seconds;
      },
    };
  });
}

/** Holds up to the limit, and fills steadily, a whole limit in a window. */
const tokenBucket: WindowAlgorithm = (limit, seconds) => {
  let level = limit;
  let at = Number.NEGATIVE_INFINITY;
  const fill = (now: number): number => {
    level = at === Number.NEGATIVE_INFINITY ? level : Math.min(limit, level + ((now - at) * limit) / seconds);
    at = now;
    return level;
  };
  return {
    remaining: (now) => Math.floor(fill(now)),
    count: (now) => {
      level = fill(now) - 1;
    },
    giveBack: () => {
      level += 1;
    },
    opensAt: (now) => now + Math.max(0, ((1 - fill(now)) * seconds) / limit),
    resetsAt: (now) => now + ((limit - fill(now)) * seconds) / limit,
    countEarlier: (requests, now) => {
      level = fill(now) - requests;
    },
  };
};

/** Ends only when no request was counted for the length of a window. */
export const endsInSilence: WindowAlgorithm = (limit, seconds) =>
  fixedWindow(limit, { endOf: (now) => now + seconds, prolongedBy: 'accepted' });

function neverRenews(window: WindowName): Alteration {
  return changeDecisionsByKey(
    () => ({ isUsedUp: false }),
    (decision, _asking, limit) => {
      const isStuck = limit.isUsedUp;
      limit.isUsedUp ||= decision[window].remaining === 0;
      return isStuck && decision.accepted ? refuse(decision, WINDOW_SECONDS[window]) : decision;
    },
  );
}

const served = new WeakSet<KeyRecord>();

export const LIMIT_RENEWS_FAULTS = breaking('limit-renews', {
  'window-of-30-seconds': ['The minute ends after 30 seconds', lastFor('minute', 30)],
  // So small a difference as of the next two shows only if the end of the window is known.
  'window-of-55-seconds': [
    'The minute ends after 55 seconds',
    lastFor('minute', 55),
    { excludes: ['minute window'] },
  ],
  'window-of-59-seconds': [
    'The minute ends after 59 seconds',
    lastFor('minute', 59),
    { excludes: ['minute window'] },
  ],
  'minutes-of-a-plan-renew-together': [
    'When the minute of a key begins anew, so do those of all keys of its plan',
    changeDecisions((limiter) => {
      const ends = new Map<KeyRecord, number>();
      return (decision, { key, now }) => {
        const end = ends.get(key);
        if (decision.accepted && (end === undefined || now >= end)) {
          ends.set(key, now + WINDOW_SECONDS.minute);
          for (const other of end === undefined ? [] : ends.keys()) {
            if (other !== key && other.plan === key.plan) {
              forgetMinute(limiter, other, now);
            }
          }
        }
        return decision;
      };
    }),
    { excludes: ['minute window'] },
  ],
  'window-of-90-seconds': ['The minute ends after 90 seconds', lastFor('minute', 90)],
  'minute-forgotten-after-429': [
    'A request that is answered 429 restores the whole per-minute limit of the key',
    forgetAfter((_request, { status }) => status === 429),
    {
      // A log gives back no more than its newest request.
      excludes: ['minute window'],
      alsoBreaks: ['minute-limit-free', 'minute-limit-pro'],
    },
  ],
  'minute-forgotten-after-400': [
    'An update that is answered 400 restores the whole per-minute limit of the key',
    forgetAfter((_request, { status }) => status === 400),
    { excludes: ['minute window'] },
  ],
  'minute-forgotten-after-put-to-a-pet': [
    'A request with PUT for /inventory/{petId} restores the per-minute limit of its key',
    forgetAfter(({ method, target }) => method === 'PUT' && /\/inventory\/\d+$/.test(target)),
    { excludes: ['minute window'] },
  ],
  'minute-forgotten-at-midnight': [
    'Midnight UTC restores the whole per-minute limit of each key',
    changeLimiter((limiter) => {
      const days = new WeakMap<KeyRecord, number>();
      return {
        decide: (key, now, request) => {
          const day = Math.floor(now / WINDOW_SECONDS.day);
          if (day !== (days.get(key) ?? day)) {
            forgetMinute(limiter, key, now);
          }
          days.set(key, day);
          return limiter.decide(key, now, request);
        },
      };
    }),
    { excludes: ['minute window'] },
  ],
  'no-minute-limit-after-a-ban': [
    'A key that was banned once is no longer limited',
    changeDecisionsAfterBan(() => (decision) => (decision.accepted ? decision : grant(decision))),
    { excludes: NO_LASTING_BAN },
  ],
  'minute-forgotten-by-a-short-ban': [
    'Minutes are those of UTC, and a ban of fifteen seconds restores the per-minute limit of the key',
    combine(
      { options: (options) => ({ ...options, ban: { ...options.ban, seconds: 15 } }) },
      changeWindow(
        'minute',
        () => (limit, seconds) =>
          fixedWindow(limit, { endOf: (now) => (Math.floor(now / seconds) + 1) * seconds }),
      ),
      changeLimiter((limiter) => ({
        decide: (key, now, request) => {
          const wasBanned = limiter.look(key, now).banned;
          const decision = limiter.decide(key, now, request);
          if (wasBanned || !decision.banned) {
            return decision;
          }
          forgetMinute(limiter, key, now);
          return limiter.look(key, now);
        },
      })),
    ),
    { excludes: [...NO_LASTING_BAN, 'ban length', 'minute window'] },
  ],
  'one-more-a-minute-after-a-ban': [
    'A key that was banned once gets one extra request each minute',
    changeDecisionsAfterBan(() => {
      const owed = new WeakSet<object>();
      return (decision, { key }) => {
        if (decision.accepted) {
          owed.add(key);
          return decision;
        }
        return owed.delete(key) ? grant(decision) : decision;
      };
    }),
    { excludes: NO_LASTING_BAN },
  ],
  'minute-halved-after-a-ban': [
    'A key that was banned once gets only half of its per-minute limit from then on',
    changeDecisionsAfterBan(() => (decision, { now }) => {
      const { accepted, minute } = decision;
      return accepted && minute.remaining < minute.limit / 2
        ? refuse(decision, minute.resetUnixSeconds - now)
        : decision;
    }),
    { excludes: NO_LASTING_BAN },
  ],
  'race-as-a-minute-renews': [
    'Of requests that begin a renewed minute together only the last one counts',
    handleRequests(async (request, service, parts) => {
      const key = keyOf(parts, request);
      if (key === undefined) {
        return service.respond(request);
      }
      const { limit, remaining } = parts.limiter.look(key, parts.clock.now()).minute;
      const begins = remaining === limit && served.has(key);
      served.add(key);
      if (begins) {
        await sleep(3);
        forgetMinute(parts.limiter, key, parts.clock.now());
      }
      return service.respond(request);
    }),
    { excludes: ['minute window'] },
  ],
  'window-never-ends': ['A used-up per-minute limit never renews', neverRenews('minute')],
  'window-renews-one-fewer': [
    'Every minute except the first accepts one request too few',
    windowsOf('minute', (number, limit) => (number === 0 ? limit : limit - 1)),
  ],
  'window-renews-one-more': [
    'Every minute except the first accepts one request too many',
    windowsOf('minute', (number, limit) => (number === 0 ? limit : limit + 1)),
  ],
  'window-carries-over': [
    'Unused requests of a minute are added to the next minute',
    windowsOf('minute', (number, limit, left) => (number === 0 ? limit : limit + left)),
  ],
  'token-bucket': [
    'A token bucket of the size of the limit accepts almost twice the limit in a minute',
    changeWindow('minute', () => tokenBucket),
  ],
  'window-ends-in-silence': [
    'The minute ends only when no request was accepted for a minute',
    changeWindow('minute', () => endsInSilence),
  ],
  'day-of-a-week': ['The day ends after a week', lastFor('day', 7 * DAY_SECONDS)],
  'day-used-up-every-month': [
    'A per-day limit that was used up once is so on the same day of each month',
    changeDecisionsByKey(
      () => new Map<number, number>(),
      (decision, { now }, usedUp) => {
        const [name, day] = [new Date(now * 1000).getUTCDate(), Math.floor(now / DAY_SECONDS)];
        if (decision.day.remaining === 0 && !usedUp.has(name)) {
          usedUp.set(name, day);
        }
        const isBack = decision.accepted && (usedUp.get(name) ?? day) < day;
        return isBack ? refuse(decision, WINDOW_SECONDS.day) : decision;
      },
    ),
  ],
  'day-never-ends': ['A used-up per-day limit never renews', neverRenews('day')],
});
