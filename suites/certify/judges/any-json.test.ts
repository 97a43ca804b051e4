import { expect, test } from 'vitest';

import {
  ENDED,
  failedWith,
  judgeSample,
  limited,
  reported,
  UNKNOWN,
  type RecordSample,
} from '../records/record.test-data.ts';
import { anyJson } from './any-json.ts';

const ID = 'client-reads-any-json';
const refusal = limited(0, 1, { body: null });

test.each<[string, RecordSample, string | undefined]>([
  ['gives up and reports the status', { exchanges: [refusal], outcome: failedWith(429, null, null) }, 'pass'],
  ['waits and reports the result', { exchanges: [refusal, { at: 1.1 }], outcome: reported([]) }, 'pass'],
  ['crashes', { exchanges: [refusal], outcome: { kind: 'broken', problem: 'It died.', output: '' } }, 'fail'],
  ['hangs', { exchanges: [refusal], outcome: ENDED, endedFor: 'silence' }, 'fail'],
  ['reports another status', { exchanges: [refusal], outcome: failedWith(500) }, 'fail'],
  ['comes back at once', { exchanges: [refusal, { at: 0.1 }], outcome: reported([]) }, 'fail'],
  ['is not heard', { exchanges: [refusal], outcome: UNKNOWN, seconds: 0.5 }, undefined],
])('a client that %s', (_name, sample, outcome) => {
  expect(judgeSample(anyJson, sample).judged).toEqual(outcome === undefined ? {} : { [ID]: outcome });
});

test('says nothing where the scenario does not ask', () => {
  const sample = { exchanges: [refusal], outcome: failedWith(500), judges: ['client-waits'] as const };
  expect(judgeSample(anyJson, sample).judged).toEqual({});
});
