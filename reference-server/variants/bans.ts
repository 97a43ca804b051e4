import { withoutHeader } from '../service/header-fields.ts';
import type { BanRule } from '../service/bans.ts';
import type { Alteration } from '../alterations/alteration.ts';
import type { Freedom, Variant } from './variant.ts';

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
    title: 'A banned key is answered 401, and not told when to come back',
    freedom: 'ban status',
    alter: {
      ...changeRule({ status: 401 }),
      answers: ({ banned }) => ({
        banned: (decision, now) => withoutHeader(banned(decision, now), 'Retry-After'),
      }),
    },
  },
];
