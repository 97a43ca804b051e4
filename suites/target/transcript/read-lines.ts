import { isUtf8 } from 'node:buffer';

import { isPetStatus, type InventoryItem } from '../../../contract/inventory.ts';
import {
  booleanMember,
  countMember,
  listMember,
  numberMember,
  objectMember,
  orNull,
  stringMember,
  stringsMember,
  wordMember,
  asInteger,
  isJsonObject,
  type JsonObject,
  type JsonValue,
} from '../../../contract/json/index.ts';
import { PLANS } from '../../../contract/plans.ts';
import type { HeaderField } from '../../../contract/verdict.ts';
import { newUsage, type Credential, type ObservedValue, type ResponseMessage } from '../../oracle/index.ts';

// Reads lines of a transcript, each by itself. Each throws a SyntaxError that names the member, if it is not as it should be.

/** A line that tells a key. */
export function readKeyLine(line: JsonObject) {
  const perMinute = orNull(line, 'perMinute', countMember);
  const perDay = orNull(line, 'perDay', countMember);
  return {
    key: {
      label: stringMember(line, 'key'),
      secret: stringMember(line, 'pseudonym'),
      plan: wordMember(line, 'plan', PLANS),
      limits: perMinute === null || perDay === null ? null : { perMinute, perDay },
      issued: booleanMember(line, 'issued'),
      usedToday: countMember(line, 'usedToday'),
      usage: newUsage(),
    },
    knownAt: orNull(line, 'issuedAt', numberMember),
  };
}

const OUTCOMES = ['pass', 'fail', 'inconclusive', 'skipped', 'observed'] as const;

/** What a run made of its history, which the history alone does not tell: by requirement, what came out and why. */
export type EndOfRun = ReturnType<typeof readEndLine>;

/** The line that tells the end of a run. */
export function readEndLine(line: JsonObject) {
  return {
    verdict: stringMember(line, 'verdict'),
    requirements: new Map(
      listMember(line, 'requirements').map((row) => {
        if (!isJsonObject(row)) {
          throw new SyntaxError('requirements has a row that is no object');
        }
        const reason = orNull(row, 'reason', stringMember);
        return [stringMember(row, 'id'), { outcome: wordMember(row, 'outcome', OUTCOMES), reason }] as const;
      }),
    ),
    observations: Object.fromEntries(
      Object.entries(objectMember(line, 'observations')).map(([name, value]) => [name, observedOf(value)]),
    ),
    problems: stringsMember(line, 'problems'),
  };
}

function observedOf(value: JsonValue): ObservedValue | readonly string[] {
  if (Array.isArray(value)) {
    return stringsMember({ value }, 'value');
  }
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') {
    return value;
  }
  throw new SyntaxError('observations has a value that is no word, number or list');
}

const OPERATIONS = ['listInventory', 'updateInventory', 'getPet', 'listOrders'] as const;

/** A line that tells a request: what it is, label of the key that it may count on, and what it presents, if the line says that. */
export function readSentLine(line: JsonObject) {
  const credential = orNull(line, 'credential', credentialMember);
  const body = bodyOfLine(line, 'body');
  return {
    request: {
      operation: orNull(line, 'operation', (object, name) => wordMember(object, name, OPERATIONS)),
      method: stringMember(line, 'method'),
      path: stringMember(line, 'path'),
      headers: headersOfLine(line, 'headers'),
      body: body ?? null,
      ...(body === undefined ? { isBodyOmitted: true as const } : {}),
      ...(booleanMember(line, 'inParts') ? { inParts: true as const } : {}),
      // Earlier transcripts do not tell it.
      ...(line['http10'] === true ? { isHttp10: true as const } : {}),
    },
    authorization: stringsMember(line, 'authorization'),
    at: numberMember(line, 'at'),
    label: orNull(line, 'spender', stringMember),
    ...(credential === null ? {} : { credential }),
  };
}

const INVALID = ['unknown-key', 'altered-key', 'revoked-key', 'bearer-scheme'] as const;

function credentialMember(line: JsonObject, name: string): Credential {
  const value = line[name];
  if (!isJsonObject(value)) {
    throw new SyntaxError(`${name} is not an object`);
  }
  switch (wordMember(value, 'kind', ['valid', 'missing', 'invalid', 'open'])) {
    case 'valid':
      return { kind: 'valid', key: stringMember(value, 'key') };
    case 'missing':
      return { kind: 'missing' };
    case 'invalid': {
      const requirement = wordMember(value, 'requirement', INVALID);
      return value['isMalformed'] === true
        ? { kind: 'invalid', requirement, isMalformed: true }
        : { kind: 'invalid', requirement };
    }
    case 'open':
      return {
        kind: 'open',
        key: orNull(value, 'key', stringMember),
        ...(value['isOnlyLetterCase'] === true ? { isOnlyLetterCase: true as const } : {}),
      };
  }
}

/** A line that tells a response: an exchange but for its request, which another line told. */
export function readReceivedLine(line: JsonObject, sentAt: number) {
  const startedAt = new Date(stringMember(line, 'startedAt'));
  if (Number.isNaN(startedAt.getTime()) || startedAt.toISOString() !== line['startedAt']) {
    throw new SyntaxError('startedAt is no moment in UTC with milliseconds');
  }
  const body = bodyOfLine(line, 'body');
  // Earlier transcripts do not tell it.
  const connection = orNull({ connection: null, ...line }, 'connection', stringMember);
  return {
    label: orNull(line, 'key', stringMember),
    response: {
      status: statusMember(line),
      headers: headersOfLine(line, 'headers'),
      body: body ?? Buffer.alloc(0),
      ...(body === undefined ? { isBodyOmitted: true as const } : {}),
      ...(connection === null ? {} : { connection }),
    },
    receivedAt: momentMember(line, 'at', sentAt),
    lostResponses: countMember(line, 'lost'),
    durationMilliseconds: momentMember(line, 'milliseconds', 0),
    startedAt,
  };
}

export function itemsMember(line: JsonObject, name: string): readonly InventoryItem[] {
  return listMember(line, name).map((value) => itemOf(value, name));
}

function itemOf(value: JsonValue, name: string): InventoryItem {
  const [petId, quantity, status, more] = Array.isArray(value) ? value : [];
  const exact = asInteger(quantity);
  if (
    typeof petId !== 'string' ||
    !/^-?\d{1,19}$/.test(petId) ||
    exact === undefined ||
    !isPetStatus(status) ||
    more !== undefined
  ) {
    throw new SyntaxError(`${name} is not an array of entries, each of petId, quantity and status`);
  }
  return { petId: BigInt(petId), quantity: typeof quantity === 'number' ? quantity : exact, status };
}

const OMITTED = { omitted: true };

/**
 * A body as text, in base64 if it is no UTF-8, or `omitted` if it is not kept.
 * @param hide makes a text one that may be shown
 */
export function bodyLine(body: string | Uint8Array | null, hide: (text: string) => string): JsonValue {
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
  response: Pick<ResponseMessage, 'status' | 'headers'> & { readonly body: Uint8Array | null },
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
