import { gzipSync } from 'node:zlib';

import { expect, test } from 'vitest';

import { stringifyJson } from '../../../contract/json/index.ts';
import {
  ENDED,
  failedWith,
  judgeSample,
  limited,
  reported,
  update,
  UNKNOWN,
  UPDATE_TASK,
} from '../records/record.test-data.ts';
import { result } from './result.ts';

const ID = 'client-reports-result';
const PETS = [{ petId: 1, quantity: 5, status: 'sold' }];

test('passes a list and an item that are reported as they were answered', () => {
  const exchanges = [limited(0, 1), { at: 1, body: PETS }];
  expect(judgeSample(result, { exchanges, outcome: reported(PETS) }).judged).toEqual({ [ID]: 'pass' });
  const item = { petId: '9007199254740993', quantity: 7, status: 'sold' };
  expect(
    judgeSample(result, { task: UPDATE_TASK, exchanges: [update()], outcome: reported(item) }).judged,
  ).toEqual({ [ID]: 'pass' });
});

test('compares with a list that was coded', () => {
  const exchanges = [
    { body: gzipSync(stringifyJson(PETS)), headers: [['Content-Encoding', 'gzip']] as const },
  ];
  expect(judgeSample(result, { exchanges, outcome: reported(PETS) }).judged).toEqual({ [ID]: 'pass' });
  expect(judgeSample(result, { exchanges, outcome: reported([]) }).judged).toEqual({ [ID]: 'fail' });
});

test('compares with the 200 that was answered last', () => {
  const exchanges = [
    { at: 0, answeredAt: 3, body: PETS },
    { at: 1, answeredAt: 2, body: [] },
  ];
  expect(judgeSample(result, { exchanges, outcome: reported(PETS) }).judged).toEqual({ [ID]: 'pass' });
  expect(judgeSample(result, { exchanges, outcome: reported([]) }).judged).toEqual({ [ID]: 'fail' });
});

test('fails another report, with the answer as evidence', () => {
  const said = judgeSample(result, { exchanges: [{ body: PETS }], outcome: reported([]) });
  expect(said.judged).toEqual({ [ID]: 'fail' });
  expect(said.messages).toEqual([expect.stringContaining('1 of 1 pets')]);
  expect(said.evidence).toHaveLength(1);
});

test('fails an error in place of a 200, also before it was answered', () => {
  const answered = judgeSample(result, {
    exchanges: [{ at: 0, answeredAt: 2.5 }],
    outcome: failedWith(null),
  });
  expect(answered.judged).toEqual({ [ID]: 'fail' });
  expect(answered.messages).toEqual([expect.stringContaining('answered 200 at 2.50 s')]);
  const open = judgeSample(result, { exchanges: [{ answeredAt: null }], outcome: failedWith(null) });
  expect(open.judged).toEqual({ [ID]: 'fail' });
});

test('has no say if no 200 was answered', () => {
  expect(judgeSample(result, { exchanges: [limited(0, 1)], outcome: failedWith(429) }).judged).toEqual({});
  expect(judgeSample(result, { exchanges: [limited(0, 1)], outcome: reported([]) }).judged).toEqual({});
  expect(judgeSample(result, { exchanges: [], outcome: failedWith(null) }).judged).toEqual({});
});

test('has no say if nothing was reported', () => {
  expect(judgeSample(result, { outcome: ENDED }).judged).toEqual({});
  expect(judgeSample(result, { outcome: UNKNOWN }).judged).toEqual({ [ID]: 'skip' });
});
