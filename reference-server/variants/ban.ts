import { DAY_SECONDS } from '../../contract/plans.ts';
import { nameBanEnd } from '../alterations/decisions.ts';
import { type Alteration, combine } from '../alterations/alteration.ts';
import { untoldBan } from '../alterations/answers.ts';
import type { BanRule } from '../service/bans.ts';
import { permitting } from './variant.ts';

/** Bans by this rule unless the server bans nobody, and names the end of the ban in X-RateLimit-Reset. */
function resetOfBan(rule: Partial<BanRule>, further: Alteration = {}): Alteration {
  return combine(changeRule(rule), nameBanEnd(), further);
}

const TEN_MINUTES = { seconds: 600 };

/** Changes the rule of a server that bans at all. */
function changeRule(change: Partial<BanRule>): Alteration {
  return {
    options: (options) => ({
      ...options,
      ban: options.ban === false ? false : { ...options.ban, ...change },
    }),
  };
}

export const BAN_VARIANTS = permitting({
  'ban threshold': {
    'no-ban': ['Nobody is ever banned', { options: (options) => ({ ...options, ban: false }) }],
    'ban-after-one': [
      'The first continued request after a 429 leads to the ban',
      changeRule({ afterRefused: 1 }),
    ],
  },
  'ban length': {
    'ban-of-five-seconds': ['A ban lasts five seconds', changeRule({ seconds: 5 })],
    'ban-of-a-week': ['A ban lasts a week', changeRule({ seconds: 7 * DAY_SECONDS })],
  },
  'ban extension': {
    'ban-extended-by-each-request': [
      'Each request of a banned key begins the ban anew',
      changeRule({ extended: true }),
    ],
  },
  'ban status': {
    'ban-by-403': ['A banned key is answered 403', changeRule({ status: 403 })],
    'ban-by-401-without-retry-after': [
      'A banned key is answered 401 without Retry-After',
      combine(changeRule({ status: 401 }), untoldBan),
    ],
  },
  'reset of a ban': {
    'reset-names-the-end-of-a-ban': ['X-RateLimit-Reset names the end of a ban', resetOfBan(TEN_MINUTES)],
    'reset-names-the-end-of-a-ban-at-once': [
      'The first continued request leads to a ban of a week, whose end X-RateLimit-Reset names',
      resetOfBan({ afterRefused: 1, seconds: 7 * DAY_SECONDS }),
    ],
    'reset-names-the-end-of-a-ban-by-403': [
      'A banned key is answered 403, and X-RateLimit-Reset names the end of the ban',
      resetOfBan({ ...TEN_MINUTES, status: 403 }),
    ],
    'only-reset-names-the-end-of-a-ban-by-401': [
      'A banned key is answered 401 without Retry-After, and X-RateLimit-Reset names the end of the ban, a day later',
      resetOfBan({ seconds: DAY_SECONDS, status: 401 }, untoldBan),
    ],
  },
});
