import { expect, test } from 'vitest';

import { judgeScripted, testChecks } from './judge-scripted.test-data.ts';
import { rewriting, silentFor, withText } from './target-changes.test-data.ts';
import { concurrentUpdates, confusablePets, manyUpdates, updateCheck } from './updates.ts';

testChecks(
  [updateCheck, manyUpdates, confusablePets, concurrentUpdates],
  [
    [
      'update-succeeds',
      'it is answered 204',
      rewriting(
        (_reply, { method }) => method === 'PATCH',
        () => ({ status: 204 }),
      ),
    ],
    [
      'update-succeeds',
      'it is answered 415 with Content-Type in capitals',
      rewriting(
        (_reply, { headers }) => headers.some(([name]) => name === 'CONTENT-TYPE'),
        () => ({ status: 415 }),
      ),
    ],
    ['update-succeeds', 'it is never answered', silentFor(({ method }) => method === 'PATCH')],
    [
      'update-sets',
      'it adds',
      ({ update }) => ({
        update: (item, quantity) => {
          update(item, Number(item.quantity) + Number(quantity));
          return { ...item, quantity };
        },
      }),
    ],
    ['update-persists', 'the list stays', () => ({ update: (item, quantity) => ({ ...item, quantity }) })],
    [
      'update-touches-one-entry',
      'another pet is set as well',
      ({ update }, { pets }) => ({
        update: (item, quantity) => {
          const other = [...pets.values()].find(({ petId }) => petId !== item.petId);
          update(other ?? item, Number(other?.quantity ?? 0) + 1);
          return update(item, quantity);
        },
      }),
    ],
    [
      'update-exact-pet',
      'the answer names another',
      ({ update }) => ({
        update: (item, quantity) => ({ ...update(item, quantity), petId: item.petId + 1n }),
      }),
    ],
    ['item-pet-id', 'it is a string', withText(/"petId":(\d+)/g, '"petId":"$1"')],
    ['item-quantity', 'it is a string', withText(/"quantity":(\d+)/g, '"quantity":"$1"')],
    ['item-status', 'it is null', withText(/"status":"\w+"/g, '"status":null')],
  ],
);

test('an update that is not answered within a short timeout proves nothing', async () => {
  const judgements = await judgeScripted(
    [updateCheck],
    silentFor(({ method }) => method === 'PATCH', 1),
  );
  expect(judgements.judgementOf('update-succeeds').outcome).toBe('inconclusive');
});

test('a target that answers nothing at all is not blamed for updates', async () => {
  const judgements = await judgeScripted(
    [updateCheck],
    silentFor(() => true),
  );
  expect(judgements.judgementOf('update-succeeds').outcome).toBe('inconclusive');
});

test('an update that adds has hit the right pet', async () => {
  const judgements = await judgeScripted([confusablePets], ({ update }) => ({
    update: (item, quantity) => update(item, Number(item.quantity) + Number(quantity)),
  }));
  expect(judgements.judgementOf('update-sets').outcome).toBe('fail');
  expect(judgements.judgementOf('update-exact-pet').outcome).toBe('pass');
});
