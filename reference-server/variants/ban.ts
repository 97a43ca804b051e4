import { nameBanEnd } from '../alterations/decisions.ts';
import { type Alteration, combine } from '../alterations/alteration.ts';
import { untoldBan } from '../alterations/answers.ts';
import type { BanRule } from '../service/bans.ts';
import type { Freedom, Variant } from './variant.ts';

/** Bans by this rule unless the server bans nobody, and names the end of the ban in X-RateLimit-Reset. */
function resetOfBan(id: string, title: string, rule: Partial<BanRule>, further: Alteration = {}): Variant {
  const alter = combine(changeRule(rule), nameBanEnd(), further);
  return { id, title, freedom: 'reset of a ban', alter };
}

const TEN_MINUTES = { seconds: 600 };

const HOUR_SECONDS = 3_600;

/** Changes the rule of a server that bans at all. */
function changeRule(change: Partial<BanRule>): Alteration {
  return {
    options: (options) => ({
      ...options,
      ban: options.ban === false ? false : { ...options.ban, ...change },
    }),
  };
}

function ban(id: string, title: string, freedom: Freedom, change: Partial<BanRule>): Variant {
  return { id, title, freedom, alter: changeRule(change) };
}

export const BAN_VARIANTS: readonly Variant[] = [
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
    untoldBan,
  ),
  {
    id: 'no-ban',
    title: 'Nobody is ever banned',
    freedom: 'ban threshold',
    alter: { options: (options) => ({ ...options, ban: false }) },
  },
  ban('ban-after-one', 'The first continued request after a 429 leads to the ban', 'ban threshold', {
    afterRefused: 1,
  }),
  ban('ban-of-five-seconds', 'A ban lasts five seconds', 'ban length', { seconds: 5 }),
  ban('ban-of-a-week', 'A ban lasts a week', 'ban length', { seconds: 7 * 24 * HOUR_SECONDS }),
  ban('ban-extended-by-each-request', 'Each request of a banned key begins the ban anew', 'ban extension', {
    extended: true,
  }),
  ban('ban-by-403', 'A banned key is answered 403', 'ban status', { status: 403 }),
  {
    id: 'ban-by-401-without-retry-after',
    title: 'A banned key is answered 401 without Retry-After',
    freedom: 'ban status',
    alter: combine(changeRule({ status: 401 }), untoldBan),
  },
];
