import { describe } from 'vitest';

import { lasting, withField } from './target-changes.test-data.ts';
import { testChecks } from './judge-scripted.test-data.ts';
import { windowRenews, windowRenewsInRealTime } from './window-renewal.ts';

describe('with a clock', () => {
  testChecks(
    [windowRenews],
    [
      ['limit-renews', 'windows last 90 s', lasting(90)],
      ['remaining-falls', 'it stays', withField('X-RateLimit-Remaining', '7')],
    ],
  );
});

describe('in real time', () => {
  testChecks([windowRenewsInRealTime], [['limit-renews', 'windows last 90 s', lasting(90)]]);
});
