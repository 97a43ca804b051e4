import { withoutHeader } from '../service/header-fields.ts';
import type { Alteration } from '../alterations/alteration.ts';
import type { BanRule } from '../service/bans.ts';
import type { Decision } from '../service/rate-limiter.ts';
import type { Variant } from './variant.ts';

/**
 * Has X-RateLimit-Reset name the end of a ban, whichever window is described.
 * @param endOf the end that is named, for the one that is due; both in Unix seconds
 */
export function nameBanEnd(endOf: (due: number) => number = (due) => due): NonNullable<Alteration['parts']> {
  return ({ limiter }) => ({
    limiter: {
      ...limiter,
      decide: (key, now, request) => withBanEnd(limiter.decide(key, now, request), now, endOf),
      look: (key, now) => withBanEnd(limiter.look(key, now), now, endOf),
    },
  });
}

function withBanEnd(decision: Decision, now: number, endOf: (due: number) => number): Decision {
  if (!decision.banned) {
    return decision;
  }
  const resetUnixSeconds = Math.ceil(endOf(now + decision.retryAfterSeconds));
  return {
    ...decision,
    minute: { ...decision.minute, resetUnixSeconds },
    day: { ...decision.day, resetUnixSeconds },
  };
}

/** Bans as the rule says, where the server bans at all, and names the end in X-RateLimit-Reset. */
function resetOfBan(id: string, title: string, rule: Partial<BanRule>, further: Alteration = {}): Variant {
  return {
    id,
    title,
    freedom: 'reset of a ban',
    alter: {
      ...further,
      options: (options) => ({
        ...options,
        ban: options.ban === false ? false : { ...options.ban, ...rule },
      }),
      parts: nameBanEnd(),
    },
  };
}

const TEN_MINUTES = { seconds: 600 };
const WITHOUT_RETRY_AFTER: Alteration = {
  answers: ({ banned }) => ({
    banned: (decision, now) => withoutHeader(banned(decision, now), 'Retry-After'),
  }),
};

/** X-RateLimit-Reset on answers to a banned key. */
export const BAN_RESET_VARIANTS: readonly Variant[] = [
  resetOfBan('reset-names-the-end-of-a-ban', 'X-RateLimit-Reset names the end of a ban', TEN_MINUTES),
  resetOfBan(
    'reset-names-the-end-of-a-ban-at-once',
    'The first continued request leads to a ban of a week, whose end X-RateLimit-Reset names',
    { afterRefused: 1, seconds: 7 * 86_400 },
  ),
  resetOfBan(
    'reset-names-the-end-of-a-ban-by-403',
    'A banned key is answered 403, and X-RateLimit-Reset names the end of the ban',
    { ...TEN_MINUTES, status: 403 },
  ),
  resetOfBan(
    'only-reset-names-the-end-of-a-ban-by-401',
    'A banned key is answered 401 without Retry-After, and X-RateLimit-Reset names the end of the ban, a day later',
    { seconds: 86_400, status: 401 },
    WITHOUT_RETRY_AFTER,
  ),
];
