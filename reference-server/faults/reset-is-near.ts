import { DAY_SECONDS, MINUTE_SECONDS } from '../../contract/plans.ts';
import type { Alteration } from '../alterations/alteration.ts';
import { changeBothLimits, nameBanEnd, changeShownLimits } from '../alterations/decisions.ts';
import { everyNth, keyOf } from '../alterations/requests.ts';
import { changeResponses } from '../alterations/responses.ts';
import { WINDOW_SECONDS } from '../alterations/windows.ts';
import type { Fault } from './fault.ts';
import { headerOf, withHeader, withoutHeader } from '../service/header-fields.ts';
import type { KeyRecord } from '../service/key-store.ts';
import type { ServiceResponse } from '../service/messages.ts';
import type { Decision } from '../service/rate-limiter.ts';

const ZONE_SECONDS = 7_200;

const BAN_SECONDS = 300;

// If a ban does not say how long it lasts, Reset may name any end.
const NO_BAN_TOLD = ['no-ban', 'ban-by-401-without-retry-after'];

/**
 * Changes X-RateLimit-Reset wherever it is told.
 * @param move of Unix seconds, the length of the window in seconds and Unix seconds now
 */
function moveReset(move: (reset: number, windowSeconds: number, now: number) => number): Alteration {
  const decisions = changeShownLimits(
    ({ clock }) =>
      (decision) =>
        changeBothLimits(decision, (state, name) => ({
          ...state,
          resetUnixSeconds: move(state.resetUnixSeconds, WINDOW_SECONDS[name], clock.now()),
        })),
  );
  const withoutKey = resetWithoutKey((reset, now) => move(reset, MINUTE_SECONDS, now));
  return { parts: (parts) => ({ ...decisions.parts?.(parts), ...withoutKey.parts?.(parts) }) };
}

function resetWithoutKey(move: (reset: number, now: number) => number): Alteration {
  return {
    parts: ({ describeWithoutKey }) => ({
      describeWithoutKey: (now) => {
        const state = describeWithoutKey(now);
        return { ...state, resetUnixSeconds: move(state.resetUnixSeconds, now) };
      },
    }),
  };
}

function inMilliseconds(response: ServiceResponse): ServiceResponse {
  const reset = headerOf(response, 'X-RateLimit-Reset');
  return reset === undefined ? response : withHeader(response, 'X-RateLimit-Reset', `${reset}000`);
}

