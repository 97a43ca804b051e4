import { expect, test } from 'vitest';

import { SILENCE_MILLISECONDS } from './fleet-protocol.ts';
import { describeWorkerLoss, problemOfShard } from './worker-crew.ts';

test('a loss names the worker, its share and since when', () => {
  const shard = { worker: 'w2', job: { run: 'a', measurement: 1, shard: 1, of: 3, version: '1' } };
  expect(describeWorkerLoss(shard, 'has not been heard from since', { start: 10_000, at: 14_250 })).toBe(
    'Worker w2, which had shard 2 of 3, 33 % of the load, has not been heard from since 4.3 s after the start; none of its share is in these figures, so they are incomplete.',
  );
  expect(describeWorkerLoss(shard, 'lost its coordinator', { start: 0, at: 6_500 })).toContain(
    'lost its coordinator 6.5 s after the start;',
  );
  expect(describeWorkerLoss(shard, 'was not ready in time', { start: null, at: 0 })).toContain(
    'Worker w2, which had shard 2 of 3, 33 % of the load, was not ready in time before the start;',
  );
});

test('a shard is lost that was heard of, and then said nothing new for too long, or takes too long', () => {
  const running = { hasBegun: true, heardAt: 1_000, endsBy: Infinity };
  expect(problemOfShard(running, 1_000 + SILENCE_MILLISECONDS)).toBeNull();
  expect(problemOfShard(running, 1_001 + SILENCE_MILLISECONDS)).toBe('has not been heard from since');
  expect(problemOfShard({ ...running, endsBy: 1_500 }, 1_501)).toBe('did not end in time');
  const untaken = { hasBegun: false, heardAt: null, endsBy: 20_000 };
  expect(problemOfShard(untaken, 20_000)).toBeNull();
  expect(problemOfShard(untaken, 20_001)).toBe('was not ready in time');
});
