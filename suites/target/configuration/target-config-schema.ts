import { enumeration } from '../../../contract/words/enumeration.ts';
import { parameterSchemas } from '../../../contract/load-parameters.ts';
import type { JsonObject } from '../../../contract/json/index.ts';
import { TARGET_FIELDS, type TargetField } from '../../../contract/target-fields.ts';

const REQUEST_COUNT = { $ref: '#/$defs/requestCount' };

/** What the fields are made of. Each title reads on from "must be". */
const DEFINITIONS = {
  loadScenario: {
    ...objectSchema('an object with scenario and its parameters', {
      scenario: {
        title: 'the id of a load scenario',
        description: 'As `stockcheck load --list` prints it.',
        type: 'string',
      },
      thresholds: {
        title: 'an array of thresholds',
        description: "Such as p99<100ms; in place of the scenario's own.",
        type: 'array',
        items: { title: 'a threshold such as p99<100ms', type: 'string' },
      },
      ...parameterSchemas(),
    }),
    required: ['scenario'],
  },
  httpUrl: {
    title: 'an http or https URL without query, fragment or credentials',
    type: 'string',
    pattern:
      '^([Hh][Tt][Tt][Pp][Ss]?://[^\\s/?#@\\\\]+(/[^\\s?#\\\\]*)?|\\$[A-Za-z_]\\w*|\\$\\{[A-Za-z_]\\w*\\}[^\\s?#\\\\]*)$',
  },
  apiKey: {
    title: 'an API key: printable ASCII characters without spaces',
    type: 'string',
    pattern: '^[!-~]+$',
  },
  planKeys: {
    title: 'an array of API keys',
    type: 'array',
    items: either({ type: 'object' }, { $ref: '#/$defs/keyWithLimits' }, { $ref: '#/$defs/apiKey' }),
  },
  keyWithLimits: {
    description:
      'A key whose limits are not those of its plan, or an enterprise key, whose limits are agreed.',
    type: 'object',
    additionalProperties: false,
    required: ['key', 'perMinute', 'perDay'],
    properties: { key: { $ref: '#/$defs/apiKey' }, perMinute: REQUEST_COUNT, perDay: REQUEST_COUNT },
  },
  requestCount: {
    title: 'a whole number of requests, at least 1',
    type: 'integer',
    minimum: 1,
    maximum: Number.MAX_SAFE_INTEGER,
  },
  petId: {
    title: 'a petId: an int64 as a string of decimal digits, such as "9007199254740993"',
    type: 'string',
    pattern: '^(0|-?[1-9][0-9]{0,18}|\\$[A-Za-z_]\\w*|\\$\\{[A-Za-z_]\\w*\\})$',
  },
};

/** JSON Schema of a configuration file. The package has it as a file. */
export const TARGET_CONFIG_SCHEMA = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $id: 'urn:stockcheck:target-config',
  description:
    'Target configuration of stockcheck: stockcheck.config.json, or the file given with --config. At least one key is needed, unless there is a control URL. A value "$NAME", or ${NAME} in a value, is read from that environment variable.',
  ...objectSchema('an object', {
    $schema: { title: 'a string', type: 'string' },
    ...fieldSchemas(TARGET_FIELDS),
    load: {
      ...objectSchema('an object with scenarios', {
        scenarios: {
          title: 'an array of scenarios',
          type: 'array',
          minItems: 1,
          items: { $ref: '#/$defs/loadScenario' },
        },
      }),
      description:
        'What `stockcheck load` runs if --scenario names nothing; options on the command line win.',
      required: ['scenarios'],
    },
  }),
  required: ['target'],
  $defs: DEFINITIONS,
};

/** What fits the first schema has to fit the second, and anything else the third. */
function either(...schemas: readonly [JsonObject, JsonObject, JsonObject]): JsonObject {
  return Object.fromEntries(['if', 'then', 'else'].map((keyword, index) => [keyword, schemas[index] ?? {}]));
}

function objectSchema(title: string, properties: JsonObject): JsonObject {
  return { title, type: 'object', additionalProperties: false, properties };
}

function fieldSchemas(fields: Readonly<Record<string, TargetField>>): JsonObject {
  return Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [name, { ...schemaOf(field), ...descriptionOf(field) }]),
  );
}

function descriptionOf({ description }: TargetField): JsonObject {
  return description === undefined ? {} : { description };
}

function schemaOf(field: TargetField): JsonObject {
  switch (field.kind) {
    case 'group':
      return objectSchema(field.title, fieldSchemas(field.members));
    case 'url':
      return { $ref: '#/$defs/httpUrl' };
    case 'plan keys':
      return { $ref: '#/$defs/planKeys' };
    case 'revoked keys':
      return { title: 'an array of API keys', type: 'array', items: { $ref: '#/$defs/apiKey' } };
    case 'pets':
      return { title: 'an array of petIds', type: 'array', items: { $ref: '#/$defs/petId' } };
    case 'pet':
      return { $ref: '#/$defs/petId' };
    case 'choice':
      return {
        title: enumeration(field.choices, 'or'),
        enum: field.choices,
      };
  }
}
