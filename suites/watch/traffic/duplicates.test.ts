import { expect, test } from 'vitest';

import { withoutDuplicates } from './duplicates.ts';
import type { TrafficExchange } from './traffic-exchange.ts';

const exchange = (sentAt: number, remaining: number): TrafficExchange => ({
  request: {
    method: 'GET',
    url: 'https://inventory.example/v1/inventory',
    headers: [],
    body: null,
    sentAt,
  },
  response: {
    status: 200,
    headers: [['X-RateLimit-Remaining', String(remaining)]],
    body: Buffer.from('[]'),
  },
  endedAt: sentAt + 20,
});

test('what was recorded twice is left out, and what followed is not', () => {
  const first = exchange(1_000, 59);
  const [twice, seenByProxy] = [exchange(1_000, 59), exchange(1_002, 59)];
  const [beside, later] = [exchange(1_001, 58), exchange(1_030, 59)];
  const recording = [first, twice, beside, seenByProxy, later];
  expect(withoutDuplicates(recording)).toEqual([first, beside, later]);
});
