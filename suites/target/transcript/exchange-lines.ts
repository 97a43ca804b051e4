import { isUtf8 } from 'node:buffer';

import {
  countMember,
  listMember,
  numberMember,
  stringMember,
  isJsonObject,
  type JsonObject,
  type JsonValue,
} from '../../../contract/json/index.ts';
import type { HeaderField } from '../../../contract/verdict.ts';

/** A body as text, in base64 if it is no UTF-8, or `omitted` if it is not kept. */
type BodyLine = JsonValue;

const OMITTED = { omitted: true };

/** @param hide makes a text one that may be shown */
export function bodyLine(body: string | Uint8Array | null, hide: (text: string) => string): BodyLine {
  if (body === null || typeof body === 'string') {
    return body === null ? null : hide(body);
  }
  if (isUtf8(body)) {
    return hide(Buffer.from(body).toString());
  }
  const bytes = Buffer.from(body).toString('latin1');
  return hide(bytes) === bytes ? { base64: Buffer.from(body).toString('base64') } : OMITTED;
}

/** @returns `undefined` if it was not kept */
export function bodyOfLine(line: JsonObject, name: string): Buffer | null | undefined {
  const value = line[name];
  if (value === null) {
    return null;
  }
  if (!isJsonObject(value)) {
    return Buffer.from(stringMember(line, name));
  }
  if (value['omitted'] === true) {
    return undefined;
  }
  const text = stringMember(value, 'base64');
  const bytes = Buffer.from(text, 'base64');
  if (bytes.toString('base64') !== text) {
    throw new SyntaxError(`${name} is not in base64`);
  }
  return bytes;
}

export function headerLines(
  fields: readonly HeaderField[],
  show: (value: string, name: string) => string,
): JsonValue {
  return fields.map(([name, value]) => [name, show(value, name)]);
}

export function headersOfLine(line: JsonObject, name: string): readonly HeaderField[] {
  return listMember(line, name).map((field): HeaderField => {
    const [header, value, more] = Array.isArray(field) ? field : [];
    if (typeof header !== 'string' || typeof value !== 'string' || more !== undefined) {
      throw new SyntaxError(`${name} is not an array of names and values`);
    }
    return [header, value];
  });
}

/** The response's own members, as a line has them. */
export function responseLine(
  response: {
    readonly status: number;
    readonly headers: readonly HeaderField[];
    readonly body: Uint8Array | null;
  },
  hide: (text: string) => string,
): JsonObject {
  return {
    status: response.status,
    headers: headerLines(response.headers, (value, name) =>
      /^set-cookie2?$/i.test(name) ? '[not recorded]' : hide(value),
    ),
    body: response.body === null ? OMITTED : bodyLine(response.body, hide),
  };
}

/** A moment as a line has it, which is not before another one. */
export function momentMember(line: JsonObject, name: string, earliest: number): number {
  const at = numberMember(line, name);
  if (at < earliest) {
    throw new SyntaxError(`${name} is ${at}, which is before ${earliest}`);
  }
  return at;
}

/** Statuses as HTTP has them (RFC 9110, section 15). */
export function statusMember(line: JsonObject): number {
  const status = countMember(line, 'status');
  if (status < 100 || status > 999) {
    throw new SyntaxError('status is not of three digits');
  }
  return status;
}
