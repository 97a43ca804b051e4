import { expect, test } from 'vitest';

import { judgeSample, limited } from '../records/record.test-data.ts';
import { backoff } from './backoff.ts';

const ID = 'client-backs-off';

const judge = (moments: readonly number[]) =>
  judgeSample(backoff, { exchanges: moments.map((at) => limited(at, 1)) });

test('passes waits that grow, and shows the factor', () => {
  expect(judge([0, 1, 3, 7, 15])).toMatchObject({
    judged: { [ID]: 'pass' },
    observed: [
      ['client-retries-limited.waits', 'growing'],
      ['client-retries-limited.backoff-factor', 2],
    ],
  });
});

test('passes waits that vary as full jitter makes them', () => {
  expect(judge([0, 1.9, 3, 4.6, 5.8]).judged).toEqual({ [ID]: 'pass' });
});

test('fails waits that stay the same, and shows them', () => {
  const said = judge([0, 1.01, 2.02, 3.03]);
  expect(said.judged).toEqual({ [ID]: 'fail' });
  expect(said.messages).toEqual([
    'Over 3 consecutive 429s the waits stayed the same: 1.01 s, 1.01 s, 1.01 s.',
  ]);
});

test('does not take the delays of whoever comes too early for jitter', () => {
  expect(judge([0, 0.2, 0.21, 0.35, 0.37]).judged).toEqual({ [ID]: 'skip' });
});

test('decides nothing by two waits, without a 429, or if the scenario is about something else', () => {
  expect(judge([0, 1, 2]).judged).toEqual({ [ID]: 'skip' });
  const others = { judges: [], exchanges: [0, 1, 2, 3, 4].map((at) => limited(at, 1)) };
  expect(judgeSample(backoff, others)).toMatchObject({ judged: {}, observed: [] });
  expect(judgeSample(backoff, {}).judged).toEqual({});
});
