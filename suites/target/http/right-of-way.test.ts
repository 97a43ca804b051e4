import { expect, test, vi } from 'vitest';

import { createRightOfWay } from './right-of-way.ts';

test('a request that goes alone waits for those under way, and holds up those behind it', async () => {
  const { beside, alone } = createRightOfWay();
  const order: string[] = [];
  const first = Promise.withResolvers<void>();
  const lonely = Promise.withResolvers<void>();
  const send = (name: string, answered?: Promise<void>) => async () => {
    order.push(`${name} leaves`);
    await answered;
    order.push(`${name} is answered`);
  };
  const firstSent = beside(send('first', first.promise));
  await vi.waitFor(() => expect(order).toHaveLength(1));
  const all = [
    firstSent,
    alone(send('lonely', lonely.promise)),
    beside(send('behind')),
    alone(send('second lonely')),
  ];
  first.resolve();
  await all[0];
  lonely.resolve();
  await Promise.all(all);
  expect(order.slice(0, 4)).toEqual([
    'first leaves',
    'first is answered',
    'lonely leaves',
    'lonely is answered',
  ]);
  expect(order.indexOf('behind is answered') - order.indexOf('behind leaves')).toBe(1);
  expect(order).toHaveLength(8);
});

test('a request that fails alone lets the others go', async () => {
  const { beside, alone } = createRightOfWay();
  await expect(alone(() => Promise.reject(new Error('lost')))).rejects.toThrow('lost');
  expect(await beside(() => Promise.resolve('answered'))).toBe('answered');
});
