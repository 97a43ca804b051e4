import * as authentication from './authentication.ts';
import { testChecks } from './judge-scripted.test-data.ts';
import { carriedOutThough, rewriting, STRANGER, withText } from './alterations.test-data.ts';
import { readQuantity } from './scripted-target.test-data.ts';

testChecks(Object.values(authentication), [
  [
    'missing-key',
    'no key is needed',
    ({ authenticate }) => ({
      authenticate: (call) => (call.authorization.length === 0 ? STRANGER : authenticate(call)),
    }),
  ],
  [
    'unknown-key',
    'any key will do',
    ({ authenticate }) => ({
      authenticate: (call) =>
        call.authorization.length === 0 ? undefined : (authenticate(call) ?? STRANGER),
    }),
  ],
  [
    'every-operation-authenticates',
    'deprecated operations do not',
    ({ authenticate }) => ({
      authenticate: (call) => (/^\/(?:pets|store)/.test(call.path) ? STRANGER : authenticate(call)),
    }),
  ],
  [
    'altered-key',
    'letter-case does not matter',
    (_rules, { clients }) => ({
      authenticate: ({ authorization: [value = ''] }) =>
        [...clients.values()].find(({ secret }) => `bearer ${secret}`.toLowerCase() === value.toLowerCase()),
    }),
  ],
  [
    'bearer-scheme',
    'any scheme will do',
    (_rules, { clients }) => ({
      authenticate: ({ authorization: [value = ''] }) => clients.get(/\S+$/.exec(value)?.[0] ?? ''),
    }),
  ],
  [
    'bearer-any-case',
    'Bearer has to be spelled so',
    ({ authenticate }) => ({
      authenticate: (call) =>
        call.authorization[0]?.startsWith('Bearer ') === true ? authenticate(call) : undefined,
    }),
  ],
  [
    'revoked-key',
    'it still works',
    (_rules, { clients }) => ({
      authenticate: ({ authorization: [value = ''] }) => clients.get(value.replace('Bearer ', '')),
    }),
  ],
  [
    'authentication-first',
    'the body is read first',
    rewriting(
      ({ status }, { method, body }) =>
        status === 401 && method === 'PATCH' && readQuantity(body) === undefined,
      () => ({ status: 400 }),
    ),
  ],
  ['refused-changes-nothing', 'an update is carried out all the same', carriedOutThough(401)],
  ['error-code', 'it is missing', withText(/"code"/g, '"kind"')],
  ['error-message', 'it is missing', withText(/"message"/g, '"text"')],
  ['error-status', 'it is a string', withText(/"status":(\d+)/g, '"status":"$1"')],
]);
