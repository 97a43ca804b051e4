import { expect, test } from 'vitest';

import { ENDED, failedWith, judgeSample, limited, UNKNOWN } from '../records/record.test-data.ts';
import { attempts } from './attempts.ts';

const ID = 'client-stops-trying';

const limitedTimes = (count: number) => Array.from({ length: count }, (_, index) => limited(index, 1));

test.each([1, 4, 30])('passes whoever gives up after %i attempts', (count) => {
  expect(judgeSample(attempts, { exchanges: limitedTimes(count), outcome: failedWith(429) })).toMatchObject({
    judged: { [ID]: 'pass' },
    observed: [['client-retries-limited.attempts', count]],
  });
});

test('fails whoever is still trying after many', () => {
  const said = judgeSample(attempts, {
    exchanges: limitedTimes(12),
    outcome: ENDED,
    endedFor: 'unending retries',
    seconds: 12,
  });
  expect(said.judged).toEqual({ [ID]: 'fail' });
  expect(said.messages).toEqual(['After 12 attempts in 12.00 s the client was still trying.']);
});

test('decides nothing by few attempts, by silence or if nobody tells', () => {
  const few = { exchanges: limitedTimes(5) };
  const judge = (sample: object) => judgeSample(attempts, { ...few, ...sample }).judged;
  expect(judge({ outcome: ENDED, endedFor: 'unending retries' })).toEqual({ [ID]: 'inconclusive' });
  expect(judge({ outcome: ENDED, endedFor: 'silence' })).toEqual({});
  expect(judge({ outcome: UNKNOWN, endedFor: 'silence' })).toEqual({ [ID]: 'skip' });
});

test('has no say if the last answer is no 429, or if the scenario is about something else', () => {
  const others = { judges: [], exchanges: limitedTimes(2), outcome: failedWith(429) };
  expect(judgeSample(attempts, others)).toMatchObject({ judged: {}, observed: [] });
  expect(judgeSample(attempts, {}).judged).toEqual({});
  expect(judgeSample(attempts, { exchanges: [limited(0, 1), { at: 1 }] }).judged).toEqual({});
});
