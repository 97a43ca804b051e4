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
  expect(readListRedirect(LIST, location).kind).toBe('same list');
});

test.each([
  ['https://shop.test/v1/inventory', 'https://shop.test/v1'],
  ['http://other.test/v1/inventory/', 'http://other.test/v1'],
  ['/v2/inventory', 'http://shop.test:8080/v2'],
  ['//eu.shop.test/v1/inventory', 'http://eu.shop.test/v1'],
])('%s is the list of another base address', (location, base) => {
  expect(readListRedirect(LIST, location)).toEqual({ kind: 'other base', base });
});

test.each(['/login?next=%2Fv1%2Finventory', 'https://id.test/authorize', '/'])(
  '%s is elsewhere',
  (location) => {
    expect(readListRedirect(LIST, location).kind).toBe('elsewhere');
  },
);

test.each([undefined, 'http://['])('%s leads nowhere', (location) => {
  expect(readListRedirect(LIST, location).kind).toBe('nowhere');
});
