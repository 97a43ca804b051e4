import * as fc from 'fast-check';
import { expect, test } from 'vitest';

import { stringifyJson } from '../../../contract/json/index.ts';
import { sampleExchange } from '../../oracle/exchange.test-data.ts';
import { listOf } from '../../oracle/index.ts';
import { fateOfInventory, fateOfPet, possibleQuantities, type Listed } from './compare.ts';
import { item } from './journal.test-data.ts';
import { inventoryDigest, type QuantityRange } from './journal-records.ts';

interface Entry {
  readonly petId: bigint;
  readonly quantity: number | string | null;
}

function listed(...entries: readonly Entry[]): Listed {
  const body = stringifyJson(
    entries.map(({ petId, quantity }) => ({ petId, quantity, status: 'available' })),
  );
  const list = listOf(sampleExchange({ body }));
  if (list === undefined) {
    throw new Error('An array is a list');
  }
  return list;
}

const SENT: readonly QuantityRange[] = [
  [7n, 7n],
  [100n, 200n],
];

test.each([
  [5, 'as-noted'],
  [7, 'as-sent'],
  [100, 'as-sent'],
  [200, 'as-sent'],
  [201, 'changed'],
  [6, 'changed'],
  ['7', 'unreadable'],
  [null, 'unreadable'],
] as const)('a pet that was 5 and stands at %j is %s', (quantity, fate) => {
  expect(fateOfPet({ item: item(1n), sent: SENT }, listed({ petId: 1n, quantity }))).toBe(fate);
});

test('a pet that is not in the list is gone', () => {
  expect(fateOfPet({ item: item(1n), sent: SENT }, listed({ petId: 2n, quantity: 7 }))).toBe('gone');
});

test('a quantity that nothing sent can have led to is never taken for ours', () => {
  const quantity = fc.integer({ min: -1000, max: 1000 });
  fc.assert(
    fc.property(quantity, fc.array(quantity), quantity, (before, sentQuantities, now) => {
      const sent = sentQuantities.flatMap((sentQuantity) =>
        possibleQuantities(JSON.stringify({ quantity: sentQuantity }), before),
      );
      const explained = sentQuantities.flatMap((value) => [value, before + value]);
      const fate = fateOfPet({ item: item(1n, before), sent }, listed({ petId: 1n, quantity: now }));
      expect(fate).toBe(now === before ? 'as-noted' : explained.includes(now) ? 'as-sent' : 'changed');
    }),
  );
});

test.each([
  ['{"quantity":"12"}', 12],
  ['{"quantity":1.5}', 1],
  ['{"quantity":1.5}', 2],
  ['{"quantity":null}', 0],
  ['{"quantity":true}', 1],
  ['{}', 0],
  ['', 0],
  ['{"quantity":3}', 8],
  ['{"quantity":65537}', 1],
  ['{"quantity":2147483648}', -2_147_483_648],
])('of a server that makes something of %s, %i is known', (body, quantity) => {
  const fate = fateOfPet(
    { item: item(1n), sent: possibleQuantities(body, 5) },
    listed({ petId: 1n, quantity }),
  );
  expect(fate).toBe('as-sent');
});

test('an inventory is known as it was, as it was filled, and else as changed', () => {
  const noted = {
    items: [item(1n), item(2n)],
    control: '',
    fills: [inventoryDigest([7n, 8n]), inventoryDigest([])],
  };
  const fate = (...entries: readonly Entry[]) => fateOfInventory(noted, listed(...entries));
  expect(fate({ petId: 2n, quantity: 5 }, { petId: 1n, quantity: 5 })).toBe('as-noted');
  expect(fate({ petId: 8n, quantity: 1 }, { petId: 7n, quantity: null })).toBe('as-filled');
  expect(fate()).toBe('as-filled');
  expect(fate({ petId: 1n, quantity: 5 }, { petId: 2n, quantity: 6 })).toBe('changed');
  expect(fate({ petId: 7n, quantity: 5 })).toBe('changed');
});
