import type { RequirementRow } from './row.ts';

const ERROR = 'Resources and their fields, Error';

export const ERRORS_ROWS = [
  {
    id: 'error-code',
    clause: ERROR,
    level: 'must',
    statement: 'An Error object on 400, 401 and 404 holds code, a string.',
  },
  {
    id: 'error-message',
    clause: ERROR,
    level: 'must',
    statement: 'An Error object on 400, 401 and 404 holds message, a string.',
  },
  {
    id: 'error-status',
    clause: ERROR,
    level: 'must',
    statement: 'An Error object on 400, 401 and 404 holds status, an integer that equals the HTTP status.',
  },
  {
    id: 'content-type-json',
    clause: 'Endpoints',
    level: 'must',
    statement: 'A documented body is sent as application/json.',
    reading:
      'Parameters such as charset are allowed; application/problem+json is another media type. Judged on 200, 400, 401 and 404 of the two inventory operations and on 401 of the other two.',
  },
  {
    id: 'no-server-error',
    clause: 'RFC 9110, section 15.6',
    level: 'should',
    statement: 'No request is answered with a 5xx status.',
  },
  {
    id: 'error-texts',
    clause: ERROR,
    level: 'should',
    statement: 'code and message of an Error object are not empty.',
  },
  {
    id: 'readable-json',
    clause: 'RFC 9110, section 8.3',
    level: 'should',
    statement: 'A body that Content-Type says is JSON can be read as JSON, on every documented operation.',
  },
  {
    id: 'error-code-values',
    clause: 'Errors',
    level: 'observe',
    statement: 'Which values code takes.',
  },
] as const satisfies readonly RequirementRow[];
