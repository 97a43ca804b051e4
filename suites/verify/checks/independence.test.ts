import { describe } from 'vitest';

import { daysApart, keysApart, keysAtLimit } from './independence.ts';
import { testChecks } from './judge-scripted.test-data.ts';
import { withField } from './target-changes.test-data.ts';
import type { TargetChange } from './scripted-target.test-data.ts';

const together: TargetChange = () => ({ countedAs: () => 'all keys' });

describe('keys-apart', () => {
  testChecks(
    [keysApart],
    [
      ['remaining-falls', 'it stays', withField('X-RateLimit-Remaining', '7')],
      ['keys-independent-at-limit', 'all keys are counted together', together],
    ],
  );
});

describe('keys-at-limit', () => {
  testChecks([keysAtLimit], [['keys-independent-at-limit', 'all keys are counted together', together]]);
});

/** What one key sends is charged to the day of all others. */
const chargingOthers: TargetChange = (_rules, { clients }) => ({
  reply: (reply, _call, client) => {
    for (const other of clients.values()) {
      other.usedToday += Number(other !== client);
    }
    return reply;
  },
});

describe('days-apart', () => {
  testChecks(
    [daysApart],
    [['keys-independent-at-limit', 'a request is charged to every key', chargingOthers]],
  );
});
