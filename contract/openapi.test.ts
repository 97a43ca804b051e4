import { readFileSync } from 'node:fs';

import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';

import { PET_STATUSES } from './inventory.ts';
import { INT64_MAX, isJsonObject, stringifyJson, type JsonObject, type JsonValue } from './json/index.ts';
import { validateInventoryItem } from './openapi-schemas.test-data.ts';
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

  test.each<[string, JsonValue | undefined, readonly string[]]>([
    ['a valid item', VALID_ITEM, []],
    ['a further member', { ...VALID_ITEM, note: 'new' }, []],
    ['the largest int64', { ...VALID_ITEM, petId: INT64_MAX }, []],
    ['one beyond int64', { ...VALID_ITEM, petId: INT64_MAX + 1n }, ['/petId']],
    ['a petId as a string', { ...VALID_ITEM, petId: '1' }, ['/petId']],
    ['a large quantity', { ...VALID_ITEM, quantity: 10n ** 30n }, []],
    ['a negative quantity', { ...VALID_ITEM, quantity: -1 }, []],
    ['a fraction', { ...VALID_ITEM, quantity: 1.5 }, ['/quantity']],
    ['null', { ...VALID_ITEM, quantity: null }, ['/quantity']],
    ['another letter-case', { ...VALID_ITEM, status: 'Sold' }, ['/status']],
    ['nothing', {}, ['/petId', '/quantity', '/status']],
    ['an array', [VALID_ITEM], ['']],
  ])('judge an item: %s', (_of, value, pointers) => {
    expect(validateInventoryItem(value).map(({ pointer }) => pointer)).toEqual(pointers);
  });

  test('say what a list, an update and an error hold', () => {
    const [integer, text] = [{ type: 'integer' }, { type: 'string' }];
    expect(at('components', 'schemas')).toMatchObject({
      Inventory: { type: 'array', items: { $ref: '#/components/schemas/InventoryItem' } },
      InventoryUpdate: { type: 'object', required: ['quantity'], properties: { quantity: integer } },
      Error: {
        type: 'object',
        required: ['code', 'message', 'status'],
        properties: { code: text, message: text, status: integer },
      },
    });
  });
});
