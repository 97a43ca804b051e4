import { KEYS_APART } from './independence.ts';
import { MINUTE_LIMITS } from './limits.ts';
import type { RequirementRow } from './row.ts';

const CONTINUED_REQUESTS = 'Limits, Behaviour at the limit 3';

const UNSEEN_BAN = 'No key was banned; a target need not ban any.';

const TEMPORARY_BAN = 'Continued requests after a 429 may cause a temporary ban of the API key.';

export const BAN_ROWS = [
  {
    id: 'ban-only-after-continued',
    clause: CONTINUED_REQUESTS,
    level: 'must',
    statement: 'A key is banned only after continued requests that follow a 429, never if its client waited.',
    quotes: [TEMPORARY_BAN],
    dependsOn: [...KEYS_APART],
  },
  {
    id: 'ban-ends',
    clause: CONTINUED_REQUESTS,
    level: 'must',
    statement: 'A ban is temporary: it ends, and no later than its own Retry-After says.',
    quotes: [TEMPORARY_BAN],
    reading: 'The length is not shown. With a clock, a ban of up to 31 days still counts as temporary.',
    dependsOn: [...KEYS_APART, 'ban-only-after-continued', ...MINUTE_LIMITS],
  },
  {
    id: 'ban-answer',
    clause: 'Limits, Rate limit headers',
    level: 'must',
    statement: 'A banned key is answered 401, 403 or 429, with the three rate limit headers.',
    quotes: ['Every API response carries:'],
    dependsOn: ['header-limit', 'header-remaining', 'header-reset'],
  },
  {
    id: 'ban-threshold',
    clause: CONTINUED_REQUESTS,
    level: 'observe',
    statement: 'After how many continued requests a key is banned, if it is.',
    basis: 'The specification says that continued requests may cause a ban, not how many.',
  },
  {
    id: 'ban-length',
    since: '1.1',
    clause: 'Limits',
    level: 'observe',
    statement: 'How long the ban lasts.',
    quotes: ['Duration of the temporary ban: not shown.'],
    unseen: UNSEEN_BAN,
  },
  {
    id: 'ban-status',
    clause: 'Limits',
    level: 'observe',
    statement: 'Which status a banned key is answered with.',
    basis: 'The specification names no status for the answer to a banned key.',
    unseen: UNSEEN_BAN,
  },
  {
    id: 'body-of-ban',
    clause: 'Limits',
    level: 'observe',
    statement: 'What the body of an answer to a banned key is.',
    basis: 'The specification shows no body for the answer to a banned key.',
    unseen: UNSEEN_BAN,
  },
] as const satisfies readonly RequirementRow[];
