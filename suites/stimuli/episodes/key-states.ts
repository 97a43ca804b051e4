import { LONGEST_TEMPORARY_SECONDS } from '../../../contract/bans.ts';
import { MINUTE_SECONDS } from '../../../contract/plans.ts';
import {
  isAccepted,
  planningLimits,
  secondsToWait,
  type Exchange,
  type Key,
  type ServerClock,
} from '../../oracle/index.ts';

/** What a key may go through, as its client sees it, in the order in which that may come. */
export const KEY_STATES = [
  'fresh',
  'partly used',
  'at limit',
  'refused',
  'went on',
  'banned',
  'waited',
  'second window',
  'tenth window',
  'day nearly used',
  'day used',
  'revoked',
] as const;

export type KeyState = (typeof KEY_STATES)[number];

const NEARLY_USED = 3;
const TENTH = 10;
// A Retry-After this much longer than the one before is that of a ban.
const LONGER_SECONDS = 3;
const DAY_MILLISECONDS = 86_400_000;

export type FollowedKey = ReturnType<typeof followKey>;

/** Follows a key that was issued just now through its states. */
export function followKey(key: Key) {
  const { perMinute, perDay } = planningLimits(key);
  const acceptedAt: number[] = [];
  let state: KeyState = 'fresh';
  let retryAt = 0;
  let waits = 0;
  const acceptedWithin = (milliseconds: number, now: number): number => {
    const first = acceptedAt.findIndex((moment) => moment > now - milliseconds);
    return first === -1 ? 0 : acceptedAt.length - first;
  };
  const roomToday = (now: number): number => perDay - key.usedToday - acceptedWithin(DAY_MILLISECONDS, now);
  /** Requests that it may still send now, by the count of its client. */
  const room = (now: number): number =>
    Math.max(0, Math.min(perMinute - acceptedWithin(MINUTE_SECONDS * 1000, now), roomToday(now)));
  const accepted = (now: number, sentAt: number): KeyState => {
    const hasWaited = (state === 'refused' || state === 'went on' || state === 'banned') && sentAt >= retryAt;
    waits += Number(hasWaited);
    if (hasWaited) {
      return waits >= TENTH ? 'tenth window' : waits >= 2 ? 'second window' : 'waited';
    }
    const today = roomToday(now);
    return today <= NEARLY_USED ? 'day nearly used' : room(now) === 0 ? 'at limit' : 'partly used';
  };
  const refused = (exchange: Exchange, clock: ServerClock): KeyState => {
    const wasRefused = state === 'refused' || state === 'went on';
    const mayBeBan = exchange.response.status !== 429 && (wasRefused || state === 'banned');
    // Any temporary ban has ended by then, even one that does not say how long it lasts.
    const untold = mayBeBan ? LONGEST_TEMPORARY_SECONDS : MINUTE_SECONDS;
    const until = exchange.receivedAt + (secondsToWait(exchange, clock) ?? untold) * 1000;
    const isLonger = wasRefused && until > retryAt + LONGER_SECONDS * 1000;
    const wentOn = wasRefused && exchange.sentAt < retryAt;
    retryAt = Math.max(retryAt, until);
    if (exchange.response.status !== 429 || (wentOn && isLonger)) {
      return 'banned';
    }
    return wentOn ? 'went on' : roomToday(exchange.sentAt) <= 0 ? 'day used' : 'refused';
  };
  return {
    key,
    room,
    /** Timekeeper's milliseconds until which it was told to wait; 0 if it was never refused. */
    retryAt: (): number => retryAt,
    note: (exchange: Exchange, clock: ServerClock): void => {
      const { status } = exchange.response;
      if (isAccepted(exchange)) {
        acceptedAt.push(exchange.receivedAt);
      }
      if (isAccepted(exchange) || status === 400 || status === 404) {
        state = state === 'revoked' ? state : accepted(exchange.receivedAt, exchange.sentAt);
      } else if ([401, 403, 429].includes(status)) {
        state = state === 'revoked' ? state : refused(exchange, clock);
      }
    },
    revoke: (): void => {
      state = 'revoked';
    },
    state: (): KeyState => state,
  };
}
