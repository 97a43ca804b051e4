import type { Level } from './verdict.ts';

/**
 * The requirement register: every normative sentence of the specification, one row each, in our words.
 * `clause` names the section of `petstore-inventory-service.md` (or the RFC that a `should` follows from).
 * `reading` tells how an ambiguity was read. `notChecked` is the reason why no check can judge the row.
 */
interface Row {
  readonly id: string;
  readonly area: Area;
  readonly clause: string;
  readonly level: Level;
  readonly statement: string;
  readonly reading?: string;
  readonly notChecked?: string;
}

/** The areas of the register, in the order in which reports show them. */
export const AREAS = [
  'list',
  'update',
  'errors',
  'authentication',
  'headers',
  'limits',
  'retry',
  'independence',
  'ban',
  'other operations',
  'versioning',
  'client',
] as const;

export type Area = (typeof AREAS)[number];

const LIST = 'Endpoints, GET /inventory';
const UPDATE = 'Endpoints, PATCH /inventory/{petId}';
const ITEM = 'Resources and their fields, InventoryItem';
const ERROR = 'Resources and their fields, Error';
const HEADERS = 'Limits, Rate limit headers';
const PLANS = 'Limits, Rate limits by plan';
const AT_LIMIT = 'Limits, Behaviour at the limit';

