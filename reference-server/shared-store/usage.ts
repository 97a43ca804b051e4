import { MINUTE_SECONDS } from '../../contract/plans.ts';
import { withBans, type BanRule, type Conduct } from '../service/bans.ts';
import { createRateLimiter, type RateLimiter } from '../service/rate-limiter.ts';
import { fixedWindow, type WindowProgress } from '../service/window.ts';

/** What a key has used of its limits, and how it behaved. */
export interface Usage {
  readonly minute: WindowProgress;
  readonly day: WindowProgress;
  readonly conduct: Conduct;
}

/** Reads what the scripts wrote; nothing is used if they wrote nothing. */
export function readUsage(text: string): Usage {
  const [minuteUsed = 0, minuteEnd = 0, dayUsed = 0, dayEnd = 0, refused = 0, bannedUntil = 0] =
    text === '' ? [] : text.split(' ').map(Number);
  return {
    minute: { used: minuteUsed, end: minuteEnd },
    day: { used: dayUsed, end: dayEnd },
    conduct: { refused, bannedUntil },
  };
}

/** The ordinary limiter, which goes on from a key's usage; it decides as the scripts did from the same usage on. */
export function resumeLimiter({ minute, day, conduct }: Usage, ban: BanRule | false): RateLimiter {
  const limiter = createRateLimiter((limit, seconds) =>
    fixedWindow(limit, {
      endOf: (now) => now + seconds,
      progress: seconds === MINUTE_SECONDS ? minute : day,
    }),
  );
  return withBans(limiter, ban, conduct);
}
