import * as fc from 'fast-check';
import { expect, test } from 'vitest';

import type { HeaderField } from '../../../contract/verdict.ts';
import { judgeSample, update, UPDATE_TASK, type RecordedSample } from '../records/record.test-data.ts';
import { updateBody } from './update-body.ts';

const ID = 'client-update-body';

const judge = (sample: RecordedSample) =>
  judgeSample(updateBody, { task: UPDATE_TASK, exchanges: [update(sample)] });

test.each([
  '{"quantity":7}',
  '{"quantity":7.0}',
  '{"quantity":70e-1}',
  ' { "quantity" : 7, "note" : "x" }\n',
])('accepts %s for the quantity 7', (requestBody) => {
  expect(judge({ requestBody }).judged).toEqual({ [ID]: 'pass' });
});

test.each([
  ['', 'no content'],
  ['quantity=7', 'not JSON'],
  ["{'quantity':7}", 'not JSON'],
  ['\uFEFF{"quantity":7}', 'not JSON'],
  ['7', '7, not a JSON object'],
  ['[{"quantity":7}]', 'an array, not a JSON object'],
  ['null', 'null, not a JSON object'],
  ['{}', 'no member quantity'],
  ['{"Quantity":7}', 'no member quantity: {"Quantity":7}'],
  ['{"inventory":{"quantity":7}}', 'no member quantity'],
  ['{"quantity":"7"}', '"7"; the integer 7'],
  ['{"quantity":8}', '8; the integer 7'],
  ['{"quantity":7.5}', '7.5; the integer 7'],
  ['{"quantity":null}', 'null; the integer 7'],
  ['{"quantity":7.000001}', '7.000001; the integer 7'],
])('does not accept %s', (requestBody, message) => {
  const said = judge({ requestBody });
  expect(said.judged).toEqual({ [ID]: 'fail' });
  expect(said.messages).toEqual([expect.stringContaining(message)]);
});

test('takes any integer for itself, and no other', () => {
  fc.assert(
    fc.property(fc.maxSafeInteger(), fc.maxSafeInteger(), (asked, sent) => {
      const { judged } = judgeSample(updateBody, {
        task: { operation: 'updateInventory', petId: 1n, quantity: asked },
        exchanges: [update({ requestBody: `{"quantity":${sent}}` })],
      });
      expect(judged).toEqual({ [ID]: asked === sent ? 'pass' : 'fail' });
    }),
  );
});

test.each<[readonly HeaderField[], 'pass' | 'fail']>([
  [[['content-type', 'application/json']], 'pass'],
  [[['Content-Type', 'application/json; charset=utf-8']], 'pass'],
  [[['Content-Type', 'Application/JSON;charset="UTF-8"']], 'pass'],
  [[], 'fail'],
  [[['Content-Type', 'text/plain;charset=UTF-8']], 'fail'],
  [[['Content-Type', 'application/x-www-form-urlencoded']], 'fail'],
  [[['Content-Type', 'application/merge-patch+json']], 'fail'],
  [
    [
      ['Content-Type', 'application/json'],
      ['Content-Type', 'application/json'],
    ],
    'fail',
  ],
])('of the headers %j says %s', (requestHeaders, outcome) => {
  expect(judge({ requestHeaders }).judged).toEqual({ [ID]: outcome });
});

test('judges every attempt', () => {
  const exchanges = [update({ status: 429, retryAfter: 1 }), update({ at: 1, requestBody: '' })];
  const said = judgeSample(updateBody, { task: UPDATE_TASK, exchanges });
  expect(said.judged).toEqual({ [ID]: 'fail' });
  expect(said.messages).toEqual([expect.stringContaining('It was request 2; the first was right.')]);
});

test('has no say in a list, another method or a request that was not read', () => {
  expect(judgeSample(updateBody, {}).judged).toEqual({});
  expect(judge({ method: 'GET', requestBody: '' }).judged).toEqual({});
  expect(judge({ answeredAt: null, requestBody: '' }).judged).toEqual({});
});
