import type { HeaderField } from '../../../contract/verdict.ts';
import type { RequestMessage } from '../../oracle/index.ts';

const SPELLINGS = {
  'small letters': (name: string) => name.toLowerCase(),
  capitals: (name: string) => name.toUpperCase(),
} as const;

export type FieldNames = keyof typeof SPELLINGS;

/** The same request with the names of its fields in other letters, which mean the same (RFC 9110, section 5.1). */
export function withFieldNames(message: RequestMessage, spelling: FieldNames): RequestMessage {
  const spell = SPELLINGS[spelling];
  return { ...message, headers: message.headers.map(([name, value]) => [spell(name), value]) };
}

/** What the Authorization field of a request is called: its letters are those of all the other fields. */
export function authorizationName(others: readonly HeaderField[]): string {
  const plain = 'Authorization';
  const spell = Object.values(SPELLINGS).find((one) => others.every(([name]) => name === one(name)));
  return others.length === 0 || spell === undefined ? plain : spell(plain);
}
