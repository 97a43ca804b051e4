import { KEYS_APART } from './independence.ts';
import { MINUTE_LIMITS } from './limits.ts';
import type { RequirementRow } from './row.ts';

const HEADERS = 'Limits, Rate limit headers';

const EVERY_RESPONSE = 'Every API response carries:';
const LIMIT = '| X-RateLimit-Limit | The request limit in effect. |';
const REMAINING = '| X-RateLimit-Remaining | Requests remaining in the current window. |';
const RESET = '| X-RateLimit-Reset | Unix timestamp at which the limit resets. |';

export const HEADERS_ROWS = [
  {
    id: 'header-limit',
    clause: HEADERS,
    level: 'must',
    statement:
      'Every response of every documented operation carries X-RateLimit-Limit once, as a decimal integer.',
    quotes: [EVERY_RESPONSE, LIMIT],
  },
  {
    id: 'header-remaining',
    clause: HEADERS,
    level: 'must',
    statement:
      'Every response of every documented operation carries X-RateLimit-Remaining once, as a decimal integer.',
    quotes: [EVERY_RESPONSE, REMAINING],
    dependsOn: ['header-limit'],
  },
  {
    id: 'header-reset',
    clause: HEADERS,
    level: 'must',
    statement:
      'Every response of every documented operation carries X-RateLimit-Reset once, as a decimal integer.',
    quotes: [EVERY_RESPONSE, RESET],
    dependsOn: ['header-limit'],
  },
  {
    id: 'remaining-in-range',
    clause: HEADERS,
    level: 'must',
    statement: 'X-RateLimit-Remaining is between 0 and X-RateLimit-Limit.',
    quotes: [LIMIT, REMAINING],
    dependsOn: ['header-limit', 'header-remaining', 'header-reset', 'remaining-counts-operations'],
  },
  {
    id: 'limit-of-plan',
    clause: HEADERS,
    level: 'must',
    statement: 'For a known key, X-RateLimit-Limit is one of the two limits of its plan.',
    quotes: [LIMIT],
    dependsOn: ['header-limit', 'header-remaining', 'header-reset'],
  },
  {
    id: 'reset-is-near',
    clause: HEADERS,
    level: 'must',
    statement:
      'X-RateLimit-Reset is a Unix timestamp in seconds, not in the past and not beyond the window that X-RateLimit-Limit names.',
    quotes: [RESET],
    reading:
      'Two seconds of grace on either side, by the clock of the server: the control clock, or else the offset that the Date headers of all answers show together, since a single one may be stale. Without either, one clock has to explain all values. An answer to a banned key may name the end of the ban instead, at most its Retry-After ahead, or 31 days if it has none. Here a key counts as banned if it was refused after it had continued after a 429, or before its first accepted request of the run.',
    dependsOn: ['header-limit', 'header-remaining', 'header-reset'],
  },
  {
    id: 'remaining-falls',
    clause: HEADERS,
    level: 'must',
    statement: 'X-RateLimit-Remaining falls by one for each accepted request of the key in a window.',
    quotes: [REMAINING],
    reading: 'Refused requests may or may not count. If requests overlap, only the total is judged.',
    dependsOn: [
      'header-limit',
      'header-remaining',
      'header-reset',
      ...KEYS_APART,
      ...MINUTE_LIMITS,
      'remaining-in-range',
      'missing-key',
    ],
  },
  {
    id: 'remaining-counts-operations',
    clause: HEADERS,
    level: 'must',
    statement: 'All operations with one key use up the same remaining requests.',
    quotes: [REMAINING],
    dependsOn: [
      'header-limit',
      'header-remaining',
      'header-reset',
      'remaining-falls',
      'limit-of-plan',
      'limit-over-spellings',
      ...MINUTE_LIMITS,
    ],
  },
  {
    id: 'headers-when-day-binds',
    clause: HEADERS,
    level: 'observe',
    statement: 'Which window the headers describe when the day limit binds.',
    basis:
      'A minute limit and a day limit apply at once, and the specification does not say which of them the headers describe.',
  },
  {
    id: 'headers-without-key',
    clause: HEADERS,
    level: 'observe',
    statement: 'What the three headers say to a request without a valid key.',
    basis:
      'Every response carries the headers, but a request without a valid key has no plan whose limit they could name.',
  },
  {
    id: 'date-header',
    since: '1.1',
    clause: 'RFC 9110, section 6.6.1',
    level: 'should',
    statement: 'A Date header, if there is one, is an HTTP-date and right within a minute.',
    basis: 'RFC 9110, section 6.6.1: Date is the time at which the message originated, as an HTTP-date.',
    reading:
      'Judged if a control clock tells the time of the server. A Date that does not move along with that clock is compared with the time on this machine.',
    unseen:
      'No response with a Date header came while a control clock told the time of the server; a target need offer neither.',
  },
  {
    id: 'extra-headers',
    clause: HEADERS,
    level: 'observe',
    statement:
      'Which headers about caching, limits or deprecation responses carry besides the documented ones.',
    basis: 'The specification names three headers for every response and does not forbid others.',
  },
  {
    id: 'response-form',
    since: '1.1',
    clause: HEADERS,
    level: 'observe',
    statement: 'How responses spell header names, whether they have a Date, and how they are framed.',
    basis:
      'RFC 9110, section 5.1, leaves the letter-case of header names open, section 6.6.1 the Date of a server without a clock; RFC 9112, section 6, knows several ways to frame a message.',
  },
] as const satisfies readonly RequirementRow[];
