import { expect, test } from 'vitest';

import { createAuthenticator } from './authenticator.ts';
import { createKeyStore } from './key-store.ts';
import { listRequest } from '../testing.test-data.ts';

test('limits follow from the plan unless the key has its own', () => {
  const keys = createKeyStore([
    { key: 'f', plan: 'free' },
    { key: 'p', plan: 'pro', perMinute: 5 },
    { key: 'b', plan: 'business' },
    { key: 'e', plan: 'enterprise', perMinute: 7, perDay: 8 },
  ]);
  const limits = ['f', 'p', 'b', 'e'].map((key) => keys.find(key)?.limits);
  expect(limits).toEqual([
    { perMinute: 60, perDay: 1_000 },
    { perMinute: 5, perDay: 10_000 },
    { perMinute: 1_000, perDay: 100_000 },
    { perMinute: 7, perDay: 8 },
  ]);
});

test('issued keys are random, revoked ones are gone, and a reset restores the start', () => {
  const keys = createKeyStore([
    { key: 'seed', plan: 'free' },
    { key: 'old', plan: 'free', revoked: true },
  ]);
  const issued = keys.issue('free', {});
  expect(issued.key).not.toBe(keys.issue('free', {}).key);
  expect(keys.find(issued.key)).toBe(issued);
  expect(keys.revoke('seed')).toBe(true);
  expect(keys.revoke('never issued')).toBe(false);
  expect([keys.find('seed'), keys.find('old')]).toEqual([undefined, undefined]);
  keys.reset();
  expect(keys.find('seed')).toBeDefined();
  expect(keys.find(issued.key)).toBeUndefined();
});

test('what a connection has shown is forgotten when the key is revoked', () => {
  const keys = createKeyStore([{ key: 'seed', plan: 'free' }]);
  const authenticate = createAuthenticator();
  const request = listRequest('Authorization', 'Bearer seed');
  expect(authenticate(request, keys)).toBe(keys.find('seed'));
  expect(authenticate(request, keys)).toBe(keys.find('seed'));
  keys.revoke('seed');
  expect(authenticate(request, keys)).toBe('invalid');
});

test('a good key before does not vouch for the next value on the connection', () => {
  const keys = createKeyStore([{ key: 'seed', plan: 'free' }]);
  const authenticate = createAuthenticator();
  authenticate(listRequest('authorization', 'bearer seed'), keys);
  expect(authenticate(listRequest('authorization', 'Bearer see'), keys)).toBe('invalid');
  expect(authenticate(listRequest(), keys)).toBe('missing');
  const twice = listRequest('Authorization', 'Bearer seed', 'authorization', 'Bearer seed');
  expect(authenticate(twice, keys)).toBe('invalid');
});
