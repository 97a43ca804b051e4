import { expect, test } from 'vitest';

import { sampleExchange } from '../../oracle/exchange.test-data.ts';
import { addressOf, createTargetClient } from '../http/target-client.ts';
import { updateInventory } from '../http/operations.ts';
import { temporaryState } from '../journal/journal.test-data.ts';
import { openTargetInventory } from './target-inventory.ts';

const TARGET = 'http://shop.test/v1';

/** Whether a pet has to be put back after two updates at once, the first of which is answered last. */
async function isOwedAfter(first: number, second: number): Promise<boolean> {
  const inventory = await openTargetInventory({
    target: TARGET,
    isOwn: true,
    access: 'writes',
    openState: temporaryState,
    existing: [],
    control: null,
    listed: [{ petId: 1n, quantity: 12, status: 'available' }],
    isWhole: true,
    client: createTargetClient(addressOf(TARGET)),
    transport: { timeoutMilliseconds: 5_000, insecure: false, certificateAuthority: null },
    keys: [],
    problems: [],
    onNotice: undefined,
  });
  const answers = [7, 8].map((quantity) => inventory.noteSent(inventory.pets, updateInventory(1n, quantity)));
  for (const [index, status] of [second, first].entries()) {
    answers[1 - index]?.(sampleExchange({ operation: 'updateInventory', method: 'PATCH', status }));
  }
  return inventory.owed(inventory.pets).length > 0;
}

test.each([
  [429, 200, true],
  [200, 429, true],
  [429, 429, false],
])('of two updates at once, answered %i and %i, the pet has to be put back: %s', async (...args) => {
  const [first, second, isOwed] = args;
  expect(await isOwedAfter(first, second)).toBe(isOwed);
});
