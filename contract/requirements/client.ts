import type { RequirementRow } from './row.ts';

const LIST = 'Endpoints, GET /inventory';
const UPDATE = 'Endpoints, PATCH /inventory/{petId}';
const HEADERS = 'Limits, Rate limit headers';
const AT_LIMIT = 'Limits, Behaviour at the limit';

export const CLIENT_ROWS = [
  {
    id: 'client-operation',
    clause: 'Endpoints',
    level: 'must',
    statement:
      'A client sends the method and path of its operation under the base address, and no other request.',
    reading:
      'Another spelling that names the same resource is let pass, such as a trailing slash, and so is a query: query parameters are not shown.',
  },
  {
    id: 'client-sends-bearer',
    clause: 'Authentication 2',
    level: 'must',
    statement: 'A client sends its key as bearer token in the Authorization header of every request.',
  },
  {
    id: 'client-update-body',
    clause: UPDATE,
    level: 'must',
    statement:
      'An update is sent as application/json, a JSON object whose quantity is the integer that was asked for.',
  },
  {
    id: 'client-exact-pet-id',
    clause: UPDATE,
    level: 'must',
    statement: 'The petId in the path is the int64 that was asked for, exact to the last digit.',
  },
  {
    id: 'client-reports-result',
    clause: LIST,
    level: 'must',
    statement: 'A client reports what a 200 says: every entry, every digit, every status.',
    reading:
      'Unknown members and header fields, the letter-case of header names, slow answers and closed connections are within HTTP and JSON, and must not change the result. Unknown members may be reported or dropped.',
  },
  {
    id: 'client-reports-error',
    clause: 'Errors',
    level: 'must',
    statement: 'A client reports an error with its status, and with code and message as they were answered.',
    reading:
      'Code and message are compared for 400, 401 and 404, whose answers hold an Error object. What a 429 or a ban holds is not shown, so that there only the status is.',
  },
  {
    id: 'client-does-not-repeat-refused',
    clause: 'Errors',
    level: 'must',
    statement: 'A client does not try again what was answered 400, 401 or 404.',
  },
  {
    id: 'client-waits',
    clause: `${AT_LIMIT} 2`,
    level: 'must',
    statement: 'After a 429 a client sends nothing until the time in Retry-After has passed.',
    reading:
      'Judged by the clock of the server from the moment at which it answered; under 20 ms too early is let pass now and then, but not in five waits or more and a third of all, and nobody is ever too late. A client that gives up instead and reports the 429 conforms.',
  },
  {
    id: 'client-avoids-ban',
    clause: `${AT_LIMIT} 3`,
    level: 'must',
    statement: 'A client does not go on after a 429 so that its key is banned.',
  },
  {
    id: 'client-completes',
    clause: 'What the service does',
    level: 'must',
    statement: 'A client ends each operation with a result or an error, without a crash and without hanging.',
    reading: 'How a client reports is fixed by the driver contract of stockcheck.',
  },
  {
    id: 'client-backs-off',
    clause: `${AT_LIMIT} 2`,
    level: 'should',
    statement: 'The waits of a client grow exponentially over consecutive 429s.',
    reading:
      'What a client waits beyond Retry-After is compared with full jitter over several 429s. To wait exactly Retry-After each time misses only this.',
  },
  {
    id: 'client-stops-trying',
    clause: `${AT_LIMIT} 2`,
    level: 'should',
    statement: 'A client gives up after a bounded number of attempts.',
  },
  {
    id: 'client-retries-limited',
    clause: `${AT_LIMIT} 2`,
    level: 'observe',
    statement: 'Whether a client tries again after a 429, or gives up and reports it.',
  },
  {
    id: 'client-paces-itself',
    clause: HEADERS,
    level: 'observe',
    statement: 'Whether a client slows down where X-RateLimit-Remaining is 0.',
  },
  {
    id: 'client-keeps-key-from-others',
    clause: 'RFC 9110, section 15.4',
    level: 'observe',
    statement: 'Whether a client takes its key along when it is redirected to another host.',
  },
  {
    id: 'client-unreadable-retry-after',
    clause: 'Limits',
    level: 'observe',
    statement: 'What a client does after a 429 whose Retry-After can not be read.',
  },
  {
    id: 'client-liberties',
    clause: 'Endpoints',
    level: 'observe',
    statement: 'What a client adds to a request that the operation does not document.',
  },
  {
    id: 'client-reuses-connections',
    clause: 'RFC 9112, section 9.3',
    level: 'observe',
    statement: 'Whether a client keeps its connection for the next attempt.',
  },
] as const satisfies readonly RequirementRow[];
