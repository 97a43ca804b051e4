import type { ErrorObject } from 'ajv/dist/2020.js';

import { closestName } from '../../../contract/words/closest-name.ts';

/** Where a field is in the configuration, such as `['keys', 'free', '0']`. */
export type FieldPath = readonly string[];

const SCHEMELESS_URL = /^[\w.-]+(?::\d+)?(?:\/[\w./-]*)?$/;

export interface Problem {
  readonly path: FieldPath;
  readonly message: string;
}

/** One problem for each field that the schema refuses; no message holds a value that may be a key. */
export function schemaProblems(errors: readonly ErrorObject[]): readonly Problem[] {
  const problems = errors.filter(({ keyword }) => keyword !== 'if').map(toProblem);
  return [...new Map(problems.map((problem) => [problem.message, problem])).values()];
}

/** A field as JavaScript writes it: `keys.free[1]`. */
export function formatPath(path: FieldPath): string {
  return path
    .map((segment) => {
      if (/^\d+$/.test(segment)) {
        return `[${segment}]`;
      }
      return /^[\w$-]+$/.test(segment) ? `.${segment}` : `[${JSON.stringify(segment)}]`;
    })
    .join('')
    .replace(/^[.]/, '');
}

function toProblem(error: ErrorObject): Problem {
  const path = error.instancePath.split('/').slice(1).map(decodePointer);
  switch (error.keyword) {
    case 'additionalProperties':
      return unknownField(path, String(error.params['additionalProperty']), error.parentSchema);
    case 'required': {
      const missing = [...path, String(error.params['missingProperty'])];
      return { path: missing, message: `${formatPath(missing)} is missing` };
    }
    default: {
      const wanted = String(error.parentSchema?.['title']);
      const name = path.length === 0 ? 'the configuration' : formatPath(path);
      return { path, message: `${name} must be ${wanted}${describeFound(error)}` };
    }
  }
}

function unknownField(parent: FieldPath, name: string, schema: ErrorObject['parentSchema']): Problem {
  const path = [...parent, name];
  const known = Object.keys(schema?.['properties'] ?? {});
  const closest = closestName(name, known);
  const hint =
    closest === undefined
      ? `known here: ${known.filter((field) => field !== '$schema').join(', ')}`
      : `did you mean ${formatPath([...parent, closest])}?`;
  return { path, message: `${formatPath(path)} is not a known field; ${hint}` };
}

function describeFound({ keyword, data, instancePath, parentSchema }: ErrorObject): string {
  if (data === '') {
    return ', but it is empty';
  }
  if (keyword === 'type' && !(typeof data === 'number' && parentSchema?.['type'] === 'integer')) {
    return `, not ${kindOf(data)}`;
  }
  if (keyword === 'enum') {
    return `, not ${typeof data === 'string' ? JSON.stringify(data) : kindOf(data)}`;
  }
  const schemeless = /^\/(?:target|control)$/.test(instancePath) && SCHEMELESS_URL.test(String(data));
  return schemeless ? `; did you mean http://${String(data)}?` : '';
}

function kindOf(value: unknown): string {
  if (value === null) {
    return 'null';
  }
  if (Array.isArray(value)) {
    return 'an array';
  }
  const kind = typeof value === 'bigint' ? 'number' : typeof value;
  return kind === 'object' ? 'an object' : `a ${kind}`;
}

function decodePointer(segment: string): string {
  return segment.replaceAll('~1', '/').replaceAll('~0', '~');
}
