import { expect, test } from 'vitest';

import type { KeyRecord } from '../service/key-store.ts';
import { createLoadMeter, MANY_REQUESTS } from './under-load.ts';

const LIMITS = { perMinute: 60, perDay: 1_000 };
const ONE: KeyRecord = { key: 'one', plan: 'free', limits: LIMITS };
const OTHER: KeyRecord = { key: 'other', plan: 'free', limits: LIMITS };

test('a key crowds a server only while more of its requests are under way than are many', () => {
  const { load, enter, leave } = createLoadMeter();
  for (let entered = 0; entered < MANY_REQUESTS; entered += 1) {
    enter(ONE);
    enter(OTHER);
  }
  expect([load.isBusy(), load.isCrowdedBy(ONE), load.activeKeys()]).toEqual([false, false, 2]);
  enter(ONE);
  expect([load.isBusy(), load.isCrowdedBy(ONE), load.isCrowdedBy(OTHER)]).toEqual([true, true, false]);
  expect([...load.crowding]).toEqual([ONE]);
  leave(ONE);
  expect([load.isBusy(), load.isCrowdedBy(ONE)]).toEqual([false, false]);
});

test('requests without a valid key crowd, but are no key and make nobody else busy', () => {
  const { load, enter } = createLoadMeter();
  for (let entered = 0; entered <= MANY_REQUESTS; entered += 1) {
    enter(undefined);
  }
  expect([load.isCrowdedBy(undefined), load.isBusy(), load.activeKeys()]).toEqual([true, false, 0]);
});

test('a key is active until its last request is done', () => {
  const { load, enter, leave } = createLoadMeter();
  enter(ONE);
  enter(ONE);
  leave(ONE);
  expect(load.activeKeys()).toBe(1);
  leave(ONE);
  expect(load.activeKeys()).toBe(0);
});
