import { KEYS_APART } from './independence.ts';
import { MINUTE_LIMITS } from './limits.ts';
import { UNSEEN_429, type RequirementRow } from './row.ts';

const WHEN_TO_RETRY = 'The `Retry-After` header tells the client when to retry.';

export const RETRY_ROWS = [
  {
    id: 'retry-after-present',
    clause: 'Errors',
    level: 'must',
    statement: 'Every 429 carries Retry-After, once.',
    quotes: [WHEN_TO_RETRY],
    unseen: UNSEEN_429,
  },
  {
    id: 'retry-after-valid',
    clause: 'Errors',
    level: 'must',
    statement: 'Retry-After is delta-seconds or an HTTP-date (RFC 9110, section 10.2.3).',
    quotes: [WHEN_TO_RETRY],
    unseen: UNSEEN_429,
  },
  {
    id: 'retry-after-honoured',
    clause: 'Errors',
    level: 'must',
    statement: 'One request that is sent once Retry-After has passed is accepted.',
    quotes: [WHEN_TO_RETRY],
    dependsOn: [...KEYS_APART, ...MINUTE_LIMITS, 'ban-only-after-continued'],
  },
  {
    id: 'retry-after-plausible',
    clause: 'Errors',
    level: 'should',
    statement:
      'Retry-After agrees with the window of the limit that was reached, and asks nobody to wait longer than 31 days.',
    quotes: [WHEN_TO_RETRY],
  },
  {
    id: 'retry-after-format',
    clause: 'Limits',
    level: 'observe',
    statement: 'Which of its two forms Retry-After has.',
    quotes: ['Format of the `Retry-After` value: not shown.'],
    unseen: UNSEEN_429,
  },
  {
    id: 'early-return',
    since: '1.1',
    clause: 'Limits',
    level: 'observe',
    statement: 'What a request does to the wait that comes before Retry-After has passed.',
    basis: 'The specification does not say whether a request that is refused lengthens the wait.',
  },
] as const satisfies readonly RequirementRow[];
