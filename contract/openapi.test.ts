import { readFileSync } from 'node:fs';

import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';

import { PET_STATUSES } from './inventory.ts';
import { INT64_MAX, isJsonObject, stringifyJson, type JsonObject, type JsonValue } from './json/index.ts';
import {
  type SchemaValidator,
  validateError,
  validateInventory,
  validateInventoryItem,
  validateInventoryUpdate,
} from './openapi-schemas.test-data.ts';
import { RATE_LIMIT_HEADERS } from './rate-limit-headers.ts';
import { parseRetryAfter } from './retry-after.ts';

const DOCUMENT: JsonValue = parse(readFileSync(new URL('openapi.yaml', import.meta.url), 'utf8'));

/** The object at that path of the document; `$ref`s on the way are followed. */
function at(...path: readonly string[]): JsonObject {
  let value: JsonValue | undefined = DOCUMENT;
  for (const member of path) {
    value = resolve(isJsonObject(value) ? value[member] : undefined);
  }
  return isJsonObject(value) ? value : {};
}

function resolve(value: JsonValue | undefined): JsonValue | undefined {
  const reference = isJsonObject(value) ? value['$ref'] : undefined;
  return typeof reference === 'string' ? at(...reference.split('/').slice(1)) : value;
}

const OPERATIONS = [
  { path: '/inventory', method: 'get', statuses: ['200', '401', '429'] },
  { path: '/inventory/{petId}', method: 'patch', statuses: ['200', '400', '401', '404', '429'] },
  { path: '/pets/{petId}', method: 'get', statuses: ['200', '401', '429'] },
  { path: '/store/orders', method: 'get', statuses: ['200', '401', '429'] },
];

const RESPONSES = OPERATIONS.flatMap(({ path, method, statuses }) =>
  statuses.map((status) => ({ path, method, status })),
);

describe('the OpenAPI document', () => {
  test('has the four operations and no other', () => {
    const operations = Object.keys(at('paths')).flatMap((path) =>
      Object.keys(at('paths', path)).map((method) => `${method} ${path}`),
    );
    expect(operations).toEqual(OPERATIONS.map(({ path, method }) => `${method} ${path}`));
  });

  test.each(OPERATIONS)('$method $path has its responses and a stability marker', (operation) => {
    const { path, method, statuses } = operation;
    expect(Object.keys(at('paths', path, method, 'responses'))).toEqual(statuses);
    expect(['experimental', 'beta']).toContain(at('paths', path, method)['x-stability']);
  });

  test.each(RESPONSES)('$method $path $status carries the rate limit headers', ({ path, method, status }) => {
    const headers = at('paths', path, method, 'responses', status, 'headers');
    const wanted = status === '429' ? ['Retry-After', ...RATE_LIMIT_HEADERS] : [...RATE_LIMIT_HEADERS];
    expect(Object.keys(headers)).toEqual(wanted);
    const required = wanted.filter((name) => resolveMember(headers, name)['required'] === true);
    expect(required).toEqual(wanted);
  });

  test.each(RESPONSES.filter(({ status }) => ['400', '401', '404'].includes(status)))(
    '$method $path $status holds an Error',
    ({ path, method, status }) => {
      const content = at('paths', path, method, 'responses', status, 'content');
      expect(Object.keys(content)).toEqual(['application/json']);
      expect(content['application/json']).toMatchObject({ schema: { $ref: '#/components/schemas/Error' } });
    },
  );

  test('leaves the body of a 429 open', () => {
    expect(at('components', 'responses', 'TooManyRequests')).not.toHaveProperty('content');
  });

  test('shows Retry-After in both forms', () => {
    const examples = Object.keys(at('components', 'headers', 'RetryAfter', 'examples'));
    const forms = examples.map((name) => {
      const { value } = at('components', 'headers', 'RetryAfter', 'examples', name);
      return parseRetryAfter(typeof value === 'string' ? value : stringifyJson(value ?? null))?.form;
    });
    expect(forms).toEqual(['delta-seconds', 'http-date']);
  });

  test('marks the experimental and the deprecated operation', () => {
    expect(at('paths', '/inventory/{petId}', 'patch')['x-stability']).toBe('experimental');
    expect(at('paths', '/pets/{petId}', 'get')).toMatchObject({
      deprecated: true,
      'x-sunset': expect.any(String),
    });
  });

  test('names the operations that the specification names', () => {
    expect(at('paths', '/inventory', 'get')['operationId']).toBe('listInventory');
    expect(at('paths', '/inventory/{petId}', 'patch')['operationId']).toBe('updateInventory');
  });

  test('demands a bearer key everywhere', () => {
    expect(at()['security']).toEqual([{ apiKey: [] }]);
    expect(at('components', 'securitySchemes', 'apiKey')).toMatchObject({ type: 'http', scheme: 'bearer' });
    const exempt = OPERATIONS.filter(({ path, method }) => 'security' in at('paths', path, method));
    expect(exempt).toEqual([]);
  });

  test('has servers that end in /v1 and the version 1.0.0', () => {
    expect(at()['servers']).toEqual([
      expect.objectContaining({ url: expect.stringMatching(/\/v1$/) }),
      expect.objectContaining({ url: expect.stringMatching(/\/v1$/) }),
    ]);
    expect(at('info')['version']).toBe('1.0.0');
  });

  test('has the statuses and the int64 of the contract', () => {
    expect(at('components', 'schemas', 'PetStatus')['enum']).toEqual(PET_STATUSES);
    const int64 = { type: 'integer', format: 'int64' };
    expect(at('components', 'schemas', 'InventoryItem', 'properties', 'petId')).toMatchObject(int64);
    expect(at('components', 'parameters', 'PetId', 'schema')).toEqual(int64);
  });
});

