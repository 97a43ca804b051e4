import * as fc from 'fast-check';
import { expect, test } from 'vitest';

import { judgeSample, update, UPDATE_TASK } from '../records/record.test-data.ts';
import { exactPetId } from './exact-pet-id.ts';

const ID = 'client-exact-pet-id';

const judge = (target: string) =>
  judgeSample(exactPetId, { task: UPDATE_TASK, exchanges: [update({ target })] }).judged;

test.each([
  ['/v1/inventory/9007199254740993', 'pass'],
  ['/v1/inventory/9007199254740993/?', 'pass'],
  ['/v1/inventory/%39007199254740993', 'pass'],
  ['/v1/inventory/9007199254740992', 'fail'],
  ['/v1/inventory/9.007199254740993e15', 'fail'],
  ['/v1/inventory/9007199254740993n', 'fail'],
  ['/v1/inventory/9,007,199,254,740,993', 'fail'],
  ['/v1/inventory/{petId}', 'fail'],
  ['/v1/inventory/1', 'fail'],
])('of %s says %s', (target, outcome) => {
  expect(judge(target)).toEqual({ [ID]: outcome });
});

test.each(['/v1/inventory', '/v1/inventory/', '/v1/pets/9007199254740993', '/inventory/9007199254740992'])(
  'leaves %s to the judge of the operation',
  (target) => {
    expect(judge(target)).toEqual({});
  },
);

test('distinguishes any two ids', () => {
  const id = fc.bigInt({ min: 1n, max: 2n ** 63n - 1n });
  fc.assert(
    fc.property(id, id, (petId, sent) => {
      const { judged } = judgeSample(exactPetId, {
        task: { operation: 'updateInventory', petId, quantity: 1 },
        exchanges: [update({ target: `/v1/inventory/${sent}` })],
      });
      expect(judged).toEqual({ [ID]: petId === sent ? 'pass' : 'fail' });
    }),
  );
});

test('judges every attempt, and no list', () => {
  const exchanges = [update({ status: 429, retryAfter: 1 }), update({ at: 1, target: '/v1/inventory/7' })];
  const said = judgeSample(exactPetId, { task: UPDATE_TASK, exchanges });
  expect(said.judged).toEqual({ [ID]: 'fail' });
  expect(said.messages).toEqual(['The path names pet 7; 9007199254740993 was asked for.']);
  expect(judgeSample(exactPetId, {}).judged).toEqual({});
});
