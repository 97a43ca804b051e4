import type { RequirementRow } from './row.ts';

const BEARER_AUTHENTICATION = 'Every operation requires HTTP bearer authentication.';
const KEY_IN_AUTHORIZATION =
  'The client sends its API key as the bearer token in the `Authorization` header (scheme `Bearer`, value `<API_KEY>`).';
const INVALID_KEY = 'When the key is missing or invalid, the response is 401 with an Error object.';

export const AUTHENTICATION_ROWS = [
  {
    id: 'valid-key-accepted',
    clause: 'Authentication 2',
    level: 'must',
    statement:
      'A request with a valid key as its bearer token is answered, and not with 401, unless the key is banned.',
    quotes: [KEY_IN_AUTHORIZATION],
    reading:
      'A key that the control URL has just issued is valid at once. A configured key that never worked may be mistyped, so it decides nothing.',
  },
  {
    id: 'missing-key',
    clause: 'Authentication 3',
    level: 'must',
    refusal: 401,
    statement: 'A request without a key is answered 401.',
    quotes: [INVALID_KEY],
    dependsOn: ['valid-key-accepted', 'unknown-key'],
  },
  {
    id: 'unknown-key',
    clause: 'Authentication 3',
    level: 'must',
    statement: 'A request with a key that was never issued is answered 401.',
    quotes: [INVALID_KEY],
    dependsOn: ['valid-key-accepted'],
  },
  {
    id: 'altered-key',
    clause: 'Authentication 3',
    level: 'must',
    statement: 'A prefix, an extension or another letter-case of a valid key is answered 401.',
    quotes: [INVALID_KEY],
    dependsOn: ['unknown-key'],
  },
  {
    id: 'revoked-key',
    clause: 'Authentication 3',
    level: 'must',
    statement: 'A revoked key is answered 401.',
    quotes: [INVALID_KEY],
    reading:
      'How a key is revoked is not shown, but a revoked key is an invalid one. Judged with a key from revokedKeys, or one that is revoked through the control URL. One at its limit may be answered 429 until that ends, since the specification does not say which error comes first.',
    dependsOn: ['unknown-key', 'missing-key'],
  },
  {
    id: 'bearer-scheme',
    clause: 'Authentication 1',
    level: 'must',
    statement: 'A valid key under another scheme, or without a scheme, is answered 401.',
    quotes: [BEARER_AUTHENTICATION],
    reading:
      'XBearer, and Bearer after another scheme, are other schemes. Text after the key is only observed.',
    dependsOn: ['unknown-key', 'missing-key'],
  },
  {
    id: 'every-operation-authenticates',
    clause: 'Authentication 1',
    level: 'must',
    statement: 'Every operation requires a valid key, including GET /pets/{petId} and GET /store/orders.',
    quotes: [BEARER_AUTHENTICATION],
    dependsOn: ['valid-key-accepted', 'missing-key', 'unknown-key', 'revoked-key'],
  },
  {
    id: 'www-authenticate',
    clause: 'RFC 9110, section 11.6.1',
    level: 'should',
    statement: 'A 401 carries WWW-Authenticate.',
    basis: 'RFC 9110, section 11.6.1: a server that answers 401 must send WWW-Authenticate.',
  },
  {
    id: 'bearer-any-case',
    clause: 'RFC 9110, section 11.1',
    level: 'should',
    statement: 'The scheme name Bearer is accepted in any letter-case.',
    basis: 'RFC 9110, section 11.1: the name of an authentication scheme is case-insensitive.',
  },
  {
    id: 'authentication-first',
    clause: 'Errors',
    level: 'should',
    statement: 'A request that has an invalid key and other faults is answered 401.',
    basis:
      'The specification does not say which error comes first. An answer other than 401 tells somebody without a key whether a pet exists.',
  },
  {
    id: 'key-elsewhere',
    clause: 'Authentication 2',
    level: 'observe',
    statement: 'What a key in the query string or in X-API-Key, instead of Authorization, does.',
    basis: 'The specification names the Authorization header and does not mention any other place.',
  },
  {
    id: 'credential-spellings',
    clause: 'Authentication 2',
    level: 'observe',
    statement: 'What unusual spellings of a valid Authorization header do.',
    basis:
      'The specification gives one spelling, and HTTP allows variations such as more than one space (RFC 9110, section 11.4).',
  },
  {
    id: 'key-issue',
    clause: 'Authentication 5',
    level: 'observe',
    statement: 'How a key is obtained or revoked.',
    quotes: ['How an API key is obtained or revoked: not shown.'],
    notChecked: 'No operation for it is shown.',
  },
] as const satisfies readonly RequirementRow[];
