import { expect, test } from 'vitest';

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
  expect(problemOfSkew(skew, 'workers')).toEqual([]);
});

test('workers that began far apart sign nothing', () => {
  expect(problemOfSkew({ milliseconds: 20, uncertainty: 0 }, 'workers')).toEqual([]);
  expect(problemOfSkew({ milliseconds: 20.6, uncertainty: 0 }, 'workers')).toEqual([
    expect.stringContaining('began 21 ms apart'),
  ]);
  expect([skewOf([]), problemOfSkew(null, 'workers')]).toEqual([null, []]);
});
