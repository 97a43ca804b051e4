import { isPetStatus, type InventoryItem } from '../../../contract/inventory.ts';
import {
  booleanMember,
  countMember,
  listMember,
  numberMember,
  onlyMembers,
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
import {
  newUsage,
  type Credential,
  type Exchange,
  type Key,
  type RequestMessage,
} from '../../oracle/index.ts';
import { bodyOfLine, headersOfLine, momentMember, statusMember } from './exchange-lines.ts';

// Reads lines of a transcript, each by itself. Each throws a SyntaxError that names the member, if it is not as it should be.

/** A line that tells a key. */
interface KeyLine {
  readonly key: Key;
  readonly knownAt: number | undefined;
}

export function readKeyLine(line: JsonObject): KeyLine {
  onlyMembers(line, [
    'do',
    'history',
    'key',
    'plan',
    'perMinute',
    'perDay',
    'issued',
    'usedToday',
    'pseudonym',
    'issuedAt',
  ]);
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
    knownAt: orNull(line, 'issuedAt', numberMember) ?? undefined,
  };
}

const SENT_MEMBERS = [
  'do',
  'history',
  'number',
  'at',
  'operation',
  'method',
  'path',
  'authorization',
  'headers',
  'body',
  'inParts',
  'spender',
  'credential',
] as const;

const OPERATIONS = ['listInventory', 'updateInventory', 'getPet', 'listOrders'] as const;

/** A line that tells a request. */
interface SentLine {
  readonly request: RequestMessage;
  readonly authorization: readonly string[];
  readonly sentAt: number;
  /** Label of the key that it may count on. */
  readonly spender: string | null;
  /** What the request presents, if the line says it. */
  readonly credential: Credential | null;
}

export function readSentLine(line: JsonObject): SentLine {
  onlyMembers(line, SENT_MEMBERS);
  return {
    request: {
      operation: orNull(line, 'operation', (object, name) => wordMember(object, name, OPERATIONS)),
      method: stringMember(line, 'method'),
      path: stringMember(line, 'path'),
      headers: headersOfLine(line, 'headers'),
      body: bodyOfLine(line, 'body') ?? null,
      ...(booleanMember(line, 'inParts') ? { bodyInParts: true as const } : {}),
    },
    authorization: stringsMember(line, 'authorization'),
    sentAt: numberMember(line, 'at'),
    spender: orNull(line, 'spender', stringMember),
    credential: orNull(line, 'credential', credentialMember),
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

const RECEIVED_MEMBERS = [
  'do',
  'number',
  'at',
  'key',
  'lost',
  'connection',
  'milliseconds',
  'startedAt',
  'status',
  'headers',
  'body',
] as const;

/** A line that tells a response: an exchange but for its request, which another line told. */
interface ReceivedLine extends Omit<Exchange, 'request' | 'authorization' | 'key' | 'sentAt'> {
  /** Label of the key that the request presented. */
  readonly label: string | null;
}

export function readReceivedLine(line: JsonObject, sentAt: number): ReceivedLine {
  onlyMembers(line, RECEIVED_MEMBERS);
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
