import { expect, test } from 'vitest';

import { describeLoss } from './follow-shards.ts';

test('a loss names the worker, its share and since when', () => {
  const loss = { shard: 1, of: 3, problem: 'has not been heard from', start: 10_000, at: 14_250 };
  expect(describeLoss({ ...loss, state: { worker: 'w2' } })).toBe(
    'Worker w2, which had shard 2 of 3, 33 % of the load, has not been heard from since 4.3 s after the start; none of its share is in these figures, so they are incomplete.',
  );
  expect(
    describeLoss({ ...loss, problem: 'was not ready in time', start: null, state: undefined }),
  ).toContain(
    'The worker that should have taken shard 2 of 3, 33 % of the load, was not ready in time before the start;',
  );
});
