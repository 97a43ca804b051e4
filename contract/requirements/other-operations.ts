import type { RequirementRow } from './row.ts';

export const OTHER_OPERATIONS_ROWS = [
  {
    id: 'method-not-allowed',
    clause: 'RFC 9110, section 15.5.6',
    level: 'should',
    statement:
      'A wrong method on a documented path is answered 405 with an Allow that names the method of that path.',
    basis:
      'RFC 9110, section 15.5.6: a method that the resource does not support is answered 405, with the supported methods in Allow.',
  },
  {
    id: 'other-operation-shapes',
    clause: 'Endpoints, Other endpoints',
    level: 'observe',
    statement: 'What GET /pets/{petId} and GET /store/orders answer.',
    quotes: ['Shape of `GET /pets/{petId}` and `GET /store/orders`: not shown.'],
  },
  {
    id: 'unknown-routes',
    clause: 'Endpoints',
    level: 'observe',
    statement: 'What an unknown route answers.',
    basis: 'The specification lists its paths and does not say how any other path is answered.',
  },
  {
    id: 'path-spellings',
    clause: 'Endpoints',
    level: 'observe',
    statement: 'Which other spellings of a path reach the operation.',
    basis: 'The specification gives one spelling of each path and says nothing about others.',
  },
  {
    id: 'compression',
    clause: 'Endpoints',
    level: 'observe',
    statement: 'Whether a response is compressed if the client allows it.',
    basis:
      'The specification does not mention compression; HTTP leaves it to the server (RFC 9110, section 12.5.3).',
  },
] as const satisfies readonly RequirementRow[];
