import { readFileSync } from 'node:fs';

import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { parse } from 'yaml';

import { asInteger, isInt64, isJsonObject, type JsonObject, type JsonValue } from './json/index.ts';

/** What a value has wrong; `pointer` is a JSON Pointer (RFC 6901) to the member, '' for the value itself. */
interface SchemaProblem {
  readonly pointer: string;
  readonly message: string;
}

// Ajv's own `integer` knows numbers only; this keyword takes its place and reads a bigint as well.
const EXACT_INTEGER = 'exactInteger';

const ajv = new Ajv2020({ allErrors: true });
addFormats.default(ajv);
ajv.addKeyword({
  keyword: EXACT_INTEGER,
  schemaType: 'string',
  validate: (format: string, value: JsonValue) => {
    const integer = asInteger(value);
    return integer !== undefined && (format !== 'int64' || isInt64(integer));
  },
  error: { message: ({ schema }) => `must be an integer${schema === 'int64' ? ' that fits int64' : ''}` },
});

const DOCUMENT_ID = 'petstore-inventory';

ajv.addKeyword('components');
ajv.addSchema({ $id: DOCUMENT_ID, components: { schemas: readComponentSchemas() } });

/** Judges an InventoryItem by its schema in `openapi.yaml`; no problems means that the value is valid. */
export function validateInventoryItem(value: JsonValue | undefined): readonly SchemaProblem[] {
  const validate = ajv.getSchema(`${DOCUMENT_ID}#/components/schemas/InventoryItem`);
  if (validate === undefined) {
    throw new Error('openapi.yaml has no schema InventoryItem');
  }
  return validate(value) === true ? [] : (validate.errors ?? []).map(describeProblem);
}

function describeProblem(error: ErrorObject): SchemaProblem {
  const missing: unknown = error.params['missingProperty'];
  return typeof missing === 'string'
    ? { pointer: `${error.instancePath}/${missing}`, message: 'is missing' }
    : { pointer: error.instancePath, message: error.message ?? error.keyword };
}

function readComponentSchemas(): JsonValue {
  const document: JsonValue = parse(readFileSync(new URL('openapi.yaml', import.meta.url), 'utf8'));
  const components = isJsonObject(document) ? document['components'] : undefined;
  const schemas = isJsonObject(components) ? components['schemas'] : undefined;
  if (!isJsonObject(schemas)) {
    throw new Error('openapi.yaml has no component schemas');
  }
  return withExactIntegers(schemas);
}

function withExactIntegers(schema: JsonValue): JsonValue {
  if (Array.isArray(schema)) {
    return schema.map(withExactIntegers);
  }
  if (!isJsonObject(schema)) {
    return schema;
  }
  const members: JsonObject = Object.fromEntries(
    Object.entries(schema).map(([name, member]) => [name, withExactIntegers(member)]),
  );
  if (members['type'] !== 'integer') {
    return members;
  }
  const { type: _integer, format = 'unbounded', ...others } = members;
  return { ...others, [EXACT_INTEGER]: format };
}
