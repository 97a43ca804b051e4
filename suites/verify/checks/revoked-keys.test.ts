import { expect, test } from 'vitest';

import { carriedOutThough, withAnyScheme } from './target-changes.test-data.ts';
import { judgeScripted, testChecks } from './judge-scripted.test-data.ts';
import { keyRevokedNow, revokedKeys } from './revoked-keys.ts';

testChecks(
  [revokedKeys, keyRevokedNow],
  [
    ['revoked-key', 'it still works', withAnyScheme],
    ['refused-changes-nothing', 'an update is carried out all the same', carriedOutThough(401)],
  ],
);

test('a key that was used forty times and works on after its revocation is found', async () => {
  const judgements = await judgeScripted([keyRevokedNow], ({ authenticate }, { clients }) => {
    const uses = new Map<string, number>();
    return {
      authenticate: (call) => {
        const secret = /^Bearer (?<secret>.*)$/.exec(call.authorization[0] ?? '')?.groups?.['secret'] ?? '';
        const used = (uses.get(secret) ?? 0) + 1;
        uses.set(secret, used);
        return used > 40 ? clients.get(secret) : authenticate(call);
      },
    };
  });
  expect(judgements.judgementOf('revoked-key').outcome).toBe('fail');
});
