import { expect, test } from 'vitest';

import { createSemaphore } from './semaphore.ts';

test('as many are in at once as there are places, in the order in which they came', async () => {
  const semaphore = createSemaphore(2);
  const entered: number[] = [];
  const enter = async (number: number): Promise<() => void> => {
    const leave = await semaphore.acquire();
    entered.push(number);
    return leave;
  };
  const all = [1, 2, 3, 4, 5].map(enter);
  const [leaveFirst, leaveSecond] = await Promise.all(all.slice(0, 2));
  expect(entered).toEqual([1, 2]);
  leaveSecond?.();
  await all[2];
  expect(entered).toEqual([1, 2, 3]);
  leaveFirst?.();
  (await all[3])?.();
  (await all[2])?.();
  (await all[4])?.();
  expect(entered).toEqual([1, 2, 3, 4, 5]);
  const leaveAgain = await semaphore.acquire();
  await semaphore.acquire();
  leaveAgain();
  await enter(6);
  expect(entered.at(-1)).toBe(6);
});
