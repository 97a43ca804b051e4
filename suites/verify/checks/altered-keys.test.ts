import { carriedOutThough, withAnyKey, withAnyScheme, withoutKey } from './target-changes.test-data.ts';
import { alteredKeys, alteredKeysElsewhere, credentialSpellings } from './altered-keys.ts';
import { testChecks } from './judge-scripted.test-data.ts';

testChecks(
  [alteredKeys, alteredKeysElsewhere, credentialSpellings],
  [
    ['missing-key', 'no key is needed', withoutKey],
    ['unknown-key', 'any key will do', withAnyKey],
    [
      'altered-key',
      'letter-case does not matter',
      (_rules, { clients }) => ({
        authenticate: ({ authorization: [value = ''] }) =>
          [...clients.values()].find(
            ({ secret }) => `bearer ${secret}`.toLowerCase() === value.toLowerCase(),
          ),
      }),
    ],
    ['bearer-scheme', 'any scheme will do', withAnyScheme],
    [
      'bearer-any-case',
      'Bearer has to be spelled so',
      ({ authenticate }) => ({
        authenticate: (call) =>
          call.authorization[0]?.startsWith('Bearer ') === true ? authenticate(call) : undefined,
      }),
    ],
    ['refused-changes-nothing', 'an update is carried out all the same', carriedOutThough(401)],
  ],
);
