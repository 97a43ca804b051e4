import { expect, test } from 'vitest';

import { documentedOperation } from './request-target.ts';

test.each([
  ['GET', '/inventory', 'listInventory'],
  ['PATCH', '/inventory/1', 'updateInventory'],
  ['PATCH', '/inventory/9223372036854775807', 'updateInventory'],
  ['GET', '/pets/7', 'getPet'],
  ['GET', '/store/orders', 'listOrders'],
])('%s %s is meant for %s', (method, path, operation) => {
  expect(documentedOperation({ method, path })).toBe(operation);
});

test.each([
  ['PATCH', '/inventory/'],
  ['PATCH', '/inventory/0'],
  ['PATCH', '/inventory/-1'],
  ['PATCH', '/inventory/01'],
  ['PATCH', '/inventory/abc'],
  ['PATCH', '/inventory/9223372036854775808'],
  ['GET', '/pets/-9223372036854775808'],
  ['GET', '/inventory/'],
  ['GET', '/inventory?status=sold'],
  ['POST', '/inventory'],
])('what %s %s is answered is open: a router may know no such path', (method, path) => {
  expect(documentedOperation({ method, path })).toBeNull();
});
