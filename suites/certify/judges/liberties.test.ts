import { expect, test } from 'vitest';

import { judgeSample, update, UPDATE_TASK } from '../records/record.test-data.ts';
import { liberties } from './liberties.ts';

const observed = (sample: Parameters<typeof judgeSample>[1]) =>
  judgeSample(liberties, sample).observed.map(([, value]) => value);

test('tells what a client adds that the operation does not document', () => {
  expect(observed({ exchanges: [{ target: '/v1/inventory?_=1' }] })).toEqual(['query']);
  expect(observed({ exchanges: [{ target: '/v1/inventory/' }] })).toEqual(['trailing slash']);
  expect(observed({ exchanges: [{ target: '/v1/inventory/?limit=5', requestBody: '{}' }] })).toEqual([
    'query',
    'trailing slash',
    'body on GET',
  ]);
});

test('tells members of an update that are not documented', () => {
  const exchanges = [update({ requestBody: '{"quantity":7,"status":"sold"}' })];
  expect(observed({ task: UPDATE_TASK, exchanges })).toEqual(['further members']);
});

test('tells nothing of a request as it is documented', () => {
  expect(observed({ exchanges: [{}] })).toEqual([]);
  expect(observed({ task: UPDATE_TASK, exchanges: [update()] })).toEqual([]);
});
