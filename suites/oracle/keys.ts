import { countText } from '../../contract/words/enumeration.ts';
import { MINUTE_SECONDS, PLAN_LIMITS, type Plan, type PlanLimits } from '../../contract/plans.ts';
import type { RateLimit } from '../../contract/rate-limit-headers.ts';

/** A key that the target knows, and what the suite knows of its use. */
export interface Key {
  readonly label: string;
  readonly secret: string;
  readonly plan: Plan;
  /** `null` if an enterprise key came without its limits. */
  readonly limits: PlanLimits | null;
  /** Issued for one check, so that nobody else ever used it. */
  readonly issued: boolean;
  /** Requests that counted as made today when it was issued. */
  readonly usedToday: number;
  /** Whether no limit of it may be used up, and nothing may follow a 429 too early: so in profiles safe and standard. */
  readonly isSpared?: boolean;
  readonly usage: KeyUsage;
}

/** Moments are milliseconds of the timekeeper. */
export interface KeyUsage {
  /** When each request left. */
  readonly sentAt: number[];
  /** What the last response said. */
  last: { readonly rateLimit: RateLimit; readonly receivedAt: number } | null;
  /** Accepted requests so far. */
  accepted: number;
  /** Accepted requests since one that showed a full window, that one included. */
  acceptedSinceFull: number;
  /** Responses with status 429 so far. */
  refusals: number;
  /** Requests that got no response; the target may have counted them. */
  lostResponses: number;
  /** How many requests may have been sent in all by the end of the day, as far as an answer told; else `null`. */
  day: { readonly most: number; readonly endsAt: number } | null;
  /** When the last 429 came in. */
  refusedAt: number;
  /** Before this moment a patient client sends nothing. */
  retryAt: number;
  /** Whether it was refused again each time that it had waited as it was told. */
  isStuck: boolean;
  /** Whether it was refused last, by a ban of which nothing says that it lasts longer. */
  isBanned: boolean;
}

export function newUsage(): KeyUsage {
  return {
    sentAt: [],
    last: null,
    accepted: 0,
    acceptedSinceFull: 0,
    refusals: 0,
    lostResponses: 0,
    day: null,
    refusedAt: Number.NEGATIVE_INFINITY,
    retryAt: 0,
    isStuck: false,
    isBanned: false,
  };
}

/** Limits to plan with: the key's own, else those of its plan, else the smallest. */
export function planningLimits(key: Pick<Key, 'plan' | 'limits'>): PlanLimits {
  return key.limits ?? (key.plan === 'enterprise' ? PLAN_LIMITS.free : PLAN_LIMITS[key.plan]);
}

// More than a coarse clock leaves open: who is refused then is refused by no window of a minute.
const IDLE_SECONDS = MINUTE_SECONDS + 2.5;

/** After so long without a request a minute is fresh under every algorithm: a sliding counter forgets it only after two. */
export const TWO_WINDOWS_SECONDS = 2 * MINUTE_SECONDS + 5;

/** Requests sent within the last minute: no window algorithm counts more of them in a minute. */
export function sentInLastMinute(key: Key, now: number): number {
  const { sentAt } = key.usage;
  return sentAt.length - 1 - sentAt.findLastIndex((moment) => moment <= now - IDLE_SECONDS * 1000);
}

/** Seconds until the minute's window is certainly empty. */
export function secondsUntilClean(key: Key, now: number): number {
  const sent = key.usage.sentAt.at(-1);
  const last = sent === undefined ? undefined : Math.max(sent, key.usage.last?.receivedAt ?? sent);
  return last === undefined ? 0 : Math.max(0, last / 1000 + IDLE_SECONDS - now / 1000);
}

/** Seconds until a fresh window: none if the key's last response showed one that had just begun. */
export function secondsUntilFresh(key: Key, now: number): number {
  const { acceptedSinceFull, lostResponses, retryAt } = key.usage;
  const hasJustBegun = acceptedSinceFull === 1 && lostResponses === 0 && retryAt <= now;
  const wait = Math.max(0, key.usage.retryAt - now) / 1000;
  return hasJustBegun ? 0 : Math.max(wait, secondsUntilClean(key, now));
}

/** Requests that are left of the day, at most, as far as an answer told. */
export function leftOfDay({ usage: { day, sentAt } }: Key, now: number): number {
  return day === null || now >= day.endsAt ? Number.POSITIVE_INFINITY : Math.max(0, day.most - sentAt.length);
}

/** Seconds until a key that is spared may be used again after a 429; 0 of any other. */
export function secondsSpared({ isSpared, usage }: Key, now: number): number {
  return isSpared === true ? Math.max(0, usage.retryAt - now) / 1000 : 0;
}

// What a check changed takes a list, an update for each of its pets, and another list.
const RESTORING_REQUESTS = 8;

/** Whether the day of a key has no room for so many requests, and for putting back what they change. */
export function isDayShort(key: Key, requests: number, now: number): boolean {
  return key.isSpared === true && leftOfDay(key, now) < requests + RESTORING_REQUESTS;
}

/** What is left of the day of a key, in a sentence. */
export function describeDay(key: Key, now: number): string {
  const left = leftOfDay(key, now);
  return left === 0
    ? `The day of ${key.label} has no requests left.`
    : `The day of ${key.label} has ${countText(left, 'request')} left, too few for this and for putting back what it changes.`;
}

/** Seconds until that many requests fit into the minute, and into the day if they may not use it up. */
export function secondsUntilRoom(key: Key, requests: number, now: number): number {
  const { perMinute } = planningLimits(key);
  const excess = sentInLastMinute(key, now) + requests - perMinute;
  const until = isDayShort(key, requests, now) ? (key.usage.day?.endsAt ?? 0) : 0;
  const wait = Math.max(0, key.usage.retryAt - now, until - now) / 1000;
  if (excess <= 0) {
    return wait;
  }
  const { sentAt } = key.usage;
  const blocking = sentAt[sentAt.length - sentInLastMinute(key, now) + Math.min(excess, sentAt.length) - 1];
  const room = blocking === undefined ? 0 : blocking / 1000 + IDLE_SECONDS - now / 1000;
  return Math.max(wait, room);
}
