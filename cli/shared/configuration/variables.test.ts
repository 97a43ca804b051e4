import { expect, test } from 'vitest';

import { unknownVariables } from './variables.ts';

test.each([
  ['STOCKCHECK_TARGETS', ' Did you mean STOCKCHECK_TARGET?'],
  ['STOCKCHECK_KEYS_FREE', ' Did you mean STOCKCHECK_KEY_FREE?'],
  ['stockcheck_profile', ' Did you mean STOCKCHECK_PROFILE?'],
  ['STOCKCHECK_STATEDIR', ' Did you mean STOCKCHECK_STATE_DIR?'],
  ['STOCKCHECK_SOMETHING_ELSE', ''],
])('%s is reported, with the nearest name', (name, hint) => {
  expect(unknownVariables({ [name]: 'x' })).toEqual([
    `the environment variable ${name} is not known and has no effect.${hint}`,
  ]);
});

test('variables of stockcheck, of the clients that certify starts and of others are not', () => {
  const names = ['TARGET', 'KEY_PRO', 'STATE_DIR', 'BASE_URL', 'API_KEY', 'OPERATION', 'PET_ID', 'QUANTITY'];
  const known = Object.fromEntries(names.map((name) => [`STOCKCHECK_${name}`, 'x']));
  expect(unknownVariables({ ...known, KEY_FREE: 'k1', PATH: '/bin' })).toEqual([]);
  expect(unknownVariables({ STOCKCHECK_MINE: 'x' }, ['STOCKCHECK_MINE'])).toEqual([]);
});
