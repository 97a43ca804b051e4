import { DAY_SECONDS, MINUTE_SECONDS } from '../../contract/plans.ts';
import { type Alteration, combine } from '../alterations/alteration.ts';
import { untoldBan } from '../alterations/answers.ts';
import { changeBothLimits, nameBanEnd, changeShownLimits } from '../alterations/decisions.ts';
import { everyNth, keyOf } from '../alterations/requests.ts';
import { changeResponses } from '../alterations/responses.ts';
import { WINDOW_SECONDS, type WindowName } from '../alterations/windows.ts';
import { breaking } from './fault.ts';
import { rewriteHeader } from '../service/messages.ts';
import type { KeyRecord } from '../service/key-store.ts';
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
  const decisions = changeShownResets(
    (decision, now) => (name) => move(decision[name].resetUnixSeconds, WINDOW_SECONDS[name], now),
  );
  const withoutKey = resetWithoutKey((reset, now) => move(reset, MINUTE_SECONDS, now));
  return { parts: (parts) => ({ ...decisions.parts?.(parts), ...withoutKey.parts?.(parts) }) };
}

/** Shows other resets of a decision. @param change returns the Unix seconds for either window, or `undefined` for the right ones */
function changeShownResets(
  change: (decision: Decision, now: number, key: KeyRecord) => ((name: WindowName) => number) | undefined,
): Alteration {
  return changeShownLimits(({ clock }) => (decision, key) => {
    const resetOf = change(decision, clock.now(), key);
    return resetOf === undefined
      ? decision
      : changeBothLimits(decision, (state, name) => ({ ...state, resetUnixSeconds: resetOf(name) }));
  });
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

/** What was shown to a key first. */
const first = new WeakMap<KeyRecord, Decision>();

const banEnds = new WeakMap<KeyRecord, number>();

const isFifteenth = everyNth(15);

export const RESET_IS_NEAR_FAULTS = breaking('reset-is-near', {
  'reset-late-before-midnight': {
    title: 'In the last minute of a day of UTC, X-RateLimit-Reset is an hour late',
    alter: moveReset((reset, windowSeconds, now) =>
      now % DAY_SECONDS > DAY_SECONDS - MINUTE_SECONDS && windowSeconds === MINUTE_SECONDS
        ? reset + 3_600
        : reset,
    ),
  },
  'reset-in-milliseconds': {
    title: 'X-RateLimit-Reset is in milliseconds',
    alter: moveReset((reset) => reset * 1_000),
  },
  'reset-as-delta': {
    title: 'X-RateLimit-Reset is the number of seconds left',
    alter: moveReset((reset, _seconds, now) => Math.max(0, Math.ceil(reset - now))),
  },
  'reset-in-zone-ahead': {
    title: 'X-RateLimit-Reset is in a local time two hours ahead of UTC',
    excludes: ['described window'],
    alter: moveReset((reset) => reset + ZONE_SECONDS),
  },
  'reset-at-start-of-window': {
    title: 'X-RateLimit-Reset is the start of the window',
    alter: moveReset((reset, seconds) => reset - seconds),
  },
  'reset-a-window-late': {
    title: 'X-RateLimit-Reset is the end of the next window',
    alter: moveReset((reset, seconds) => reset + seconds),
  },
  'reset-seconds-beyond-window': {
    title: 'X-RateLimit-Reset is always eight seconds more than a window from now',
    alter: moveReset((_reset, seconds, now) => Math.ceil(now) + seconds + 8),
  },
  'reset-of-first-window': {
    title: 'X-RateLimit-Reset stays at the end of the first window of a key',
    alter: changeShownResets((decision, _now, key) => {
      const kept = first.get(key) ?? decision;
      first.set(key, kept);
      return (name) => kept[name].resetUnixSeconds;
    }),
  },
  'reset-of-the-day-in-the-minute': {
    title: 'X-RateLimit-Reset describes the day, X-RateLimit-Limit the minute',
    alter: {
      parts: () => ({
        describe: ({ minute, day }) => ({ ...minute, resetUnixSeconds: day.resetUnixSeconds }),
      }),
    },
  },
  'reset-as-delta-without-key': {
    title: 'X-RateLimit-Reset is 60 without a valid key',
    alter: resetWithoutKey(() => MINUTE_SECONDS),
  },
  'reset-past-in-ban': {
    title: 'X-RateLimit-Reset is an hour in the past while a key is banned',
    excludes: ['no-ban'],
    alter: changeShownResets(({ banned }, now) => (banned ? () => Math.floor(now) - 3_600 : undefined)),
  },
  'reset-beyond-the-end-of-a-ban': {
    title: 'X-RateLimit-Reset is ten minutes after the end of a ban',
    excludes: [...NO_BAN_TOLD, 'described window', 'reset of a ban'],
    alter: nameBanEnd((end) => end + 600),
  },
  'reset-of-an-untold-ban-in-two-months': {
    title: 'A ban is answered 403 without Retry-After, and X-RateLimit-Reset is two months ahead',
    excludes: ['no-ban', 'ban status', 'reset of a ban'],
    alter: combine(
      nameBanEnd((end) => end + 60 * DAY_SECONDS),
      { parts: () => ({ banStatus: 403 }) },
      untoldBan,
    ),
  },
  'reset-of-a-ban-at-the-limit': {
    title: 'X-RateLimit-Reset is five minutes ahead on every 429, whether the key is banned or not',
    excludes: ['described window', 'reset of a ban'],
    alter: changeShownResets(({ accepted }, now) =>
      accepted ? undefined : () => Math.ceil(now) + BAN_SECONDS,
    ),
  },
  'reset-of-a-ban-kept-after-it': {
    title: 'X-RateLimit-Reset still names the end of a ban that is over',
    excludes: ['no-ban', 'reset of a ban'],
    alter: changeShownResets((decision, now, key) => {
      if (decision.banned) {
        banEnds.set(key, Math.ceil(now + decision.retryAfterSeconds));
      }
      const end = banEnds.get(key);
      return end === undefined ? undefined : () => end;
    }),
  },
  'reset-in-milliseconds-once-in-fifteen': {
    title: 'X-RateLimit-Reset is in milliseconds on one response in fifteen',
    alter: changeResponses((response, request, parts) =>
      keyOf(parts, request) !== undefined && isFifteenth(parts)
        ? rewriteHeader(response, 'X-RateLimit-Reset', (value) => `${value}000`)
        : response,
    ),
  },
});
