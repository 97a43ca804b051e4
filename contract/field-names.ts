import type { HeaderField } from './verdict.ts';

/** Ways to write the name of a header field, which all mean the same (RFC 9110, section 5.1). */
export const FIELD_NAMES = {
  'small letters': (name: string): string => name.toLowerCase(),
  capitals: (name: string): string => name.toUpperCase(),
} as const;

/** What the Authorization field of a request is called: its letters are those of all the other fields. */
export function authorizationName(others: readonly (readonly [name: string, value: unknown])[]): string {
  const plain = 'Authorization';
  const spell = Object.values(FIELD_NAMES).find((one) => others.every(([name]) => name === one(name)));
  return others.length === 0 || spell === undefined ? plain : spell(plain);
}

/** The fields of a header section that has names and values in turn, as `node:http` gives them. */
export function fieldsOf(raw: readonly string[]): readonly HeaderField[] {
  return Array.from({ length: raw.length / 2 }, (_, index) => [
    raw[2 * index] ?? '',
    raw[2 * index + 1] ?? '',
  ]);
}
