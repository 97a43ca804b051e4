import type { RateLimit } from '../../../contract/rate-limit-headers.ts';
import { DAY_SECONDS, MINUTE_SECONDS } from '../../../contract/plans.ts';
import type { Exchange } from '../exchange.ts';
import type { KnownKey } from '../history.ts';
import { followBursts } from './bursts.ts';
import { followFirstDay } from './first-day.ts';
import type { ServerClock } from '../server-clock.ts';
import type { KeyTraffic } from './key-traffic.ts';
import type { SlidingKinds } from './windows/phases.ts';
import { followRefusalsBetweenGrants } from './judging/refusals-between-grants.ts';
import type { RemainingReading } from './remaining.ts';
import { followRetryAfterWaits } from './retry-after-waits.ts';
import { openWindow } from './windows/window-model.ts';

/** What may be true of one key's limits. */
export type KeyLimits = NonNullable<ReturnType<typeof openKeyLimits>>;

/** Requests that were granted in a row within a minute, and what they have in common. */
export interface GrantedInRow<Common> {
  readonly common: Common;
  /** Milliseconds of the timekeeper. */
  readonly since: number;
  readonly requests: number;
}

/** What there need not be of a key; there is nothing at first. */
interface MayBeKnown {
  /** The requests that are under way together now, or were until the last answer. */
  group: RequestGroup | null;
  /** When the last of them had ended of which one was refused. */
  refusedAt: number | null;
  /** Unix seconds that the last X-RateLimit-Reset named. */
  lastReset: number | null;
  /** How many responses all keys had with its last one. */
  answersOfAll: number | null;
  /** The connection that its first answer came on; `null` if nobody knows. */
  connection: string | null;
  /** Whether its present answer is the first on its connection, and nothing else was under way with it. */
  isOnNewConnection: boolean;
  /** The requests in a row that were granted over one connection, and those that were told of one X-RateLimit-Reset. */
  grantedInRow: GrantedInRow<string> | null;
  grantedUntilReset: GrantedInRow<number> | null;
  /** What the response before said, and how many there were until then. */
  lastDescribed: (DescribedWindow & { readonly answered: number; readonly isOfGrant: boolean }) | null;
  /** What the last of all left used, and of which window. */
  lastUsed: {
    readonly window: 'minute' | 'day';
    readonly operation: string;
    /** The same with its spelling. */
    readonly form: string;
    readonly isAmongOthers: boolean;
    readonly used: number;
    /** Whether as many had been used before. */
    readonly standsStill: boolean;
    readonly connection: string | undefined;
    readonly answered: number;
  } | null;
  sharedWindow: SharedWindow | null;
  /** Of what the answers said of a window until now, that by which the fewest may be used by now. */
  fewestTold: ToldRemaining | null;
  /** What grew by more than the requests in the present window, and may have been somebody else's use. */
  growth: RemainingGrowth | null;
}

const NOTHING_KNOWN: Readonly<MayBeKnown> = {
  group: null,
  refusedAt: null,
  lastReset: null,
  answersOfAll: null,
  connection: null,
  isOnNewConnection: false,
  grantedInRow: null,
  grantedUntilReset: null,
  lastDescribed: null,
  lastUsed: null,
  sharedWindow: null,
  fewestTold: null,
  growth: null,
};

/** When a form was refused first within a minute, and last, and until when it was to wait. */
interface RefusedForm {
  readonly first: number;
  readonly last: number;
  readonly until: number;
}

/** What X-RateLimit-Remaining of an answer said of a window. */
export interface ToldRemaining {
  readonly window: 'minute' | 'day';
  readonly reading: RemainingReading;
  readonly exchange: Exchange;
}

/** How X-RateLimit-Remaining fell with requests none of which overlapped another. */
interface EvenFalls {
  /** The last answer, and how many answers its key had with it. */
  last: {
    readonly described: DescribedWindow;
    readonly answered: number;
    readonly receivedAt: number;
  } | null;
  /** Granted requests in a row, since when, and since when those were that a window left out which ended, or `null`. */
  granted: { readonly requests: number; readonly since: number; readonly leftOutSince: number | null };
  /** Milliseconds in which nobody else sent: between answers of which the later one has one less. */
  quiet: number;
  /** By how much it fell how many times in a row with the requests of an operation, and the milliseconds since the answers before. */
  readonly byOperation: Map<string, { readonly fall: number; readonly times: number; readonly took: number }>;
}

