import type { RequirementRow } from './row.ts';

const HEADERS = 'Limits, Rate limit headers';

export const HEADERS_ROWS = [
  {
    id: 'header-limit',
    clause: HEADERS,
    level: 'must',
    statement:
      'Every response of every documented operation carries X-RateLimit-Limit once, a decimal integer.',
  },
  {
    id: 'header-remaining',
    clause: HEADERS,
    level: 'must',
    statement:
      'Every response of every documented operation carries X-RateLimit-Remaining once, a decimal integer.',
  },
  {
    id: 'header-reset',
    clause: HEADERS,
    level: 'must',
    statement:
      'Every response of every documented operation carries X-RateLimit-Reset once, a decimal integer.',
  },
  {
    id: 'remaining-in-range',
    clause: HEADERS,
    level: 'must',
    statement: 'X-RateLimit-Remaining lies between 0 and X-RateLimit-Limit.',
  },
  {
    id: 'limit-of-plan',
    clause: HEADERS,
    level: 'must',
    statement: 'For a known key X-RateLimit-Limit is one of the two limits of its plan.',
  },
  {
    id: 'reset-is-near',
    clause: HEADERS,
    level: 'must',
    statement:
      'X-RateLimit-Reset is a Unix timestamp in seconds, not in the past and not beyond the window that X-RateLimit-Limit names.',
    reading:
      'Two seconds of grace on either side, on the clock of the server: the control clock, else what the Date headers of all answers tell, since a single one may be stale. Without either, some one clock has to explain all values. An answer to a banned key may name the end of the ban instead: not after its Retry-After where there is one, else within 31 days. A key counts as banned here where it was refused after it had gone on after a 429, or before its first accepted request of the run.',
  },
  {
    id: 'remaining-falls',
    clause: HEADERS,
    level: 'must',
    statement: 'X-RateLimit-Remaining falls by one for each accepted request of the key in a window.',
    reading: 'Refused requests may count or not. Where requests overlap, only the total is judged.',
  },
  {
    id: 'remaining-counts-operations',
    clause: HEADERS,
    level: 'must',
    statement: 'All operations of a key draw on the same remaining requests.',
  },
  {
    id: 'headers-when-day-binds',
    clause: HEADERS,
    level: 'observe',
    statement: 'Which window the headers describe when the day limit binds.',
  },
  {
    id: 'headers-without-key',
    clause: HEADERS,
    level: 'observe',
    statement: 'What the three headers say to a request without a valid key.',
  },
  {
    id: 'date-header',
    clause: 'RFC 9110, section 6.6.1',
    level: 'should',
    statement: 'A Date header, where there is one, is an HTTP-date and right within a minute.',
    reading:
      'Judged where a control clock tells the time of the server; a Date that does not move along with that clock is compared with the time here.',
  },
  {
    id: 'extra-headers',
    clause: HEADERS,
    level: 'observe',
    statement:
      'Which headers that hint at caching, limits or deprecation responses carry beside the documented ones.',
  },
] as const satisfies readonly RequirementRow[];
