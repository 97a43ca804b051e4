import * as fc from 'fast-check';
import { expect, test } from 'vitest';

import { sampleExchange } from '../exchange.test-data.ts';
import { openOracle } from '../oracle.ts';
import { followServerClock } from '../server-clock.ts';
import { quantityBoundMonitor } from './quantity-bound.ts';

type Update = readonly [quantity: number | string, status: number, type?: string];

/** What is said of those updates that are accused. */
function accusations(updates: readonly Update[]): readonly string[] {
  const oracle = openOracle(followServerClock(), [quantityBoundMonitor]);
  const credential = { kind: 'valid', key: 'free#1' } as const;
  const judged = updates.flatMap(([quantity, status, type = 'application/json'], id) => {
    const exchange = sampleExchange({
      status,
      operation: 'updateInventory',
      method: 'PATCH',
      path: '/inventory/7',
      requestHeaders: [['Content-Type', type]],
      requestBody: `{"quantity":${quantity}}`,
    });
    oracle.accept({ type: 'request-sent', id, request: exchange.request, credential, at: id });
    return oracle.accept({ type: 'response-received', id, exchange });
  });
  expect(judged.every(({ id, holds }) => id === 'update-succeeds' && !holds)).toBe(true);
  return judged.map(({ message }) => message);
}

test('any bound is permitted', () => {
  fc.assert(
    fc.property(
      fc.nat({ max: 2_000 }),
      fc.array(fc.integer({ min: -5, max: 3_000 }), { maxLength: 30 }),
      (bound, quantities) => {
        const updates = quantities.map((quantity) => [quantity, quantity > bound ? 400 : 200] as const);
        expect(accusations(updates)).toEqual([]);
      },
    ),
  );
});

test.each([
  ['a smaller one is refused afterwards', '500:200 437:400', 1],
  ['a smaller one was refused before', '1:200 437:400 500:200', 1],
  ['a smaller one of a pet was refused that may not be there', '437:400 500:200', 0],
  ['the same one is refused', '437:200 437:422', 1],
  ['each refusal is told once', '1:200 437:400 500:200 600:200', 1],
  ['a larger one is refused', '437:200 500:400', 0],
  ['it is refused for the pet, the key or its rate', '500:200 437:404 437:401 437:429', 0],
  ['beyond what is ordinary', '2000000000:200 1000000:400', 0],
  ['no integer', '500:200 "437":400', 0],
])('%s: %s', (_title, updates, count) => {
  const told = updates.split(' ').map((update): readonly [string, number] => {
    const [quantity = '', status] = update.split(':');
    return [quantity, Number(status)];
  });
  expect(accusations(told)).toHaveLength(count);
});

test('a media type that may be why is named', () => {
  expect(
    accusations([
      [500, 200],
      [437, 400, 'Application/JSON'],
    ]),
  ).toEqual([
    'An update to 437 was answered 400 when it came with Content-Type: Application/JSON, though one to 500 was accepted.',
  ]);
});
