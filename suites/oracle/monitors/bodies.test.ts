import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { PET_STATUSES } from '../../../contract/inventory.ts';
import { INT64_MAX, INT64_MIN, stringifyJson } from '../../../contract/json/index.ts';
import { contentType, errorBodies, inventoryItems } from './bodies.ts';
import { watch } from './watch.test-data.ts';

const PET = '{"petId":1,"quantity":5,"status":"available"}';

const list = (body: string, status = 200) => watch(inventoryItems, { body, status });
const update = (body: string, status = 200) =>
  watch(inventoryItems, { operation: 'updateInventory', method: 'PATCH', body, status });

describe('inventoryItems', () => {
  const members = { 'item-pet-id': true, 'item-quantity': true, 'item-status': true };

  test.each(['[]', `[${PET}]`, `[${PET},{"petId":2,"quantity":-5,"status":"sold"}]`])(
    'accepts the list %s',
    (body) => {
      expect(list(body).judged).toEqual({
        ...members,
        'list-succeeds': true,
        'list-one-entry-per-pet': true,
      });
    },
  );

  test('accepts any list of well-formed items, whose petIds a double may not hold', () => {
    const item = fc.record({
      petId: fc.bigInt({ min: INT64_MIN, max: INT64_MAX }),
      quantity: fc.integer(),
      status: fc.constantFrom(...PET_STATUSES),
    });
    const items = fc.uniqueArray(item, { selector: ({ petId }) => petId.toString(), maxLength: 20 });
    fc.assert(
      fc.property(items, (entries) => {
        expect(list(stringifyJson(entries)).messages).toEqual([]);
      }),
    );
  });

  test.each([
    ['no JSON', '<html>'],
    ['nothing', ''],
    ['an object', `{"items":[${PET}]}`],
    ['null', 'null'],
    ['not in UTF-8', Buffer.from('["\xE4"]', 'latin1')],
  ])('does not accept a list that is %s', (_what, body) => {
    expect(watch(inventoryItems, { body }).judged).toEqual({ 'list-succeeds': false });
  });

  test.each([
    ['item-pet-id', '{"quantity":5,"status":"sold"}', 'petId is missing'],
    ['item-pet-id', '{"petId":9223372036854775808,"quantity":5,"status":"sold"}', 'does not fit int64'],
    ['item-quantity', '{"petId":1,"quantity":"5","status":"sold"}', 'quantity is "5"'],
    ['item-status', '{"petId":1,"quantity":5,"status":"adopted"}', 'status is "adopted"'],
  ] as const)('judges %s of %s', (id, item, message) => {
    const failed = { ...members, [id]: false };
    expect(list(`[${item}]`).judged).toMatchObject({ ...failed, 'list-succeeds': true });
    expect(update(item).judged).toEqual({ ...failed, 'update-succeeds': true });
    expect(update(item).messages).toEqual([expect.stringContaining(message)]);
  });

  test('finds one bad item among many, and says which', () => {
    const items = Array.from(
      { length: 300 },
      (_, index) => `{"petId":${index},"quantity":${index === 250 ? '"1"' : 1},"status":"sold"}`,
    );
    const { judged, messages } = list(`[${items.join(',')}]`);
    expect(judged).toMatchObject({ ...members, 'item-quantity': false });
    expect(messages).toEqual(['Item 250 of 300: quantity is "1", not an integer.']);
  });

  test.each(['[1]', '[null]', '[[]]'])('does not accept %s for a list of items', (body) => {
    expect(list(body).judged['list-succeeds']).toBe(false);
  });

  test.each(['[]', '""', 'null', '', `[${PET}]`])('does not accept %s for an updated item', (body) => {
    expect(update(body).judged['update-succeeds']).toBe(false);
  });

  test('finds a pet that stands twice in the list', () => {
    const { judged, messages } = list(`[${PET},${PET.replace('5', '6')}]`);
    expect(judged['list-one-entry-per-pet']).toBe(false);
    expect(messages).toEqual(['Pet 1 stands in the list more than once.']);
  });

  test('distinguishes petIds that a double cannot', () => {
    const pets = [9_007_199_254_740_992n, 9_007_199_254_740_993n].map((petId) =>
      PET.replace('1', String(petId)),
    );
    expect(list(`[${pets.join(',')}]`).judged['list-one-entry-per-pet']).toBe(true);
  });

  test('observes further members without judging them', () => {
    const { judged, observed } = update(PET.replace('{', '{"name":"Rex",'));
    expect(Object.values(judged)).not.toContain(false);
    expect(observed).toEqual([['extra-members.item', 'name']]);
  });

  test('has no say in other statuses and operations', () => {
    expect(list('{}', 429).judged).toEqual({});
    expect(update('{}', 404).judged).toEqual({});
    for (const operation of ['getPet', 'listOrders', null] as const) {
      expect(watch(inventoryItems, { operation, body: '{}' }).judged).toEqual({});
    }
  });
});

