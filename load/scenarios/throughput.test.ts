import { expect, test } from 'vitest';

import { limitText } from './throughput.ts';

const AT_4000 = { measurement: { achievedRate: 4_000 }, busyShare: 0.4, waitedShare: 0 };

test.each([
  ['a rate near the ceiling', { ...AT_4000, waitedShare: 0.8 }, 4_200, /^The ceiling of 4200\/s limited/],
  ['a long wait for the ceiling', { ...AT_4000, waitedShare: 0.8 }, 8_000, /stood still now and then/],
  ['a generator that waited', AT_4000, 100_000, /^The target limited the rate/],
  ['a busy generator', { ...AT_4000, busyShare: 0.95 }, 100_000, /generator was busy.+--threads shares/],
])('%s names the limit that the rate met', (_what, met, maxRate, text) => {
  expect(limitText(met, maxRate)).toMatch(text);
});