export const RESET_IS_NEAR_FAULTS: readonly Fault[] = [
  {
    id: 'reset-late-before-midnight',
    title: 'In the last minute of a day of UTC, X-RateLimit-Reset is an hour late',
    breaks: 'reset-is-near',
    alter: moveReset((reset, windowSeconds, now) =>
      now % DAY_SECONDS > DAY_SECONDS - MINUTE_SECONDS && windowSeconds === MINUTE_SECONDS
        ? reset + 3_600
        : reset,
    ),
  },
  {
    id: 'reset-in-milliseconds',
    title: 'X-RateLimit-Reset is in milliseconds',
    breaks: 'reset-is-near',
    alter: moveReset((reset) => reset * 1_000),
  },
  {
    id: 'reset-as-delta',
    title: 'X-RateLimit-Reset is the number of seconds left',
    breaks: 'reset-is-near',
    alter: moveReset((reset, _seconds, now) => Math.max(0, Math.ceil(reset - now))),
  },
  {
    id: 'reset-in-zone-ahead',
    title: 'X-RateLimit-Reset is in a local time two hours ahead of UTC',
    breaks: 'reset-is-near',
    excludes: ['described window'],
    alter: moveReset((reset) => reset + ZONE_SECONDS),
  },
  {
    id: 'reset-at-start-of-window',
    title: 'X-RateLimit-Reset is the start of the window',
    breaks: 'reset-is-near',
    alter: moveReset((reset, seconds) => reset - seconds),
  },
  {
    id: 'reset-a-window-late',
    title: 'X-RateLimit-Reset is the end of the next window',
    breaks: 'reset-is-near',
    alter: moveReset((reset, seconds) => reset + seconds),
  },
  {
    id: 'reset-seconds-beyond-window',
    title: 'X-RateLimit-Reset is always eight seconds more than a window from now',
    breaks: 'reset-is-near',
    alter: moveReset((_reset, seconds, now) => Math.ceil(now) + seconds + 8),
  },
  {
    id: 'reset-of-first-window',
    title: 'X-RateLimit-Reset stays at the end of the first window of a key',
    breaks: 'reset-is-near',
    alter: changeShownLimits(() => {
      const first = new WeakMap<KeyRecord, Decision>();
      return (decision, key) => {
        const kept = first.get(key) ?? decision;
        first.set(key, kept);
        return changeBothLimits(decision, (state, name) => ({
          ...state,
          resetUnixSeconds: kept[name].resetUnixSeconds,
        }));
      };
    }),
  },
  {
    id: 'reset-of-the-day-in-the-minute',
    title: 'X-RateLimit-Reset describes the day, X-RateLimit-Limit the minute',
    breaks: 'reset-is-near',
    alter: {
      parts: () => ({
        describe: ({ minute, day }) => ({ ...minute, resetUnixSeconds: day.resetUnixSeconds }),
      }),
    },
  },
  {
    id: 'reset-as-delta-without-key',
    title: 'X-RateLimit-Reset is 60 without a valid key',
    breaks: 'reset-is-near',
    alter: resetWithoutKey(() => MINUTE_SECONDS),
  },
  {
    id: 'reset-past-in-ban',
    title: 'X-RateLimit-Reset is an hour in the past while a key is banned',
    breaks: 'reset-is-near',
    excludes: ['no-ban'],
    alter: changeShownLimits(
      ({ clock }) =>
        (decision) =>
          decision.banned
            ? changeBothLimits(decision, (state) => ({
                ...state,
                resetUnixSeconds: Math.floor(clock.now()) - 3_600,
              }))
            : decision,
    ),
  },
  {
    id: 'reset-beyond-the-end-of-a-ban',
    title: 'X-RateLimit-Reset is ten minutes after the end of a ban',
    breaks: 'reset-is-near',
    excludes: [...NO_BAN_TOLD, 'described window', 'reset of a ban'],
    alter: { parts: nameBanEnd((end) => end + 600) },
  },
  {
    id: 'reset-of-an-untold-ban-in-two-months',
    title: 'A ban is answered 403 without Retry-After, and X-RateLimit-Reset is two months ahead',
    breaks: 'reset-is-near',
    excludes: ['no-ban', 'ban status', 'reset of a ban'],
    alter: {
      parts: (parts) => ({ ...nameBanEnd((end) => end + 60 * DAY_SECONDS)(parts), banStatus: 403 }),
      answers: ({ banned }) => ({
        banned: (decision, now) => withoutHeader(banned(decision, now), 'Retry-After'),
      }),
    },
  },
  {
    id: 'reset-of-a-ban-at-the-limit',
    title: 'X-RateLimit-Reset is five minutes ahead on every 429, whether the key is banned or not',
    breaks: 'reset-is-near',
    excludes: ['described window', 'reset of a ban'],
    alter: changeShownLimits(
      ({ clock }) =>
        (decision) =>
          decision.accepted
            ? decision
            : changeBothLimits(decision, (state) => ({
                ...state,
                resetUnixSeconds: Math.ceil(clock.now()) + BAN_SECONDS,
              })),
    ),
  },
  {
    id: 'reset-of-a-ban-kept-after-it',
    title: 'X-RateLimit-Reset still names the end of a ban that is over',
    breaks: 'reset-is-near',
    excludes: ['no-ban', 'reset of a ban'],
    alter: changeShownLimits(({ clock }) => {
      const ends = new WeakMap<KeyRecord, number>();
      return (decision, key) => {
        if (decision.banned) {
          ends.set(key, Math.ceil(clock.now() + decision.retryAfterSeconds));
        }
        const end = ends.get(key);
        return end === undefined
          ? decision
          : changeBothLimits(decision, (state) => ({ ...state, resetUnixSeconds: end }));
      };
    }),
  },
  {
    id: 'reset-in-milliseconds-once-in-fifteen',
    title: 'X-RateLimit-Reset is in milliseconds on one response in fifteen',
    breaks: 'reset-is-near',
    alter: changeResponses((parts) => {
      const isNext = everyNth(15);
      return (response, request) =>
        keyOf(parts, request) !== undefined && isNext() ? inMilliseconds(response) : response;
    }),
  },
];
