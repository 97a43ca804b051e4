import { expect, test } from 'vitest';

import { describeLoss } from './follow-shards.ts';
import { describeSkew, problemOfSkew, skewOf } from './start-skew.ts';

test('the skew is that of the first and the last, as sure as their clocks', () => {
  const skew = skewOf([
    { beganAt: 1_000.5, uncertainty: 0.1 },
    { beganAt: 1_003, uncertainty: 0.4 },
    { beganAt: 1_001, uncertainty: 0.2 },
  ]);
  expect(skew).toEqual({ milliseconds: 2.5, uncertainty: expect.closeTo(0.6, 9) });
  expect(skew === null ? '' : describeSkew(['c', 'a', 'b'], skew)).toBe(
    '3 workers (a, b, c) began within 2.50 ms of each other by Redis time, give or take 0.60 ms.',
  );
  expect(problemOfSkew(skew)).toEqual([]);
});

test('workers that began far apart sign nothing', () => {
  expect(problemOfSkew({ milliseconds: 20, uncertainty: 0 })).toEqual([]);
  expect(problemOfSkew({ milliseconds: 20.6, uncertainty: 0 })).toEqual([
    expect.stringContaining('began 21 ms apart'),
  ]);
  expect([skewOf([]), problemOfSkew(null)]).toEqual([null, []]);
});

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
