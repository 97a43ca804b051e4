import { KEYS_APART } from './independence.ts';
import { UNSEEN_429, type RequirementRow } from './row.ts';

/** What a minute grants a key of each plan. */
export const MINUTE_LIMITS = [
  'minute-limit-free',
  'minute-limit-pro',
  'minute-limit-business',
  'minute-limit-enterprise',
] as const;

/** What a day grants a key of each plan. */
export const DAY_LIMITS = [
  'day-limit-free',
  'day-limit-pro',
  'day-limit-business',
  'day-limit-enterprise',
] as const;

const PLANS = 'Limits, Rate limits by plan';

const PLAN_LIMITS = '| Plan | Requests per minute | Requests per day |';
const FREE = '| Free | 60 | 1,000 |';
const PRO = '| Pro | 300 | 10,000 |';
const BUSINESS = '| Business | 1,000 | 100,000 |';
const ENTERPRISE = '| Enterprise | custom | custom |';

export const LIMITS_ROWS = [
  {
    id: 'minute-limit-free',
    clause: PLANS,
    level: 'must',
    statement: 'A Free key gets exactly 60 requests in a fresh minute.',
    quotes: [PLAN_LIMITS, FREE],
    dependsOn: [...KEYS_APART],
  },
  {
    id: 'minute-limit-pro',
    clause: PLANS,
    level: 'must',
    statement: 'A Pro key gets exactly 300 requests in a fresh minute.',
    quotes: [PLAN_LIMITS, PRO],
    dependsOn: ['minute-limit-free', ...KEYS_APART],
  },
  {
    id: 'minute-limit-business',
    clause: PLANS,
    level: 'must',
    statement: 'A Business key gets exactly 1,000 requests in a fresh minute.',
    quotes: [PLAN_LIMITS, BUSINESS],
    dependsOn: ['minute-limit-free', 'minute-limit-pro', ...KEYS_APART],
  },
  {
    id: 'minute-limit-enterprise',
    clause: PLANS,
    level: 'must',
    statement: 'An Enterprise key gets exactly its agreed per-minute limit in a fresh minute.',
    quotes: [PLAN_LIMITS, ENTERPRISE],
    dependsOn: [
      'minute-limit-free',
      'minute-limit-business',
      'limit-of-plan',
      'ban-only-after-continued',
      ...KEYS_APART,
    ],
  },
  {
    id: 'day-limit-free',
    clause: PLANS,
    level: 'must',
    statement: 'A Free key gets exactly 1,000 requests in a fresh day.',
    quotes: [PLAN_LIMITS, FREE],
    dependsOn: [
      ...MINUTE_LIMITS,
      ...KEYS_APART,
      'limit-of-plan',
      'limit-over-spellings',
      'limit-under-concurrency',
    ],
  },
  {
    id: 'day-limit-pro',
    clause: PLANS,
    level: 'must',
    statement: 'A Pro key gets exactly 10,000 requests in a fresh day.',
    quotes: [PLAN_LIMITS, PRO],
    dependsOn: ['day-limit-free'],
  },
  {
    id: 'day-limit-business',
    clause: PLANS,
    level: 'must',
    statement: 'A Business key gets exactly 100,000 requests in a fresh day.',
    quotes: [PLAN_LIMITS, BUSINESS],
    dependsOn: ['day-limit-free'],
  },
  {
    id: 'day-limit-enterprise',
    clause: PLANS,
    level: 'must',
    statement: 'An Enterprise key gets exactly its agreed per-day limit in a fresh day.',
    quotes: [PLAN_LIMITS, ENTERPRISE],
    dependsOn: ['day-limit-free', ...KEYS_APART],
  },
  {
    id: 'refusal-is-429',
    clause: 'Limits, Behaviour at the limit 1',
    level: 'must',
    refusal: 429,
    statement: 'A request that exceeds a limit is answered 429, whatever its operation.',
    quotes: ['A request that exceeds a limit receives `429 Too Many Requests`.'],
    dependsOn: ['ban-answer'],
  },
  {
    id: 'limit-under-concurrency',
    clause: PLANS,
    level: 'must',
    statement:
      'Concurrent requests get exactly the same limit as sequential ones, over one connection or many.',
    quotes: [PLAN_LIMITS],
    dependsOn: [...KEYS_APART, ...MINUTE_LIMITS, 'limit-of-plan'],
  },
  {
    id: 'limit-over-spellings',
    clause: PLANS,
    level: 'must',
    statement:
      'Another operation, another spelling of the path (a trailing slash, a query string) or a further header field does not escape the limit.',
    quotes: [PLAN_LIMITS],
    dependsOn: ['limit-under-concurrency', ...KEYS_APART, ...MINUTE_LIMITS],
  },
  {
    id: 'limit-renews',
    clause: PLANS,
    level: 'must',
    statement: 'Once the window has passed, requests are accepted again, up to the whole limit and no more.',
    quotes: [PLAN_LIMITS],
    reading:
      'Fixed, clock-aligned and sliding windows all conform. A burst that is cut in two by a window boundary is measured again.',
    dependsOn: [...KEYS_APART, ...MINUTE_LIMITS, 'limit-over-spellings'],
  },
  {
    id: 'window-algorithm',
    clause: PLANS,
    level: 'observe',
    statement: 'How the window moves: aligned to the clock, from the first request, or sliding.',
    basis: 'The specification says how many requests a minute and a day allow, not when either begins.',
  },
  {
    id: 'refused-requests-count',
    clause: PLANS,
    level: 'observe',
    statement: 'Whether requests answered 400 or 404 count towards the limit.',
    basis: 'The specification does not say whether refused requests count.',
  },
  {
    id: 'body-of-429',
    clause: 'Errors',
    level: 'observe',
    statement: 'What the body of a 429 is.',
    quotes: ['The body of a 429 response: not shown.'],
    unseen: UNSEEN_429,
  },
] as const satisfies readonly RequirementRow[];
