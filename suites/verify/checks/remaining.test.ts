import { describe } from 'vitest';

import { testChecks } from './judge-scripted.test-data.ts';
import { remainingFalls, remainingFallsLong, remainingFallsWithUpdates } from './remaining.ts';
import { withField } from './target-changes.test-data.ts';

describe.each([remainingFalls, remainingFallsLong, remainingFallsWithUpdates])('$id', (check) => {
  testChecks(
    [check],
    [
      ['remaining-falls', 'it stays', withField('X-RateLimit-Remaining', '7')],
      [
        'remaining-counts-operations',
        'orders are free',
        () => ({ isCounted: (_client, { path }) => path !== '/store/orders' }),
      ],
      [
        'remaining-counts-operations',
        'each operation is counted by itself',
        () => ({ countedAs: ({ secret }, { method, path }) => `${secret} ${method} ${path.split('/')[1]}` }),
      ],
    ],
  );
});
