import { describe, expect, test } from 'vitest';

import { createRouter } from './router.ts';

const route = createRouter('/v1');

const LIST = { kind: 'operation', operation: 'listInventory', petId: '' };

test.each([
  ['GET', '/v1/inventory', 'listInventory'],
  ['PATCH', '/v1/inventory/7', 'updateInventory'],
  ['GET', '/v1/pets/7', 'getPet'],
  ['GET', '/v1/store/orders', 'listOrders'],
])('%s %s is %s', (method, target, operation) => {
  expect(route(method, target)).toMatchObject({ kind: 'operation', operation });
});

describe('spellings', () => {
  test.each([
    '/v1/inventory/',
    '/v1/inventory?',
    '/v1/inventory?x=/1',
    '/v1/inventory/?x=1',
    '/v1/%69nventory',
    'http://127.0.0.1:8080/v1/inventory',
    'HTTP://petstore.test/v1/inventory/?x',
  ])('%s is the list', (target) => {
    expect(route('GET', target)).toMatchObject({ kind: 'operation', operation: 'listInventory' });
  });

  test.each([
    '/v1',
    '/v1/',
    '/',
    '',
    '*',
    '/v2/inventory',
    '/v1/v1/inventory',
    '/inventory',
    '/v1/Inventory',
    '/v1/inventory//',
    '//v1/inventory',
    '/v1//inventory',
    '/v1/./inventory',
    '/v1/x/../inventory',
    '/v1%2Finventory',
    '/v1/inventory%00',
    '/v1/inventory%20',
    '/v1/%',
    '/v1/%ff',
    '/v1/store',
    '/v1/pets',
    '/v1/inventory/1/history',
    'ftp://petstore.test/v1/inventory',
  ])('%s is nowhere', (target) => {
    expect(route('GET', target)).toEqual({ kind: 'not-found' });
  });

  test('the petId is decoded', () => {
    expect(route('PATCH', '/v1/inventory/%31%2F2/?x')).toEqual({
      kind: 'operation',
      operation: 'updateInventory',
      petId: '1/2',
    });
    expect(route('GET', '/v1/inventory')).toMatchObject(LIST);
  });
});

test.each(['HEAD', 'OPTIONS', 'POST', 'get', 'BREW'])('%s is not allowed on a documented path', (method) => {
  expect(route(method, '/v1/inventory')).toEqual({ kind: 'method-not-allowed', allow: 'GET' });
  expect(route(method, '/v1/inventory/1')).toEqual({ kind: 'method-not-allowed', allow: 'PATCH' });
});
