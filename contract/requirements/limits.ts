import type { RequirementRow } from './row.ts';

const PLANS = 'Limits, Rate limits by plan';
const AT_LIMIT = 'Limits, Behaviour at the limit';

export const LIMITS_ROWS = [
  {
    id: 'minute-limit-free',
    clause: PLANS,
    level: 'must',
    statement: 'A Free key is granted exactly 60 requests in a fresh minute.',
  },
  {
    id: 'minute-limit-pro',
    clause: PLANS,
    level: 'must',
    statement: 'A Pro key is granted exactly 300 requests in a fresh minute.',
  },
  {
    id: 'minute-limit-business',
    clause: PLANS,
    level: 'must',
    statement: 'A Business key is granted exactly 1,000 requests in a fresh minute.',
  },
  {
    id: 'minute-limit-enterprise',
    clause: PLANS,
    level: 'must',
    statement: 'An Enterprise key is granted exactly the requests a minute that were agreed for it.',
  },
  {
    id: 'day-limit-free',
    clause: PLANS,
    level: 'must',
    statement: 'A Free key is granted exactly 1,000 requests in a fresh day.',
  },
  {
    id: 'day-limit-pro',
    clause: PLANS,
    level: 'must',
    statement: 'A Pro key is granted exactly 10,000 requests in a fresh day.',
  },
  {
    id: 'day-limit-business',
    clause: PLANS,
    level: 'must',
    statement: 'A Business key is granted exactly 100,000 requests in a fresh day.',
  },
  {
    id: 'day-limit-enterprise',
    clause: PLANS,
    level: 'must',
    statement: 'An Enterprise key is granted exactly the requests a day that were agreed for it.',
  },
  {
    id: 'refusal-is-429',
    clause: `${AT_LIMIT} 1`,
    level: 'must',
    statement: 'A request that exceeds a limit is answered 429, whichever operation it names.',
  },
  {
    id: 'limit-under-concurrency',
    clause: PLANS,
    level: 'must',
    statement:
      'Requests that arrive at once are granted exactly as many as requests that arrive one by one, over one connection or many.',
  },
  {
    id: 'limit-over-spellings',
    clause: PLANS,
    level: 'must',
    statement:
      'Another spelling of the path (a trailing slash, a query string) or another operation does not escape the limit.',
  },
  {
    id: 'limit-renews',
    clause: PLANS,
    level: 'must',
    statement:
      'When the window has passed, requests are granted again, up to the whole limit and not beyond it.',
    reading:
      'Fixed, clock-aligned and sliding windows all conform; a burst that a boundary cut in two is measured again.',
  },
  {
    id: 'window-algorithm',
    clause: PLANS,
    level: 'observe',
    statement: 'How the window moves: aligned to the clock, from the first request, or sliding.',
  },
  {
    id: 'refused-requests-count',
    clause: PLANS,
    level: 'observe',
    statement: 'Whether requests answered 400 or 404 draw on the limit.',
  },
  {
    id: 'body-of-429',
    clause: 'Errors',
    level: 'observe',
    statement: 'What the body of a 429 is.',
  },
] as const satisfies readonly RequirementRow[];