const ERROR = '{"code":"not_found","message":"There is no such pet.","status":404}';

const notFound = (body: string) =>
  watch(errorBodies, { operation: 'updateInventory', method: 'PATCH', status: 404, body });

describe('errorBodies', () => {
  const good = { 'error-code': true, 'error-message': true, 'error-status': true };
  test('accepts the Error object, and observes its code and further members', () => {
    const { judged, observed } = notFound(ERROR.replace('{', '{"requestId":"7","details":[],'));
    expect(judged).toEqual(good);
    expect(observed).toEqual([
      ['error-code-values.404', 'not_found'],
      ['extra-members.error', 'requestId'],
      ['extra-members.error', 'details'],
    ]);
  });

  test.each([
    ['error-code', '{"code":404,"message":"m","status":404}'],
    ['error-message', '{"code":"c","message":{"en":"m"},"status":404}'],
    ['error-status', '{"code":"c","message":"m","status":400}'],
  ])('judges %s of %s', (id, body) => {
    expect(notFound(body).judged).toEqual({ ...good, [id]: false });
  });

  test.each(['', 'Not Found', '[]', 'null', '"error"', `{"error":${ERROR}}`, `[${ERROR}]`])(
    'does not take %s for an Error object',
    (body) => {
      expect(Object.values(notFound(body).judged)).toEqual([false, false, false]);
    },
  );

  test('accepts an empty code and message, of which the text says nothing', () => {
    expect(notFound('{"code":"","message":"","status":404}').judged).toEqual(good);
  });

  test.each([
    ['updateInventory', 400, true],
    ['updateInventory', 401, true],
    ['updateInventory', 404, true],
    ['listInventory', 401, true],
    ['getPet', 401, true],
    ['listOrders', 401, true],
    // Not documented for these.
    ['listInventory', 400, false],
    ['listInventory', 404, false],
    ['getPet', 404, false],
    ['updateInventory', 429, false],
    ['updateInventory', 403, false],
    ['updateInventory', 405, false],
    ['updateInventory', 200, false],
    [null, 401, false],
  ] as const)('of %s with status %i is judged: %s', (operation, status, isJudged) => {
    const { judged } = watch(errorBodies, { operation, status, body: '' });
    expect(Object.keys(judged)).toHaveLength(isJudged ? 3 : 0);
  });

  test('does not judge what a banned key is told', () => {
    expect(watch(errorBodies, { status: 401, body: 'banned' }, { mayBeBanned: true }).judged).toEqual({});
  });
});

const judgeType = (value: string | undefined, status = 200) =>
  watch(contentType, { status, headers: value === undefined ? [] : [['Content-Type', value]] }).judged[
    'content-type-json'
  ];

describe('contentType', () => {
  test.each([
    ['application/json', true],
    ['application/json; charset=utf-8', true],
    ['application/json;charset=UTF-8', true],
    ['Application/JSON', true],
    ['application/problem+json', false],
    ['application/vnd.api+json', false],
    ['application/jsonp', false],
    ['text/json', false],
    ['text/html', false],
    ['', false],
    [undefined, false],
  ])('of %s says %s', (value, holds) => {
    expect(judgeType(value)).toBe(holds);
    expect(judgeType(value, 401)).toBe(holds);
  });

  test('is judged only if a body is documented', () => {
    expect(judgeType('text/html', 429)).toBeUndefined();
    expect(judgeType('text/html', 500)).toBeUndefined();
    expect(watch(contentType, { operation: 'getPet', status: 200 }).judged).toEqual({});
    expect(watch(contentType, { operation: null, status: 401 }).judged).toEqual({});
    expect(watch(contentType, { operation: 'listOrders', status: 401 }).judged).toEqual({
      'content-type-json': false,
    });
    expect(watch(contentType, { status: 401 }, { mayBeBanned: true }).judged).toEqual({});
  });
});