const ROWS = [
  // List
  {
    id: 'list-succeeds',
    area: 'list',
    clause: LIST,
    level: 'must',
    statement: 'With a valid key GET /inventory is answered 200 with a JSON array of InventoryItem objects.',
    reading:
      'A redirect is no answer, not even one to another spelling of the path. A redirect to another host, scheme or base path is told as a wrong base address instead.',
  },
  {
    id: 'list-complete',
    area: 'list',
    clause: LIST,
    level: 'must',
    statement: 'The list holds the stock level of every pet in the store.',
    reading:
      'Judged where the suite knows the store: after it set the inventory through the control URL, and for every pet that the configuration names or that it updated. Pagination is not shown, so a list cut off at some length is incomplete.',
  },
  {
    id: 'list-one-entry-per-pet',
    area: 'list',
    clause: LIST,
    level: 'must',
    statement: 'Each pet stands in the list once.',
  },
  {
    id: 'item-pet-id',
    area: 'list',
    clause: ITEM,
    level: 'must',
    statement:
      'petId is present and an integer that fits int64, with every digit right, in the list and in the answer to an update.',
  },
  {
    id: 'item-quantity',
    area: 'list',
    clause: ITEM,
    level: 'must',
    statement: 'quantity is present and an integer.',
  },
  {
    id: 'item-status',
    area: 'list',
    clause: ITEM,
    level: 'must',
    statement: 'status is present and one of available, pending, sold, spelled so.',
  },

  // Update
  {
    id: 'update-succeeds',
    area: 'update',
    clause: UPDATE,
    level: 'must',
    statement:
      'A valid update with a valid key is answered 200 with the updated InventoryItem: the same petId and the new quantity.',
  },
  {
    id: 'update-sets',
    area: 'update',
    clause: UPDATE,
    level: 'must',
    statement: 'An update sets the quantity; it does not add to it.',
  },
  {
    id: 'update-persists',
    area: 'update',
    clause: UPDATE,
    level: 'must',
    statement: 'After an update the list shows the new quantity.',
  },
  {
    id: 'update-touches-one-entry',
    area: 'update',
    clause: UPDATE,
    level: 'must',
    statement: 'An update changes no other entry of the list, and neither adds nor removes one.',
    reading:
      'Others may write to a shared store: what they might have done is a failure only if it comes back, or if the pet that left the list is still in the store.',
  },
  {
    id: 'update-exact-pet',
    area: 'update',
    clause: UPDATE,
    level: 'must',
    statement:
      'The pet that is updated is the one whose int64 petId stands in the path, exact to the last digit.',
  },
  {
    id: 'update-missing-quantity',
    area: 'update',
    clause: UPDATE,
    level: 'must',
    statement: 'A body without quantity is answered 400.',
    reading:
      'Names of members are compared with their letter-case (RFC 8259, section 8.3): a body that holds Quantity only holds no quantity.',
  },
  {
    id: 'update-invalid-quantity',
    area: 'update',
    clause: UPDATE,
    level: 'must',
    statement:
      'A quantity that is null, a string, a boolean, an array, an object or a fraction is answered 400.',
    reading: 'Bounds are not shown: negative and very large quantities, 1.0 and 1e2 are only observed.',
  },
  {
    id: 'update-malformed-body',
    area: 'update',
    clause: UPDATE,
    level: 'must',
    statement: 'A body that is empty, not JSON or not an object is answered 400.',
    reading:
      'A closed connection is no answer: it fails where it comes each time, on fresh connections too, or where the target is gone after it. A single one proves nothing.',
  },
  {
    id: 'update-unknown-pet',
    area: 'update',
    clause: UPDATE,
    level: 'must',
    statement: 'A petId that is a valid int64 and belongs to no entry is answered 404.',
    reading:
      'Judged for positive ids up to 9223372036854775807. Negative ids and zero, words, fractions and ids beyond int64 are only observed.',
  },
  {
    id: 'refused-changes-nothing',
    area: 'update',
    clause: 'Errors',
    level: 'must',
    statement: 'A request that was refused (400, 401, 404, 429) changed nothing.',
    reading:
      'What was answered 200 was not refused: it fails the requirement that wants it refused, and only that.',
  },

  // Errors
  {
    id: 'error-code',
    area: 'errors',
    clause: ERROR,
    level: 'must',
    statement: 'An Error object on 400, 401 and 404 holds code, a string.',
  },
  {
    id: 'error-message',
    area: 'errors',
    clause: ERROR,
    level: 'must',
    statement: 'An Error object on 400, 401 and 404 holds message, a string.',
  },
  {
    id: 'error-status',
    area: 'errors',
    clause: ERROR,
    level: 'must',
    statement: 'An Error object on 400, 401 and 404 holds status, an integer that equals the HTTP status.',
  },
  {
    id: 'content-type-json',
    area: 'errors',
    clause: 'Endpoints',
    level: 'must',
    statement: 'A documented body is sent as application/json.',
    reading:
      'Parameters such as charset are allowed; application/problem+json is another media type. Judged on 200, 400, 401 and 404 of the two inventory operations and on 401 of the other two.',
  },

  // Authentication
  {
    id: 'valid-key-accepted',
    area: 'authentication',
    clause: 'Authentication 2',
    level: 'must',
    statement:
      'A request that carries a valid key as bearer token is not answered 401, unless the key is banned.',
    reading:
      'A key that the control URL has just issued is valid at once. A configured key that never worked may be mistyped, and leaves this open.',
  },
  {
    id: 'missing-key',
    area: 'authentication',
    clause: 'Authentication 3',
    level: 'must',
    statement: 'A request without a key is answered 401.',
  },
  {
    id: 'unknown-key',
    area: 'authentication',
    clause: 'Authentication 3',
    level: 'must',
    statement: 'A request with a key that was never issued is answered 401.',
  },
  {
    id: 'altered-key',
    area: 'authentication',
    clause: 'Authentication 3',
    level: 'must',
    statement: 'A prefix, an extension or another letter-case of a good key is answered 401.',
  },
  {
    id: 'revoked-key',
    area: 'authentication',
    clause: 'Authentication 3',
    level: 'must',
    statement: 'A key that was revoked is answered 401.',
    reading:
      'How a key is revoked is not shown; a revoked key is an invalid one. Judged with a key from revokedKeys or revoked through the control URL.',
  },
  {
    id: 'bearer-scheme',
    area: 'authentication',
    clause: 'Authentication 1',
    level: 'must',
    statement: 'A good key under another scheme, or without a scheme, is answered 401.',
    reading:
      'XBearer, and Bearer behind another scheme, are other schemes. Text that follows the key is only observed.',
  },
  {
    id: 'every-operation-authenticates',
    area: 'authentication',
    clause: 'Authentication 1',
    level: 'must',
    statement: 'Every operation demands a valid key, GET /pets/{petId} and GET /store/orders among them.',
  },
  {
    id: 'www-authenticate',
    area: 'authentication',
    clause: 'RFC 9110, section 11.6.1',
    level: 'should',
    statement: 'A 401 carries WWW-Authenticate.',
  },
  {
    id: 'bearer-any-case',
    area: 'authentication',
    clause: 'RFC 9110, section 11.1',
    level: 'should',
    statement: 'The scheme name Bearer is matched without letter-case.',
  },
  {
    id: 'authentication-first',
    area: 'authentication',
    clause: 'Errors',
    level: 'should',
    statement: 'Where a request has a bad key and other faults, the answer is 401.',
  },
  {
    id: 'key-elsewhere',
    area: 'authentication',
    clause: 'Authentication 2',
    level: 'observe',
    statement: 'What a key in the query string or in X-API-Key instead of Authorization does.',
  },
  {
    id: 'credential-spellings',
    area: 'authentication',
    clause: 'Authentication 2',
    level: 'observe',
    statement: 'What unusual spellings of a good Authorization header do.',
  },

  // Rate limit headers
  {
    id: 'header-limit',
    area: 'headers',
    clause: HEADERS,
    level: 'must',
    statement:
      'Every response of every documented operation carries X-RateLimit-Limit once, a decimal integer.',
  },
  {
    id: 'header-remaining',
    area: 'headers',
    clause: HEADERS,
    level: 'must',
    statement:
      'Every response of every documented operation carries X-RateLimit-Remaining once, a decimal integer.',
  },
  {
    id: 'header-reset',
    area: 'headers',
    clause: HEADERS,
    level: 'must',
    statement:
      'Every response of every documented operation carries X-RateLimit-Reset once, a decimal integer.',
  },
  {
    id: 'remaining-in-range',
    area: 'headers',
    clause: HEADERS,
    level: 'must',
    statement: 'X-RateLimit-Remaining lies between 0 and X-RateLimit-Limit.',
  },
  {
    id: 'limit-of-plan',
    area: 'headers',
    clause: HEADERS,
    level: 'must',
    statement: 'For a known key X-RateLimit-Limit is one of the two limits of its plan.',
  },
  {
    id: 'reset-is-near',
    area: 'headers',
    clause: HEADERS,
    level: 'must',
    statement:
      'X-RateLimit-Reset is a Unix timestamp in seconds, not in the past and not beyond the window that X-RateLimit-Limit names.',
    reading:
      'Two seconds of grace on either side, on the clock of the server: the control clock, else what the Date headers of all answers tell, since a single one may be stale. Without either, some one clock has to explain all values. An answer to a banned key may name the end of the ban instead: not after its Retry-After where there is one, else within 31 days. A key counts as banned here where it was refused after it had gone on after a 429, or before its first accepted request of the run.',
  },
  {
    id: 'remaining-falls',
    area: 'headers',
    clause: HEADERS,
    level: 'must',
    statement: 'X-RateLimit-Remaining falls by one for each accepted request of the key in a window.',
    reading: 'Refused requests may count or not. Where requests overlap, only the total is judged.',
  },
  {
    id: 'remaining-counts-operations',
    area: 'headers',
    clause: HEADERS,
    level: 'must',
    statement: 'All operations of a key draw on the same remaining requests.',
  },
  {
    id: 'headers-when-day-binds',
    area: 'headers',
    clause: HEADERS,
    level: 'observe',
    statement: 'Which window the headers describe when the day limit binds.',
  },
  {
    id: 'headers-without-key',
    area: 'headers',
    clause: HEADERS,
    level: 'observe',
    statement: 'What the three headers say to a request without a valid key.',
  },

  // Limits
  {
    id: 'minute-limit-free',
    area: 'limits',
    clause: PLANS,
    level: 'must',
    statement: 'A Free key is granted exactly 60 requests in a fresh minute.',
  },
  {
    id: 'minute-limit-pro',
    area: 'limits',
    clause: PLANS,
    level: 'must',
    statement: 'A Pro key is granted exactly 300 requests in a fresh minute.',
  },
  {
    id: 'minute-limit-business',
    area: 'limits',
    clause: PLANS,
    level: 'must',
    statement: 'A Business key is granted exactly 1,000 requests in a fresh minute.',
  },
  {
    id: 'minute-limit-enterprise',
    area: 'limits',
    clause: PLANS,
    level: 'must',
    statement: 'An Enterprise key is granted exactly the requests a minute that were agreed for it.',
  },
  {
    id: 'day-limit-free',
    area: 'limits',
    clause: PLANS,
    level: 'must',
    statement: 'A Free key is granted exactly 1,000 requests in a fresh day.',
  },
  {
    id: 'day-limit-pro',
    area: 'limits',
    clause: PLANS,
    level: 'must',
    statement: 'A Pro key is granted exactly 10,000 requests in a fresh day.',
  },
  {
    id: 'day-limit-business',
    area: 'limits',
    clause: PLANS,
    level: 'must',
    statement: 'A Business key is granted exactly 100,000 requests in a fresh day.',
  },
  {
    id: 'day-limit-enterprise',
    area: 'limits',
    clause: PLANS,
    level: 'must',
    statement: 'An Enterprise key is granted exactly the requests a day that were agreed for it.',
  },
  {
    id: 'refusal-is-429',
    area: 'limits',
    clause: `${AT_LIMIT} 1`,
    level: 'must',
    statement: 'A request that exceeds a limit is answered 429, whichever operation it names.',
  },
  {
    id: 'limit-under-concurrency',
    area: 'limits',
    clause: PLANS,
    level: 'must',
    statement:
      'Requests that arrive at once are granted exactly as many as requests that arrive one by one, over one connection or many.',
  },
  {
    id: 'limit-over-spellings',
    area: 'limits',
    clause: PLANS,
    level: 'must',
    statement:
      'Another spelling of the path (a trailing slash, a query string) or another operation does not escape the limit.',
  },
  {
    id: 'limit-renews',
    area: 'limits',
    clause: PLANS,
    level: 'must',
    statement:
      'When the window has passed, requests are granted again, up to the whole limit and not beyond it.',
    reading:
      'Fixed, clock-aligned and sliding windows all conform; a burst that a boundary cut in two is measured again.',
  },
  {
    id: 'window-algorithm',
    area: 'limits',
    clause: PLANS,
    level: 'observe',
    statement: 'How the window moves: aligned to the clock, from the first request, or sliding.',
  },
  {
    id: 'refused-requests-count',
    area: 'limits',
    clause: PLANS,
    level: 'observe',
    statement: 'Whether requests answered 400 or 404 draw on the limit.',
  },
  {
    id: 'body-of-429',
    area: 'limits',
    clause: 'Errors',
    level: 'observe',
    statement: 'What the body of a 429 is.',
  },

  // Retry-After
  {
    id: 'retry-after-present',
    area: 'retry',
    clause: 'Errors',
    level: 'must',
    statement: 'Every 429 carries Retry-After, once.',
  },
  {
    id: 'retry-after-valid',
    area: 'retry',
    clause: 'Errors',
    level: 'must',
    statement: 'Retry-After is delta-seconds or an HTTP-date (RFC 9110, section 10.2.3).',
  },
  {
    id: 'retry-after-honoured',
    area: 'retry',
    clause: 'Errors',
    level: 'must',
    statement: 'One request that is sent once Retry-After has passed is accepted.',
  },
  {
    id: 'retry-after-plausible',
    area: 'retry',
    clause: 'Errors',
    level: 'should',
    statement: 'Retry-After agrees with the window that it speaks of.',
  },
  {
    id: 'retry-after-format',
    area: 'retry',
    clause: 'Limits',
    level: 'observe',
    statement: 'Which of its two forms Retry-After has.',
  },

  // Independence
  {
    id: 'keys-independent-at-limit',
    area: 'independence',
    clause: PLANS,
    level: 'must',
    statement: 'A key at its limit leaves every other key untouched.',
  },
  {
    id: 'keys-independent-in-ban',
    area: 'independence',
    clause: `${AT_LIMIT} 3`,
    level: 'must',
    statement: 'A banned key leaves every other key untouched.',
  },

  // Ban
  {
    id: 'ban-only-after-continued',
    area: 'ban',
    clause: `${AT_LIMIT} 3`,
    level: 'must',
    statement:
      'A ban comes only after continued requests that follow a 429; a client that waited is never banned.',
  },
  {
    id: 'ban-ends',
    area: 'ban',
    clause: `${AT_LIMIT} 3`,
    level: 'must',
    statement: 'A ban is temporary: it ends, and not later than its own Retry-After says.',
    reading: 'The length is not shown. With a clock, 31 days are enough for any ban to be called temporary.',
  },
  {
    id: 'ban-answer',
    area: 'ban',
    clause: HEADERS,
    level: 'must',
    statement: 'A banned key is answered 401, 403 or 429, with the three rate limit headers.',
  },
  {
    id: 'ban-threshold',
    area: 'ban',
    clause: `${AT_LIMIT} 3`,
    level: 'observe',
    statement: 'After how many continued requests the ban comes, if it does.',
  },
  { id: 'ban-length', area: 'ban', clause: 'Limits', level: 'observe', statement: 'How long the ban lasts.' },
  {
    id: 'ban-status',
    area: 'ban',
    clause: 'Limits',
    level: 'observe',
    statement: 'With which status a banned key is answered.',
  },
  {
    id: 'body-of-ban',
    area: 'ban',
    clause: 'Limits',
    level: 'observe',
    statement: 'What the body of an answer to a banned key is.',
  },

  // What the text is silent about
  {
    id: 'no-server-error',
    area: 'errors',
    clause: 'RFC 9110, section 15.6',
    level: 'should',
    statement: 'No request is answered with a 5xx status.',
  },
  {
    id: 'error-texts',
    area: 'errors',
    clause: ERROR,
    level: 'should',
    statement: 'code and message of an Error object are not empty.',
  },
  {
    id: 'readable-json',
    area: 'errors',
    clause: 'RFC 9110, section 8.3',
    level: 'should',
    statement: 'A body that Content-Type says is JSON can be read as JSON, on every documented operation.',
  },
  {
    id: 'date-header',
    area: 'headers',
    clause: 'RFC 9110, section 6.6.1',
    level: 'should',
    statement: 'A Date header, where there is one, is an HTTP-date and right within a minute.',
    reading:
      'Judged where a control clock tells the time of the server; a Date that does not move along with that clock is compared with the time here.',
  },
  {
    id: 'method-not-allowed',
    area: 'other operations',
    clause: 'RFC 9110, section 15.5.6',
    level: 'should',
    statement:
      'A wrong method on a documented path is answered 405 with an Allow that names the method of that path.',
  },
  {
    id: 'sunset-header',
    area: 'versioning',
    clause: 'RFC 8594, section 3',
    level: 'should',
    statement: 'A Sunset header, where there is one, is an HTTP-date.',
  },
  {
    id: 'deprecation-header',
    area: 'versioning',
    clause: 'RFC 9745, section 2',
    level: 'should',
    statement: 'A Deprecation header, where there is one, is a structured-field date such as @1688169599.',
  },
  {
    id: 'negative-quantity',
    area: 'update',
    clause: 'Resources and their fields, InventoryUpdate',
    level: 'observe',
    statement: 'What a negative quantity does.',
  },
  {
    id: 'large-quantity',
    area: 'update',
    clause: 'Resources and their fields, InventoryUpdate',
    level: 'observe',
    statement: 'What a very large quantity does.',
  },
  {
    id: 'integral-number-forms',
    area: 'update',
    clause: 'Resources and their fields, InventoryUpdate',
    level: 'observe',
    statement: 'What 1.0 and 1e2 do as a quantity.',
  },
  {
    id: 'further-request-members',
    area: 'update',
    clause: UPDATE,
    level: 'observe',
    statement: 'What further members in a request body do.',
  },
  {
    id: 'duplicate-request-members',
    area: 'update',
    clause: UPDATE,
    level: 'observe',
    statement: 'What a duplicate quantity in a request body does.',
  },
  {
    id: 'request-content-type',
    area: 'update',
    clause: UPDATE,
    level: 'observe',
    statement: 'What a missing or other Content-Type on an update does.',
  },
  {
    id: 'body-encoding',
    area: 'update',
    clause: UPDATE,
    level: 'observe',
    statement: 'What a request body with a byte order mark, or not in UTF-8, does.',
  },
  {
    id: 'odd-pet-ids',
    area: 'update',
    clause: UPDATE,
    level: 'observe',
    statement: 'What a petId that is no integer, beyond int64, zero or negative does.',
  },
  {
    id: 'status-after-update',
    area: 'update',
    clause: 'States and transitions',
    level: 'observe',
    statement: 'Whether an update of the quantity changes the status.',
  },
  {
    id: 'list-order',
    area: 'list',
    clause: LIST,
    level: 'observe',
    statement: 'In which order the list stands.',
  },
  {
    id: 'query-parameters',
    area: 'list',
    clause: LIST,
    level: 'observe',
    statement: 'What unknown query parameters on the list do.',
  },
  {
    id: 'extra-members',
    area: 'list',
    clause: ITEM,
    level: 'observe',
    statement: 'Which further members items and errors hold.',
  },
  {
    id: 'error-code-values',
    area: 'errors',
    clause: 'Errors',
    level: 'observe',
    statement: 'Which values code takes.',
  },
  {
    id: 'other-operation-shapes',
    area: 'other operations',
    clause: 'Endpoints, Other endpoints',
    level: 'observe',
    statement: 'What GET /pets/{petId} and GET /store/orders answer.',
  },
  {
    id: 'unknown-routes',
    area: 'other operations',
    clause: 'Endpoints',
    level: 'observe',
    statement: 'What an unknown route answers.',
  },
  {
    id: 'path-spellings',
    area: 'other operations',
    clause: 'Endpoints',
    level: 'observe',
    statement: 'Which other spellings of a path reach the operation.',
  },
  {
    id: 'extra-headers',
    area: 'headers',
    clause: HEADERS,
    level: 'observe',
    statement:
      'Which headers that hint at caching, limits or deprecation responses carry beside the documented ones.',
  },
  {
    id: 'compression',
    area: 'other operations',
    clause: 'Endpoints',
    level: 'observe',
    statement: 'Whether a response is compressed when the client allows it.',
  },

  // What binds clients
  {
    id: 'client-operation',
    area: 'client',
    clause: 'Endpoints',
    level: 'must',
    statement:
      'A client sends the method and path of its operation under the base address, and no other request.',
    reading:
      'Another spelling that names the same resource is let pass, such as a trailing slash, and so is a query: query parameters are not shown.',
  },
  {
    id: 'client-sends-bearer',
    area: 'client',
    clause: 'Authentication 2',
    level: 'must',
    statement: 'A client sends its key as bearer token in the Authorization header of every request.',
  },
  {
    id: 'client-update-body',
    area: 'client',
    clause: UPDATE,
    level: 'must',
    statement:
      'An update is sent as application/json, a JSON object whose quantity is the integer that was asked for.',
  },
  {
    id: 'client-exact-pet-id',
    area: 'client',
    clause: UPDATE,
    level: 'must',
    statement: 'The petId in the path is the int64 that was asked for, exact to the last digit.',
  },
  {
    id: 'client-reports-result',
    area: 'client',
    clause: LIST,
    level: 'must',
    statement: 'A client reports what a 200 says: every entry, every digit, every status.',
    reading:
      'Unknown members and header fields, the letter-case of header names, slow answers and closed connections are within HTTP and JSON, and must not change the result. Unknown members may be reported or dropped.',
  },
  {
    id: 'client-reports-error',
    area: 'client',
    clause: 'Errors',
    level: 'must',
    statement: 'A client reports an error with its status, and with code and message as they were answered.',
    reading:
      'Code and message are compared for 400, 401 and 404, whose answers hold an Error object. What a 429 or a ban holds is not shown, so that there only the status is.',
  },
  {
    id: 'client-does-not-repeat-refused',
    area: 'client',
    clause: 'Errors',
    level: 'must',
    statement: 'A client does not try again what was answered 400, 401 or 404.',
  },
  {
    id: 'client-waits',
    area: 'client',
    clause: `${AT_LIMIT} 2`,
    level: 'must',
    statement: 'After a 429 a client sends nothing until the time in Retry-After has passed.',
    reading:
      'Judged by the clock of the server from the moment at which it answered; under 20 ms too early is let pass now and then, but not in five waits or more and a third of all, and nobody is ever too late. A client that gives up instead and reports the 429 conforms.',
  },
  {
    id: 'client-avoids-ban',
    area: 'client',
    clause: `${AT_LIMIT} 3`,
    level: 'must',
    statement: 'A client does not go on after a 429 so that its key is banned.',
  },
  {
    id: 'client-completes',
    area: 'client',
    clause: 'What the service does',
    level: 'must',
    statement: 'A client ends each operation with a result or an error, without a crash and without hanging.',
    reading: 'How a client reports is fixed by the driver contract of stockcheck.',
  },
  {
    id: 'client-backs-off',
    area: 'client',
    clause: `${AT_LIMIT} 2`,
    level: 'should',
    statement: 'The waits of a client grow exponentially over consecutive 429s.',
    reading:
      'What a client waits beyond Retry-After is compared with full jitter over several 429s. To wait exactly Retry-After each time misses only this.',
  },
  {
    id: 'client-stops-trying',
    area: 'client',
    clause: `${AT_LIMIT} 2`,
    level: 'should',
    statement: 'A client gives up after a bounded number of attempts.',
  },
  {
    id: 'client-retries-limited',
    area: 'client',
    clause: `${AT_LIMIT} 2`,
    level: 'observe',
    statement: 'Whether a client tries again after a 429, or gives up and reports it.',
  },
  {
    id: 'client-paces-itself',
    area: 'client',
    clause: HEADERS,
    level: 'observe',
    statement: 'Whether a client slows down where X-RateLimit-Remaining is 0.',
  },
  {
    id: 'client-keeps-key-from-others',
    area: 'client',
    clause: 'RFC 9110, section 15.4',
    level: 'observe',
    statement: 'Whether a client takes its key along when it is redirected to another host.',
  },
  {
    id: 'client-unreadable-retry-after',
    area: 'client',
    clause: 'Limits',
    level: 'observe',
    statement: 'What a client does after a 429 whose Retry-After can not be read.',
  },
  {
    id: 'client-liberties',
    area: 'client',
    clause: 'Endpoints',
    level: 'observe',
    statement: 'What a client adds to a request that the operation does not document.',
  },
  {
    id: 'client-reuses-connections',
    area: 'client',
    clause: 'RFC 9112, section 9.3',
    level: 'observe',
    statement: 'Whether a client keeps its connection for the next attempt.',
  },

  // What no exchange with a server can show
  {
    id: 'base-address',
    area: 'versioning',
    clause: 'What the service does',
    level: 'must',
    statement: 'Both base addresses end in the path segment /v1.',
    notChecked: 'The address is given to the suite, which can only warn where it ends otherwise.',
  },
  {
    id: 'api-version',
    area: 'versioning',
    clause: 'Versioning 1',
    level: 'must',
    statement: 'The API is at version 1.0.0.',
    notChecked: 'No response is said to carry the version.',
  },
  {
    id: 'stability-marker',
    area: 'versioning',
    clause: 'Versioning 2',
    level: 'must',
    statement: 'Endpoints carry a stability marker, experimental or beta.',
    notChecked: 'A property of the description of the API; no response is said to carry it.',
  },
  {
    id: 'deprecation-marker',
    area: 'versioning',
    clause: 'Versioning 3',
    level: 'must',
    statement: 'GET /pets/{petId} is deprecated with a sunset date.',
    notChecked:
      'The date is not shown and no header is said to carry it; the form of Sunset and Deprecation is judged where they are present.',
  },
  {
    id: 'pet-status-transitions',
    area: 'update',
    clause: 'States and transitions',
    level: 'observe',
    statement: 'Which transitions of status there are.',
    notChecked: 'No operation that sets the status is shown.',
  },
  {
    id: 'key-issue',
    area: 'authentication',
    clause: 'Authentication 5',
    level: 'observe',
    statement: 'How a key is obtained or revoked.',
    notChecked: 'Not shown, and no operation for it exists.',
  },
] as const satisfies readonly Row[];

export type RequirementId = (typeof ROWS)[number]['id'];

/** A row of the register. */
export interface Requirement extends Row {
  readonly id: RequirementId;
}

export const REQUIREMENTS: readonly Requirement[] = ROWS;

/** What `verify` judges. */
export const SERVER_REQUIREMENTS: readonly Requirement[] = REQUIREMENTS.filter(
  ({ area, notChecked }) => area !== 'client' && notChecked === undefined,
);

/** What `certify` judges. */
export const CLIENT_REQUIREMENTS: readonly Requirement[] = REQUIREMENTS.filter(
  ({ area }) => area === 'client',
);

const BY_ID: ReadonlyMap<string, Requirement> = new Map(ROWS.map((row) => [row.id, row]));

/** The row of that id, or `undefined` where there is none. */
export function findRequirement(id: string): Requirement | undefined {
  return BY_ID.get(id);
}

/** The row of that id; every id of the union type has one. */
export function requirement(id: RequirementId): Requirement {
  const row = BY_ID.get(id);
  if (row === undefined) {
    throw new Error(`The register has no row ${id}`);
  }
  return row;
}
