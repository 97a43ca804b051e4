import { carriedOutThough, withAnyScheme } from './target-changes.test-data.ts';
import { testChecks } from './judge-scripted.test-data.ts';
import { keyRevokedNow, revokedKeys } from './revoked-keys.ts';

testChecks(
  [revokedKeys, keyRevokedNow],
  [
    ['revoked-key', 'it still works', withAnyScheme],
    ['refused-changes-nothing', 'an update is carried out all the same', carriedOutThough(401)],
  ],
);
