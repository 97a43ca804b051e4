import type { RequirementRow } from './row.ts';

const HEADERS = 'Limits, Rate limit headers';
const AT_LIMIT = 'Limits, Behaviour at the limit';

export const BAN_ROWS = [
  {
    id: 'ban-only-after-continued',
    clause: `${AT_LIMIT} 3`,
    level: 'must',
    statement:
      'A ban comes only after continued requests that follow a 429; a client that waited is never banned.',
  },
  {
    id: 'ban-ends',
    clause: `${AT_LIMIT} 3`,
    level: 'must',
    statement: 'A ban is temporary: it ends, and not later than its own Retry-After says.',
    reading: 'The length is not shown. With a clock, 31 days are enough for any ban to be called temporary.',
  },
  {
    id: 'ban-answer',
    clause: HEADERS,
    level: 'must',
    statement: 'A banned key is answered 401, 403 or 429, with the three rate limit headers.',
  },
  {
    id: 'ban-threshold',
    clause: `${AT_LIMIT} 3`,
    level: 'observe',
    statement: 'After how many continued requests the ban comes, if it does.',
  },
  { id: 'ban-length', clause: 'Limits', level: 'observe', statement: 'How long the ban lasts.' },
  {
    id: 'ban-status',
    clause: 'Limits',
    level: 'observe',
    statement: 'With which status a banned key is answered.',
  },
  {
    id: 'body-of-ban',
    clause: 'Limits',
    level: 'observe',
    statement: 'What the body of an answer to a banned key is.',
  },
] as const satisfies readonly RequirementRow[];
