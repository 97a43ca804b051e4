import type { RequirementRow } from './row.ts';

const ERROR = 'Resources and their fields, Error';

export const ERRORS_ROWS = [
  {
    id: 'error-code',
    clause: ERROR,
    level: 'must',
    statement: 'The Error object of a 400, 401 or 404 has a code, which is a string.',
    quotes: ['| code | string | yes | Machine-readable error code. |'],
    dependsOn: ['content-type-json', 'readable-json', 'valid-key-accepted', 'update-succeeds'],
  },
  {
    id: 'error-message',
    clause: ERROR,
    level: 'must',
    statement: 'The Error object of a 400, 401 or 404 has a message, which is a string.',
    quotes: ['| message | string | yes | Human-readable description. |'],
    dependsOn: ['error-code'],
  },
  {
    id: 'error-status',
    clause: ERROR,
    level: 'must',
    statement:
      'The Error object of a 400, 401 or 404 has a status, which is an integer and equals the HTTP status.',
    quotes: ['| status | integer | yes | The HTTP status code. |'],
    dependsOn: ['error-code'],
  },
  {
    id: 'content-type-json',
    clause: 'Endpoints',
    level: 'must',
    statement: 'A documented body is sent as application/json.',
    quotes: ['Bodies are `application/json`.'],
    reading:
      'Parameters such as charset are allowed; application/problem+json is another media type. Judged on 200, 400, 401 and 404 of the two inventory operations and on 401 of the other two.',
  },
  {
    id: 'no-server-error',
    clause: 'RFC 9110, section 15.6',
    level: 'should',
    statement: 'No request is answered with a 5xx status.',
    basis:
      'RFC 9110, section 15.6: a 5xx status says that the server failed. The specification documents no such answer.',
    dependsOn: ['ban-answer', 'refusal-is-429'],
  },
  {
    id: 'error-texts',
    since: '1.1',
    clause: ERROR,
    level: 'should',
    statement: 'code and message of an Error object are not empty.',
    quotes: [
      '| code | string | yes | Machine-readable error code. |',
      '| message | string | yes | Human-readable description. |',
    ],
  },
  {
    id: 'readable-json',
    since: '1.1',
    clause: 'RFC 9110, section 8.3',
    level: 'should',
    statement:
      'A body that is JSON according to its Content-Type can be read as JSON, on every documented operation.',
    basis:
      'RFC 9110, section 8.3: Content-Type says what the body is and how it is to be processed. RFC 8259, section 8.1: JSON is sent without a byte order mark.',
  },
  {
    id: 'error-code-values',
    clause: 'Errors',
    level: 'observe',
    statement: 'Which values code takes.',
    quotes: ['The set of values of the `code` field: not shown.'],
  },
] as const satisfies readonly RequirementRow[];
