import type { Key } from '../../oracle/index.ts';
import type { Credentials } from '../../target/index.ts';

/** Ways to write a key that a target may accept (RFC 9110, section 11.1 and 11.4); it is the same key then. */
export const CREDENTIAL_SPELLINGS = [
  { name: 'bearer in small letters', before: 'bearer ' },
  { name: 'two spaces', before: 'Bearer  ' },
] as const;

export type CredentialSpelling = (typeof CREDENTIAL_SPELLINGS)[number];

/** The key, written so. */
export function spelled(key: Key, { name, before }: CredentialSpelling): Credentials {
  return { authorization: [before + key.secret], labels: [`[${key.label}: ${name}]`], spends: key };
}
