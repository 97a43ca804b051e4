import { expect, test } from 'vitest';
import { readListRedirect } from './preflight.ts';

const LIST = 'http://shop.test:8080/v1/inventory';

test.each([
  '/v1/inventory/',
  'inventory/',
  'http://shop.test:8080/v1/inventory/',
  '/v1//inventory',
  '/V1/Inventory',
  '/v1/%69nventory',
  '/v1/inventory?lang=en',
  '/v1/inventory',
])('%s is the same list in another spelling', (location) => {
  expect(readListRedirect(LIST, 308, location).isSameList).toBe(true);
});

test.each([
  ['https://shop.test/v1/inventory', 'Use https://shop.test/v1 as the target.'],
  ['http://other.test/v1/inventory/', 'Use http://other.test/v1 as the target.'],
  ['/v2/inventory', 'Use http://shop.test:8080/v2 as the target.'],
  ['//eu.shop.test/v1/inventory', 'Use http://eu.shop.test/v1 as the target.'],
  ['/login?next=%2Fv1%2Finventory', 'http://shop.test:8080/login, which is not an inventory.'],
  ['https://id.test/authorize', 'https://id.test/authorize, which is not an inventory.'],
  ['/', 'http://shop.test:8080/, which is not an inventory.'],
  [undefined, 'without a Location that can be followed.'],
  ['http://[', 'without a Location that can be followed.'],
])('a redirect to %s is none to the same list', (location, message) => {
  expect(readListRedirect(LIST, 308, location)).toEqual({
    isSameList: false,
    message: expect.stringContaining(message),
  });
});
