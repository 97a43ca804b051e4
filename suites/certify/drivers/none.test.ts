import { setImmediate as turn } from 'node:timers/promises';

import { expect, test } from 'vitest';

import { LIST_ORDER, NO_END } from './clients.test-data.ts';
import { createNoneDriver } from './none.ts';

test('waits for the end, and tells nothing', async () => {
  const end = new AbortController();
  let isOver = false;
  const performing = createNoneDriver()
    .perform(LIST_ORDER, end.signal)
    .finally(() => {
      isOver = true;
    });
  await turn();
  expect(isOver).toBe(false);
  end.abort();
  expect(await performing).toEqual({ kind: 'unknown' });
});

test('does not wait for an end that has come, nor once it is closed', async () => {
  const driver = createNoneDriver();
  expect(await driver.perform(LIST_ORDER, AbortSignal.abort())).toEqual({ kind: 'unknown' });
  const performing = driver.perform(LIST_ORDER, NO_END);
  await driver.close();
  expect(await performing).toEqual({ kind: 'unknown' });
  expect(await driver.perform(LIST_ORDER, NO_END)).toEqual({ kind: 'unknown' });
});