/** The window that the last answers described, by the moment at which it resets. */
interface SharedWindow {
  readonly window: 'minute' | 'day';
  readonly reset: number;
  /** Of the first that described it. */
  readonly sentAt: number;
  readonly receivedAt: number;
  /** Requests that it granted for certain. */
  granted: number;
}

/** Two answers, of which the later one has more used than the requests between them explain. */
export interface RemainingGrowth {
  readonly before: ToldRemaining;
  readonly now: ToldRemaining;
}

/** Requests of a key that were under way together, in a chain: another was sent before the last of them was answered. */
export interface RequestGroup {
  readonly from: number;
  /** Whether a ban may have begun before it. */
  readonly mayBeBanned: boolean;
  /** By 401, 403 or 429. */
  readonly refusals: Exchange[];
}

/** What the headers of a response said of a window. */
export interface DescribedWindow extends RateLimit {
  readonly window: 'minute' | 'day';
}

/** @returns `null` if nobody knows the limits of the key */
export function openKeyLimits(
  key: KnownKey,
  traffic: KeyTraffic,
  clock: ServerClock,
  kinds: Readonly<Record<'minute' | 'day', SlidingKinds>>,
) {
  const { plan, limits, isExclusive, usedToday, issuedAt, exclusiveSince } = key;
  if (plan === null || limits === null) {
    return null;
  }
  const shared = { isExclusive, exclusiveSince, clock };
  return {
    ...key,
    ...NOTHING_KNOWN,
    plan,
    limits,
    traffic,
    minute: openWindow({
      ...shared,
      limit: limits.perMinute,
      length: MINUTE_SECONDS * 1000,
      usedBefore: usedToday === null ? null : 0,
      kinds: kinds.minute,
    }),
    day: openWindow({
      ...shared,
      limit: limits.perDay,
      length: DAY_SECONDS * 1000,
      usedBefore: usedToday,
      kinds: kinds.day,
    }),
    firstDay:
      isExclusive && usedToday !== null && issuedAt !== undefined
        ? followFirstDay(limits.perDay, usedToday, issuedAt)
        : null,
    bursts: followBursts(limits.perMinute),
    refusals: followRefusalsBetweenGrants(),
    waits: followRetryAfterWaits(clock),
    /** Whether it might have been banned once the first of those under way was sent. */
    mayBeBanned: true,
    /** When it was first granted a whole minute, or when its minute first explained a refusal. */
    usedUpSince: Infinity,
    /** When a refusal last came after exactly as many requests as a minute grants. */
    keptAt: Number.NEGATIVE_INFINITY,
    /** Whether its requests were under way together, or went over several connections. */
    hasSeveralConnections: false,
    /** How often its client went on after a 429, and whether that was often enough for a ban. */
    continued: 0,
    hasGoneOn: false,
    /** Until when it was to wait by its refusals before the present answer, or `-Infinity`. */
    toldUntil: Number.NEGATIVE_INFINITY,
    /** Whether it was told to wait so long that its day was used up, of which the oldest requests may lapse at any time. */
    hasUsedUpDay: false,
    /** When it was last let in after it had waited as told, or `-Infinity`. */
    waitedAt: Number.NEGATIVE_INFINITY,
    /** When it was last let in after a ban that it had waited for, or `-Infinity`. */
    banEndedAt: Number.NEGATIVE_INFINITY,
    /** When it was first granted a request, or `Infinity` before that. */
    firstGrantedAt: Infinity,
    /** When it was last answered otherwise than by a granted request or a 429, or `-Infinity`. */
    otherwiseAt: Number.NEGATIVE_INFINITY,
    /** When it was last granted a request, or `Infinity` before that. */
    grantedAt: Infinity,
    /** When a limit of its own first refused it since then, or `-Infinity`. */
    atLimitSince: Number.NEGATIVE_INFINITY,
    /** By what was asked for when its minute was used up. */
    refusedForms: new Map<string, RefusedForm>(),
    /** What was granted, and when last. */
    grantedForms: new Map<string, number>(),
    /** What the last granted request of each operation left used of the window that it described. */
    usedByOperation: new Map<string, number>(),
    /** Of a key that others may use. */
    evenFalls: noEvenFalls(),
    /** When the request was sent that was told to be the only one of its minute, or `-Infinity`. */
    minuteBeganAt: Number.NEGATIVE_INFINITY,
    /** Requests under way that hold it in a way that is refused, and may count on it all the same. */
    heldElsewhere: new Set<number>(),
  };
}

function noEvenFalls(): EvenFalls {
  const granted = { requests: 0, since: Infinity, leftOutSince: null };
  return { last: null, granted, quiet: 0, byOperation: new Map() };
}
