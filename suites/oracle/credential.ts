import type { Credential } from './history.ts';

/** What is known of a secret. */
export interface KnownSecret {
  readonly label: string;
  /** `doubtful` while it is being revoked, and afterwards if it is not known whether it was. */
  readonly state: 'valid' | 'revoked' | 'doubtful';
}

/** Whatever in a request may present a key. */
export interface Presented {
  /** The values of its Authorization fields. */
  readonly authorization: readonly string[];
  /** Its path and the values of its other fields, where a server may look for a key as well. */
  readonly elsewhere: readonly string[];
}

type Secrets = ReadonlyMap<string, KnownSecret>;

// RFC 6750, section 2.1; padding may stand inside if keys that end with it were joined or extended.
const TOKEN = /^[\w\-.~+/=]+$/;
// A key without its last character may be another key of the same family if keys are shorter than that.
const SHORTEST_KEY_TO_CUT_BY_ONE = 8;

/**
 * Reads what a request presents as its credentials (specification, section "Authentication"; RFC 9110, section 11.4).
 * @param secrets the keys that the target knows, and those that were revoked
 */
export function readCredential({ authorization, elsewhere }: Presented, secrets: Secrets): Credential {
  const [value, ...more] = authorization;
  const plain =
    more.length === 0 ? readField(value ?? '', secrets) : openOf(authorization.join(' '), secrets);
  if (plain.kind !== 'missing' && plain.kind !== 'invalid') {
    return plain;
  }
  const found = keyWithin(elsewhere.join('\n'), secrets);
  return found === undefined ? plain : { kind: 'open', key: found.label };
}

function readField(value: string, secrets: Secrets): Credential {
  const exact = value.startsWith('Bearer ') ? secrets.get(value.slice('Bearer '.length)) : undefined;
  if (exact !== undefined) {
    return ofKnown(exact);
  }
  const inOtherLetters = /^bearer /i.test(value) ? secrets.get(value.slice('Bearer '.length)) : undefined;
  if (inOtherLetters?.state === 'valid') {
    return { kind: 'open', key: inOtherLetters.label, isOnlyLetterCase: true };
  }
  const field = value.trim();
  if (field === '' || /^bearer$/i.test(field)) {
    return { kind: 'missing' };
  }
  const spelled = /^bearer(?<separator>[\s:=]\s*)(?<rest>.*)$/is.exec(field)?.groups;
  return spelled === undefined
    ? underAnotherScheme(field, secrets)
    : readToken(spelled['rest'] ?? '', spelled['separator'] ?? '', secrets);
}

function ofKnown({ label, state }: KnownSecret): Credential {
  switch (state) {
    case 'valid':
      return { kind: 'valid', key: label };
    case 'revoked':
      return { kind: 'invalid', requirement: 'revoked-key' };
    case 'doubtful':
      return { kind: 'open', key: label };
  }
}

/** What stands after the word Bearer, in any letter-case, and something that may be meant as its end. */
function readToken(rest: string, separator: string, secrets: Secrets): Credential {
  const found = wordsOf(rest).flatMap((word) => secrets.get(word) ?? []);
  const usable = found.find(({ state }) => state !== 'revoked');
  if (usable !== undefined) {
    return { kind: 'open', key: usable.label };
  }
  if (found.length > 0) {
    return { kind: 'invalid', requirement: 'revoked-key', isMalformed: true };
  }
  return separator.trim() === '' && TOKEN.test(rest)
    ? readUnknown(rest, secrets)
    : { kind: 'invalid', requirement: 'unknown-key', isMalformed: true };
}

/** The words of a field, without what may stand around a key that is copied from somewhere. */
function wordsOf(text: string): readonly string[] {
  const words = text.split(/[\s,;]+/);
  return [...words, ...words.map((word) => word.replace(/^["'<]+|["'>]+$/g, ''))];
}

function readUnknown(token: string, secrets: Secrets): Credential {
  for (const secret of secrets.keys()) {
    if (token.length === secret.length - 1 && secret.length < SHORTEST_KEY_TO_CUT_BY_ONE) {
      if (secret.startsWith(token)) {
        return { kind: 'open', key: null };
      }
    } else if (isAlteration(token, secret)) {
      return { kind: 'invalid', requirement: 'altered-key' };
    }
  }
  return { kind: 'invalid', requirement: 'unknown-key' };
}

/** A part, an extension or another letter-case. */
function isAlteration(token: string, secret: string): boolean {
  return (
    secret.includes(token) ||
    token.startsWith(secret) ||
    token.endsWith(secret) ||
    token.toLowerCase() === secret.toLowerCase()
  );
}

/** A key under another scheme, or without any. */
function underAnotherScheme(field: string, secrets: Secrets): Credential {
  const encoded = /^\S+\s+(?<encoded>\S+)$/.exec(field)?.groups?.['encoded'] ?? '';
  const decoded = Buffer.from(encoded, 'base64').toString();
  const held = keyWithin(`${field}\n${decoded}`, secrets);
  return held === undefined
    ? { kind: 'invalid', requirement: 'unknown-key', isMalformed: true }
    : { kind: 'invalid', requirement: 'bearer-scheme', holds: held.label };
}

function openOf(text: string, secrets: Secrets): Credential {
  return { kind: 'open', key: keyWithin(text, secrets)?.label ?? null };
}

/** The longest one, since a key may be a part of another. */
function keyWithin(text: string, secrets: Secrets): KnownSecret | undefined {
  let [length, longest]: [number, KnownSecret | undefined] = [0, undefined];
  for (const [secret, known] of secrets) {
    if (known.state !== 'revoked' && secret.length > length && text.includes(secret)) {
      [length, longest] = [secret.length, known];
    }
  }
  return longest;
}