function resolveMember(parent: JsonObject, member: string): JsonObject {
  const value = resolve(parent[member]);
  return isJsonObject(value) ? value : {};
}

describe('its schemas', () => {
  const VALID_ITEM = { petId: 1, quantity: 12, status: 'available' };
  const VALID_ERROR = { code: 'pet_not_found', message: 'No such pet.', status: 404 };

  test.each<[string, SchemaValidator, JsonValue | undefined, readonly string[]]>([
    ['item: a valid item', validateInventoryItem, VALID_ITEM, []],
    ['item: a further member', validateInventoryItem, { ...VALID_ITEM, note: 'new' }, []],
    ['item: the largest int64', validateInventoryItem, { ...VALID_ITEM, petId: INT64_MAX }, []],
    ['item: one beyond int64', validateInventoryItem, { ...VALID_ITEM, petId: INT64_MAX + 1n }, ['/petId']],
    ['item: a petId as a string', validateInventoryItem, { ...VALID_ITEM, petId: '1' }, ['/petId']],
    ['item: a large quantity', validateInventoryItem, { ...VALID_ITEM, quantity: 10n ** 30n }, []],
    ['item: a negative quantity', validateInventoryItem, { ...VALID_ITEM, quantity: -1 }, []],
    ['item: a fraction', validateInventoryItem, { ...VALID_ITEM, quantity: 1.5 }, ['/quantity']],
    ['item: null', validateInventoryItem, { ...VALID_ITEM, quantity: null }, ['/quantity']],
    ['item: another letter-case', validateInventoryItem, { ...VALID_ITEM, status: 'Sold' }, ['/status']],
    ['item: nothing', validateInventoryItem, {}, ['/petId', '/quantity', '/status']],
    ['item: an array', validateInventoryItem, [VALID_ITEM], ['']],
    ['item: undefined', validateInventoryItem, undefined, ['']],
    ['list: an empty list', validateInventory, [], []],
    ['list: two items', validateInventory, [VALID_ITEM, { ...VALID_ITEM, petId: 2n ** 53n + 1n }], []],
    [
      'list: an item without petId',
      validateInventory,
      [VALID_ITEM, { quantity: 1, status: 'sold' }],
      ['/1/petId'],
    ],
    ['list: an object', validateInventory, { items: [] }, ['']],
    ['update: an integer', validateInventoryUpdate, { quantity: 5 }, []],
    ['update: a wide integer', validateInventoryUpdate, { quantity: 10n ** 30n }, []],
    ['update: a further member', validateInventoryUpdate, { quantity: 5, note: 'new' }, []],
    ['update: a string', validateInventoryUpdate, { quantity: '5' }, ['/quantity']],
    ['update: nothing', validateInventoryUpdate, {}, ['/quantity']],
    ['update: no object', validateInventoryUpdate, 5, ['']],
    ['error: complete', validateError, VALID_ERROR, []],
    ['error: with a further member', validateError, { ...VALID_ERROR, details: [] }, []],
    ['error: with a numeric code', validateError, { ...VALID_ERROR, code: 404 }, ['/code']],
    ['error: with a null message', validateError, { ...VALID_ERROR, message: null }, ['/message']],
    ['error: with a status as a string', validateError, { ...VALID_ERROR, status: '404' }, ['/status']],
    ['error: empty', validateError, {}, ['/code', '/message', '/status']],
  ])('judge %s', (_of, validate, value, pointers) => {
    expect(validate(value).map(({ pointer }) => pointer)).toEqual(pointers);
  });

  test('says what is wrong', () => {
    expect(validateInventoryItem({ petId: INT64_MAX + 1n, quantity: '5' })).toEqual(
      expect.arrayContaining([
        { pointer: '/petId', message: 'must be an integer that fits int64' },
        { pointer: '/quantity', message: 'must be an integer' },
        { pointer: '/status', message: 'is missing' },
      ]),
    );
  });
});
