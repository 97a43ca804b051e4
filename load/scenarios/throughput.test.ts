import { expect, test } from 'vitest';

import { limitText } from './throughput.ts';

const AT_4000 = { achievedRate: 4_000, busyShare: 0.4, waitedShare: 0 };

test.each([
  ['a rate near the ceiling', { ...AT_4000, waitedShare: 0.8 }, 4_200, 1, /^The ceiling of 4200\/s limited/],
  ['a long wait for the ceiling', { ...AT_4000, waitedShare: 0.8 }, 8_000, 1, /stood still now and then/],
  ['a generator that waited', AT_4000, 100_000, 1, /^The target limited the rate/],
  ['a busy generator', { ...AT_4000, busyShare: 0.95 }, 100_000, 1, /generator was busy.+--threads shares/],
  ['a busy generator that is paced', { ...AT_4000, busyShare: 0.95 }, 50_000, 2, /--max-rate of 120000/],
])('%s names the limit that the rate met', (_what, met, maxRate, threads, text) => {
  expect(limitText(met, { maxRate, threads })).toMatch(text);
});
