import type { RequirementRow } from './row.ts';

export const RETRY_ROWS = [
  {
    id: 'retry-after-present',
    clause: 'Errors',
    level: 'must',
    statement: 'Every 429 carries Retry-After, once.',
  },
  {
    id: 'retry-after-valid',
    clause: 'Errors',
    level: 'must',
    statement: 'Retry-After is delta-seconds or an HTTP-date (RFC 9110, section 10.2.3).',
  },
  {
    id: 'retry-after-honoured',
    clause: 'Errors',
    level: 'must',
    statement: 'One request that is sent once Retry-After has passed is accepted.',
  },
  {
    id: 'retry-after-plausible',
    clause: 'Errors',
    level: 'should',
    statement: 'Retry-After agrees with the window that it speaks of.',
  },
  {
    id: 'retry-after-format',
    clause: 'Limits',
    level: 'observe',
    statement: 'Which of its two forms Retry-After has.',
  },
] as const satisfies readonly RequirementRow[];
