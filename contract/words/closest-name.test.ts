import { expect, test } from 'vitest';

import { closestName } from './closest-name.ts';

const FIELDS = ['target', 'keys', 'revokedKeys', 'control', 'pets', 'profile'];

test.each([
  ['taget', 'target'],
  ['TARGET', 'target'],
  ['key', 'keys'],
  ['revoked', 'revokedKeys'],
  ['revoked_keys', 'revokedKeys'],
  ['profil', 'profile'],
  ['controll', 'control'],
])('%s means %s', (misspelt, name) => {
  expect(closestName(misspelt, FIELDS)).toBe(name);
});

test.each(['', 'x', 'baseUrl', 'p'.repeat(1_000_000)])('%.10s means none', (misspelt) => {
  expect(closestName(misspelt, FIELDS)).toBeUndefined();
});
