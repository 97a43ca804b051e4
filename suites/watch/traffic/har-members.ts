import { isJsonObject, type JsonObject, type JsonValue } from '../../../contract/json/index.ts';
import type { HeaderField } from '../../../contract/verdict.ts';

// Reads members of an HTTP Archive, which its recorder may have left out or written as something else.

export function objectOf(value: JsonValue | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

export function textOf(value: JsonValue | undefined): string {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? `${value}`
    : '';
}

/** Without the pseudo-header fields of HTTP/2; `undefined` if none was recorded, as any message has one. */
export function fieldsOf(fields: JsonValue | undefined): readonly HeaderField[] | undefined {
  if (!Array.isArray(fields) || fields.length === 0) {
    return undefined;
  }
  return fields
    .map((field: JsonValue) => objectOf(field))
    .map(({ name, value }): HeaderField => [textOf(name), textOf(value).trim()])
    .filter(([name]) => name !== '' && !name.startsWith(':'));
}
