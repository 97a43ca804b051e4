import {
  carriedOutThough,
  rewriting,
  withAnyKey,
  withAnyScheme,
  withoutKey,
  withText,
} from './target-changes.test-data.ts';
import { testChecks } from './judge-scripted.test-data.ts';
import { keylessForms, keylessReads, keylessUpdates, manyKeylessRequests } from './missing-keys.ts';
import { readQuantity } from './scripted-target.test-data.ts';

testChecks(
  [keylessReads, keylessForms, keylessUpdates, manyKeylessRequests],
  [
    ['missing-key', 'no key is needed', withoutKey],
    ['unknown-key', 'any key will do', withAnyKey],
    [
      'every-operation-authenticates',
      'deprecated operations need no key',
      (rules, world) => ({
        authenticate: (call) =>
          ({
            ...rules,
            ...(/^\/(?:pets|store)/.test(call.path) ? withoutKey(rules, world) : {}),
          }).authenticate(call),
      }),
    ],
    ['bearer-scheme', 'no scheme is needed', withAnyScheme],
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
  ],
);
