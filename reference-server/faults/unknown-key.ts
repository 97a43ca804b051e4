import {
  STRANGER,
  admitAlso,
  admitAnyKey,
  admitKeysLike,
  rememberKey,
} from '../alterations/authentication.ts';
import { everyNth, tokenOf } from '../alterations/requests.ts';
import type { Fault } from './fault.ts';

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

export const UNKNOWN_KEY_FAULTS: readonly Fault[] = [
  {
    id: 'update-with-unknown-key',
    title: 'An update accepts any key',
    breaks: 'unknown-key',
    alter: admitAnyKey(['updateInventory']),
  },
  {
    id: 'connection-stays-signed-in-with-any-key',
    title: 'Once a connection has carried a valid key, it accepts any key',
    breaks: 'unknown-key',
    excludes: ['connections'],
    alter: rememberKey((reason) => reason === 'invalid'),
  },
  {
    id: 'key-backwards',
    title: 'A key is accepted if it is written backwards',
    breaks: 'unknown-key',
    alter: admitKeysLike((key, token) => token.split('').toReversed().join('') === key),
  },
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
    id: 'wildcard-alone-accepted',
    title: 'A per cent sign or an asterisk alone stands for any key',
    breaks: 'unknown-key',
    alter: admitKeysLike((_key, token) => token === '%' || token === '*'),
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
    title: 'A token that is a key in base64 is accepted',
    breaks: 'unknown-key',
    alter: admitKeysLike((key, token) => Buffer.from(token, 'base64').toString() === key),
  },
  {
    id: 'name-of-nothing-as-key',
    title: 'The word undefined is accepted as a key',
    breaks: 'unknown-key',
    alter: admitUnknown((token) => token === 'undefined'),
  },
  {
    id: 'unknown-key-of-right-shape',
    title: 'An unknown key is accepted as a Free key if it looks like one',
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
