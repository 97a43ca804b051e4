import { expect, test } from 'vitest';

import { createRedactor } from '../../target/index.ts';
import { meetCallers, type PlanKey } from './callers.ts';

const KNOWN = 'free-Otter-0123456789';

const nothing = (): void => {};

function openCallers(described: readonly PlanKey[] = []) {
  const redactor = createRedactor();
  const parts = {
    described,
    redactor,
    onKey: nothing,
    onForgotten: nothing,
    mayLackAuthorization: () => false,
  };
  const callers = meetCallers(parts);
  return {
    callers,
    present: (value: string) =>
      callers.identify({ url: 'http://127.0.0.1/v1/inventory', headers: [['Authorization', value]] }),
  };
}

test('a new key takes no look at those that were described, however many come', () => {
  let reads = 0;
  const described: PlanKey = {
    get key() {
      reads += 1;
      return KNOWN;
    },
    label: 'free#1',
    plan: 'free',
    limits: null,
  };
  const { present } = openCallers([described]);
  const before = reads;
  for (let token = 0; token < 500; token += 1) {
    present(`Bearer new-token-${token}`);
    present(`Basic new-token-${token}`);
  }
  expect(reads).toBe(before);
  expect(present(`Basic ${KNOWN}`).credential).toMatchObject({ requirement: 'bearer-scheme' });
});

test('a key is known under another scheme as long as the service showed last that it knows it', () => {
  const { callers, present } = openCallers();
  const { key } = present(`Bearer ${KNOWN}`);
  if (key === null) {
    throw new Error('It presents a key');
  }
  const bare = () => present(`Basic ${KNOWN}`).credential.kind;
  expect(bare()).toBe('open');
  callers.confirm(key, true);
  expect(bare()).toBe('invalid');
  callers.confirm(key, false);
  expect(bare()).toBe('open');
});

test('a key that is forgotten is known no more', () => {
  const { callers, present } = openCallers();
  const { key } = present(`Bearer ${KNOWN}`);
  if (key === null) {
    throw new Error('It presents a key');
  }
  callers.confirm(key, true);
  for (let token = 0; token < 1_000; token += 1) {
    present(`Bearer new-token-${token}`);
  }
  expect(callers.met()).toBe(1_001);
  callers.confirm(key, true);
  expect(present(`Basic ${KNOWN}`).credential.kind).toBe('open');
});
