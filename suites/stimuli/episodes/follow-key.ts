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

const DAY_MILLISECONDS = 86_400_000;

export type FollowedKey = ReturnType<typeof followKey>;

/** Follows a key that was issued just now, as its client sees it. */
export function followKey(key: Key) {
  const { perMinute, perDay } = planningLimits(key);
  const acceptedAt: number[] = [];
  let isRefused = false;
  let retryAt = 0;
  const acceptedWithin = (milliseconds: number, now: number): number => {
    const first = acceptedAt.findIndex((moment) => moment > now - milliseconds);
    return first === -1 ? 0 : acceptedAt.length - first;
  };
  return {
    key,
    /** Requests that it may still send now, by the count of its client. */
    room: (now: number): number => {
      const today = perDay - key.usedToday - acceptedWithin(DAY_MILLISECONDS, now);
      return Math.max(0, Math.min(perMinute - acceptedWithin(MINUTE_SECONDS * 1000, now), today));
    },
    /** Timekeeper's milliseconds until which it was told to wait; 0 if it was never refused. */
    retryAt: (): number => retryAt,
    note: (exchange: Exchange, clock: ServerClock): void => {
      const { status } = exchange.response;
      if (isAccepted(exchange)) {
        acceptedAt.push(exchange.receivedAt);
      }
      if (isAccepted(exchange) || status === 400 || status === 404) {
        isRefused = false;
      } else if ([401, 403, 429].includes(status)) {
        // Any temporary ban has ended by then, even one that does not say how long it lasts.
        const untold = status !== 429 && isRefused ? LONGEST_TEMPORARY_SECONDS : MINUTE_SECONDS;
        isRefused = true;
        retryAt = Math.max(retryAt, exchange.receivedAt + (secondsToWait(exchange, clock) ?? untold) * 1000);
      }
    },
  };
}
