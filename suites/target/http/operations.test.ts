import { expect, test } from 'vitest';
import { authorizationName } from '../../../contract/field-names.ts';
import { withFieldNames, updateInventory } from './operations.ts';

test.each([
  ['small letters', [['content-type', 'application/json']], 'authorization'],
  ['capitals', [['CONTENT-TYPE', 'application/json']], 'AUTHORIZATION'],
] as const)(
  'spells the fields of a request in %s, and Authorization with them',
  (spelling, headers, name) => {
    const spelled = withFieldNames(updateInventory(1n, 5), spelling);
    expect(spelled).toEqual({ ...updateInventory(1n, 5), headers });
    expect(authorizationName(spelled.headers)).toBe(name);
  },
);

test('calls Authorization as usual where the other fields are mixed, or there is none', () => {
  expect(authorizationName([])).toBe('Authorization');
  expect(authorizationName(updateInventory(1n, 5).headers)).toBe('Authorization');
  expect(
    authorizationName([
      ['accept', '*/*'],
      ['Accept-Language', 'en'],
    ]),
  ).toBe('Authorization');
});
