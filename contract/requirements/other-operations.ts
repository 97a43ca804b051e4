import type { RequirementRow } from './row.ts';

export const OTHER_OPERATIONS_ROWS = [
  {
    id: 'method-not-allowed',
    clause: 'RFC 9110, section 15.5.6',
    level: 'should',
    statement:
      'A wrong method on a documented path is answered 405 with an Allow that names the method of that path.',
  },
  {
    id: 'other-operation-shapes',
    clause: 'Endpoints, Other endpoints',
    level: 'observe',
    statement: 'What GET /pets/{petId} and GET /store/orders answer.',
  },
  {
    id: 'unknown-routes',
    clause: 'Endpoints',
    level: 'observe',
    statement: 'What an unknown route answers.',
  },
  {
    id: 'path-spellings',
    clause: 'Endpoints',
    level: 'observe',
    statement: 'Which other spellings of a path reach the operation.',
  },
  {
    id: 'compression',
    clause: 'Endpoints',
    level: 'observe',
    statement: 'Whether a response is compressed when the client allows it.',
  },
] as const satisfies readonly RequirementRow[];
