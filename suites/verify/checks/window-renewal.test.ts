import { lasting, withField } from './target-changes.test-data.ts';
import { testChecks } from './judge-scripted.test-data.ts';
import { windowRenews } from './window-renewal.ts';

testChecks(
  [windowRenews],
  [
    ['limit-renews', 'windows last 90 s', lasting(90)],
    ['remaining-falls', 'it stays', withField('X-RateLimit-Remaining', '7')],
  ],
);
