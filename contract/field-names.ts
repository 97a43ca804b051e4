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
