import type { RequirementRow } from './row.ts';

export const AUTHENTICATION_ROWS = [
  {
    id: 'valid-key-accepted',
    clause: 'Authentication 2',
    level: 'must',
    statement:
      'A request that carries a valid key as bearer token is not answered 401, unless the key is banned.',
    reading:
      'A key that the control URL has just issued is valid at once. A configured key that never worked may be mistyped, and leaves this open.',
  },
  {
    id: 'missing-key',
    clause: 'Authentication 3',
    level: 'must',
    statement: 'A request without a key is answered 401.',
  },
  {
    id: 'unknown-key',
    clause: 'Authentication 3',
    level: 'must',
    statement: 'A request with a key that was never issued is answered 401.',
  },
  {
    id: 'altered-key',
    clause: 'Authentication 3',
    level: 'must',
    statement: 'A prefix, an extension or another letter-case of a good key is answered 401.',
  },
  {
    id: 'revoked-key',
    clause: 'Authentication 3',
    level: 'must',
    statement: 'A key that was revoked is answered 401.',
    reading:
      'How a key is revoked is not shown; a revoked key is an invalid one. Judged with a key from revokedKeys or revoked through the control URL.',
  },
  {
    id: 'bearer-scheme',
    clause: 'Authentication 1',
    level: 'must',
    statement: 'A good key under another scheme, or without a scheme, is answered 401.',
    reading:
      'XBearer, and Bearer behind another scheme, are other schemes. Text that follows the key is only observed.',
  },
  {
    id: 'every-operation-authenticates',
    clause: 'Authentication 1',
    level: 'must',
    statement: 'Every operation demands a valid key, GET /pets/{petId} and GET /store/orders among them.',
  },
  {
    id: 'www-authenticate',
    clause: 'RFC 9110, section 11.6.1',
    level: 'should',
    statement: 'A 401 carries WWW-Authenticate.',
  },
  {
    id: 'bearer-any-case',
    clause: 'RFC 9110, section 11.1',
    level: 'should',
    statement: 'The scheme name Bearer is matched without letter-case.',
  },
  {
    id: 'authentication-first',
    clause: 'Errors',
    level: 'should',
    statement: 'Where a request has a bad key and other faults, the answer is 401.',
  },
  {
    id: 'key-elsewhere',
    clause: 'Authentication 2',
    level: 'observe',
    statement: 'What a key in the query string or in X-API-Key instead of Authorization does.',
  },
  {
    id: 'credential-spellings',
    clause: 'Authentication 2',
    level: 'observe',
    statement: 'What unusual spellings of a good Authorization header do.',
  },
  {
    id: 'key-issue',
    clause: 'Authentication 5',
    level: 'observe',
    statement: 'How a key is obtained or revoked.',
    notChecked: 'Not shown, and no operation for it exists.',
  },
] as const satisfies readonly RequirementRow[];
