import { admitAlso, admitKeysLike, STRANGER, tokenOf } from '../alterations/authentication-changes.ts';
import { everyNth } from '../alterations/response-changes.ts';
import type { Fault } from './fault.ts';

const SHORTEST_PREFIX = 4;

/** Tokens that are taken for a key, though they are another. */
const ALTERED_KEY_FAULTS: readonly Fault[] = [
  {
    id: 'key-in-any-letter-case',
    title: 'A key in another letter-case is accepted',
    breaks: 'altered-key',
    excludes: ['keys-of-digits'],
    alter: admitKeysLike((key, token) => key.toLowerCase() === token.toLowerCase()),
  },
  {
    id: 'key-backwards',
    title: 'A key is accepted when it is written backwards',
    breaks: 'unknown-key',
    alter: admitKeysLike((key, token) => token.split('').toReversed().join('') === key),
  },
  {
    id: 'key-prefix',
    title: 'The first characters of a key are accepted for the key',
    breaks: 'altered-key',
    alter: admitKeysLike((key, token) => token.length >= SHORTEST_PREFIX && key.startsWith(token)),
  },
  {
    id: 'key-extension',
    title: 'A key followed by more characters is accepted',
    breaks: 'altered-key',
    alter: admitKeysLike((key, token) => token.startsWith(key)),
  },
  {
    id: 'key-at-the-end-of-a-token',
    title: 'A token that ends with a key is accepted',
    breaks: 'altered-key',
    alter: admitKeysLike((key, token) => token.endsWith(key)),
  },
  {
    id: 'key-of-twenty-characters',
    title: 'Only the first twenty characters of a key are compared',
    breaks: 'altered-key',
    excludes: ['short-keys'],
    alter: admitKeysLike((key, token) => key.slice(0, 20) === token.slice(0, 20)),
  },
  {
    id: 'trailing-punctuation-ignored',
    title: 'Punctuation at the end of a key is ignored',
    breaks: 'altered-key',
    alter: admitKeysLike((key, token) => withoutPunctuation(token) === withoutPunctuation(key)),
  },
];

/** Tokens that nobody was ever given. */
const UNKNOWN_KEY_FAULTS: readonly Fault[] = [
  {
    id: 'hyphens-ignored',
    title: 'A key is accepted without its hyphens',
    breaks: 'unknown-key',
    excludes: ['form of issued keys'],
    alter: admitKeysLike((key, token) => key.replaceAll('-', '') === token.replaceAll('-', '')),
  },
  {
    id: 'last-character-ignored',
    title: 'The last character of a key is not compared',
    breaks: 'unknown-key',
    alter: admitKeysLike((key, token) => key.length === token.length && key.startsWith(token.slice(0, -1))),
  },
  {
    id: 'underscore-as-wildcard',
    title: 'An underscore in a token stands for any character of a key',
    breaks: 'unknown-key',
    alter: admitKeysLike((key, token) => isLike(key, token)),
  },
  {
    id: 'token-percent-decoded',
    title: 'A token is percent-decoded before it is compared',
    breaks: 'unknown-key',
    alter: admitKeysLike((key, token) => token.includes('%') && decoded(token) === key),
  },
  {
    id: 'token-base64-decoded',
    title: 'A token is accepted where it is a key in base64',
    breaks: 'unknown-key',
    alter: admitKeysLike((key, token) => Buffer.from(token, 'base64').toString() === key),
  },
  {
    id: 'unknown-key-of-right-shape',
    title: 'An unknown key is taken for a Free key where it has the shape of one',
    breaks: 'unknown-key',
    excludes: ['form of issued keys'],
    alter: admitUnknown((token) => /^(?:free|pro|business|enterprise)-[\w-]{16,}$/.test(token)),
  },
  {
    id: 'unknown-key-once-in-twelve',
    title: 'One in twelve requests with an unknown key is accepted',
    breaks: 'unknown-key',
    alter: admitAlso(() => {
      const isNext = everyNth(12);
      return (_request, reason) => (reason === 'invalid' && isNext() ? STRANGER : undefined);
    }),
  },
];

export const CREDENTIAL_FAULTS: readonly Fault[] = [...ALTERED_KEY_FAULTS, ...UNKNOWN_KEY_FAULTS];

function admitUnknown(isAdmitted: (token: string) => boolean) {
  return admitAlso(() => (request) => {
    const token = tokenOf(request);
    return token !== undefined && isAdmitted(token) ? STRANGER : undefined;
  });
}

/** Whether a key matches a pattern in which an underscore stands for any character, as in SQL. */
function isLike(key: string, pattern: string): boolean {
  return (
    key.length === pattern.length &&
    Array.from(pattern).every((character, index) => character === '_' || character === key.charAt(index))
  );
}

function decoded(token: string): string {
  return token.replaceAll(/%(?<digits>[0-9a-f]{2})/gi, (_match, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 16)),
  );
}

function withoutPunctuation(text: string): string {
  return text.replace(/[^a-z0-9]+$/i, '');
}
