import { expect, test } from 'vitest';

import { parseKeyList, parseKeyOptions } from './keys.ts';

test('a list of keys, some with limits', () => {
  expect(parseKeyList('--key', 'k1, k2@5000/500000,,k3==')).toEqual([
    'k1',
    { key: 'k2', perMinute: 5_000, perDay: 500_000 },
    'k3==',
  ]);
});

test.each(['k1@', 'k1@5', 'k1@5/', '@5/50', 'k1@5/x', 'k1@-5/50', 'k1@k2@5/50'])(
  '%s has malformed limits',
  (item) => {
    expect(() => parseKeyList('STOCKCHECK_KEY_PRO', `k0,${item}`)).toThrow(
      /^STOCKCHECK_KEY_PRO: limits are written key@perMinute\/perDay, .* \(key 2 of the list\)/,
    );
  },
);

test('repeated options add up, plan by plan', () => {
  expect(parseKeyOptions(['free=k1', 'pro=k2', 'free=k3,k4=='])).toEqual(
    new Map([
      ['free', ['k1', 'k3', 'k4==']],
      ['pro', ['k2']],
    ]),
  );
});

test.each(['SECRET', 'SECRET=', '=SECRET', 'fre=SECRET', 'Free=SECRET', ''])('%s has no plan', (value) => {
  expect(() => parseKeyOptions([value])).toThrow(
    '--key must have the form plan=key, such as free=KEY, where plan is free, pro, business or enterprise',
  );
});

test('a plan without a key is named', () => {
  expect(() => parseKeyOptions(['free='])).toThrow('--key free= is empty');
});
