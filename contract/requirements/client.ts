import type { RequirementRow } from './row.ts';

const UPDATE = 'Endpoints, PATCH /inventory/{petId}';
const BACKOFF = 'Limits, Behaviour at the limit 2';

const WAIT =
  'The client is expected to wait for the time given in `Retry-After` before retrying, using exponential backoff.';

export const CLIENT_ROWS = [
  {
    id: 'client-operation',
    clause: 'Endpoints',
    level: 'must',
    statement:
      'A client sends the method and path of its operation under the base address, and no other request.',
    quotes: [
      'GET /inventory (operation `listInventory`)',
      'PATCH /inventory/{petId} (operation `updateInventory`)',
    ],
    reading:
      'Another spelling of the same resource is accepted, such as a trailing slash, and so is a query: query parameters are not shown.',
  },
  {
    id: 'client-sends-bearer',
    clause: 'Authentication 2',
    level: 'must',
    statement: 'A client sends its key as the bearer token in the Authorization header of every request.',
    quotes: [
      'The client sends its API key as the bearer token in the `Authorization` header (scheme `Bearer`, value `<API_KEY>`).',
    ],
  },
  {
    id: 'client-update-body',
    clause: UPDATE,
    level: 'must',
    statement:
      'A client sends an update as application/json, as a JSON object whose quantity is the requested integer.',
    quotes: ['Request body: required, InventoryUpdate (`quantity` required).'],
  },
  {
    id: 'client-exact-pet-id',
    clause: UPDATE,
    level: 'must',
    statement: 'The petId in the path is the requested int64, exact to the last digit.',
    quotes: ['Path parameter `petId`: required, integer, int64; the ID of the pet whose stock is updated.'],
  },
  {
    id: 'client-reports-result',
    clause: 'Endpoints, GET /inventory',
    level: 'must',
    dependsOn: ['client-operation', 'client-sends-bearer'],
    statement: 'A client reports what a 200 says: every entry, every digit, every status.',
    quotes: ['Response 200: JSON array of InventoryItem objects.'],
    reading:
      'HTTP and JSON allow unknown members and header fields, any letter-case of header names, answers that take up to three seconds and closed connections, so none of them may change the result. Unknown members may be reported or dropped.',
  },
  {
    id: 'client-reports-error',
    clause: 'Errors',
    level: 'must',
    dependsOn: ['client-operation', 'client-sends-bearer'],
    statement: 'A client reports an error with its status, and with code and message as they were answered.',
    quotes: ['All documented error responses carry the Error object (`code`, `message`, `status`) as JSON.'],
    reading:
      'code and message are compared for 400, 401 and 404, whose answers have an Error object. The body of a 429 or of a ban is not shown, so only the status is compared there. Where no answer came, the client may report null or any status but 200, 400, 401, 404 and 429, which nobody sent.',
  },
  {
    id: 'client-does-not-repeat-refused',
    clause: 'Errors',
    level: 'must',
    dependsOn: ['client-operation', 'client-sends-bearer'],
    statement: 'A client does not repeat a request that was answered 400, 401 or 404.',
    quotes: [
      'Request body missing required fields or containing invalid values.',
      'API key missing or invalid.',
      'The requested resource (pet entry) is not found.',
    ],
  },
  {
    id: 'client-waits',
    clause: BACKOFF,
    level: 'must',
    dependsOn: ['client-operation'],
    statement: 'After a 429 a client sends nothing until the time in Retry-After has passed.',
    quotes: [WAIT],
    reading:
      'Judged by the clock of the server, from the moment it answered. Up to 20 ms too early is tolerated now and then, but not in five or more waits that are also a third of all. Nobody is ever too late. A client that gives up instead and reports the 429 conforms.',
  },
  {
    id: 'client-avoids-ban',
    clause: 'Limits, Behaviour at the limit 3',
    level: 'must',
    dependsOn: ['client-operation', 'client-waits'],
    statement: 'A client does not continue after a 429 until its key is banned.',
    quotes: ['Continued requests after a 429 may cause a temporary ban of the API key.'],
  },
  {
    id: 'client-completes',
    clause: 'What the service does',
    level: 'must',
    statement: 'A client ends each operation with a result or an error; it does not crash or hang.',
    quotes: [
      'List the current stock level of every pet in the store.',
      'Set the stock quantity of one pet, to record new arrivals, returns or manual adjustments.',
    ],
    reading:
      'How a client reports is fixed by the driver contract of stockcheck. A connection that closes in place of an answer ends the operation, too.',
  },
  {
    id: 'client-backs-off',
    clause: BACKOFF,
    level: 'should',
    statement: 'The waits of a client grow exponentially over consecutive 429s.',
    quotes: [WAIT],
    reading:
      'What a client waits beyond Retry-After is compared with full jitter over several 429s. A client that waits exactly Retry-After each time misses this requirement and no other.',
  },
  {
    id: 'client-stops-trying',
    clause: BACKOFF,
    level: 'should',
    statement: 'A client gives up after a bounded number of attempts.',
    basis:
      'The specification asks for backoff and sets no end to it. A client that never gives up keeps sending requests that are refused.',
  },
  {
    id: 'client-reads-any-json',
    since: '1.1',
    clause: 'Errors',
    level: 'should',
    dependsOn: ['client-completes', 'client-reports-result', 'client-reports-error', 'client-waits'],
    statement: 'A 429 whose content is JSON but no object, such as null, does not break a client.',
    quotes: ['The body of a 429 response: not shown.'],
    reading:
      'The other requirements judge a client at a 429 without content, with text, with HTML, and with a JSON object of any shape. A service hardly answers null, an array or a string, so whatever a client does wrong after one of these is said here alone.',
  },
  {
    id: 'client-reads-obsolete-dates',
    since: '1.1',
    clause: 'RFC 9110, section 5.6.7',
    level: 'should',
    dependsOn: ['client-completes', 'client-reports-result', 'client-reports-error', 'client-waits'],
    statement: 'A client reads a Retry-After that is a date in one of the two obsolete forms of HTTP.',
    basis:
      'RFC 9110, section 5.6.7: a recipient must accept all three forms of an HTTP-date. By the same section a service generates only the first, in which the other requirements judge a client, so whatever it does wrong after one of the others is said here alone.',
  },
  {
    id: 'client-reads-rare-http',
    since: '1.1',
    clause: 'RFC 9110, section 15.2',
    level: 'should',
    dependsOn: ['client-completes', 'client-reports-result', 'client-reports-error', 'client-waits'],
    statement:
      'A client reads answers that follow a 100 and a 103, that have tabs and spaces around header values, that come in chunks with extensions and a trailer or in packets which end between CR and LF, that end with their connection, or whose content coding is in capital letters.',
    basis:
      'HTTP permits each (RFC 9110, section 15.2 and section 8.4.1; RFC 9112, sections 2.2, 5, 6.3 and 7.1). Services rarely send them, and some libraries in wide use do not read them, so whatever a client does wrong there is said here alone.',
  },
  {
    id: 'client-reports-no-answer',
    since: '1.1',
    clause: 'Errors',
    level: 'should',
    dependsOn: ['client-completes'],
    statement:
      'A client whose request gets no answer, or one that breaks off, ends with an error: it does not crash, and does not go on for ever.',
    basis:
      'A server may close a connection at any time (RFC 9112, section 9.5), and the specification does not say what a client makes of that. Content that is shorter than its Content-Length is incomplete (RFC 9112, section 8). A result that no answer gave is a failure of client-reports-result, its status one of client-reports-error, and a client that hangs fails client-completes.',
  },
  {
    id: 'client-retries-limited',
    clause: BACKOFF,
    level: 'observe',
    statement: 'Whether a client tries again after a 429, or gives up and reports it.',
    basis: 'The specification says how long to wait before a retry, not that a client has to retry.',
  },
  {
    id: 'client-paces-itself',
    clause: 'Limits, Rate limit headers',
    level: 'observe',
    statement: 'Whether a client slows down when X-RateLimit-Remaining is 0.',
    basis: 'The specification says what the header means, not that a client has to act on it.',
  },
  {
    id: 'client-keeps-key-from-others',
    clause: 'RFC 9110, section 15.4',
    level: 'observe',
    statement: 'Whether a client sends its key along when it is redirected to another host.',
    basis:
      'RFC 9110, section 15.4: a client that follows a redirect considers whether to remove Authorization. The specification documents no redirect.',
  },
  {
    id: 'client-unreadable-retry-after',
    clause: 'Limits',
    level: 'observe',
    statement: 'What a client does after a 429 whose Retry-After cannot be read.',
    quotes: ['Format of the `Retry-After` value: not shown.'],
  },
  {
    id: 'client-liberties',
    since: '1.1',
    clause: 'Endpoints',
    level: 'observe',
    statement: 'What a client adds to a request that the operation does not document.',
    basis: 'The specification lists what a request has and does not forbid more.',
  },
  {
    id: 'client-spreads',
    since: '1.1',
    clause: BACKOFF,
    level: 'observe',
    statement: 'How far apart clients come back that were refused together with the same Retry-After.',
    quotes: [WAIT],
    reading:
      'Exponential backoff says that waits grow, not that they differ from client to client. Clients without jitter all come back in the same moment, and are refused together again.',
  },
  {
    id: 'client-reuses-connections',
    clause: 'RFC 9112, section 9.3',
    level: 'observe',
    statement: 'Whether a client keeps its connection for the next attempt.',
    basis: 'RFC 9112, section 9.3: connections persist by default, and either side may close them.',
  },
] as const satisfies readonly RequirementRow[];
