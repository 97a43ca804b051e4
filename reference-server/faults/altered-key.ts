import { admitKeysLike } from '../alterations/authentication.ts';
import type { Fault } from './fault.ts';

const SHORTEST_PART = 4;

function withoutPunctuation(text: string): string {
  return text.replace(/[^a-z0-9]+$/i, '');
}

export const ALTERED_KEY_FAULTS: readonly Fault[] = [
  {
    id: 'key-in-any-letter-case',
    title: 'A key in another letter-case is accepted',
    breaks: 'altered-key',
    excludes: ['keys-of-digits'],
    alter: admitKeysLike((key, token) => key.toLowerCase() === token.toLowerCase()),
  },
  {
    id: 'key-prefix',
    title: 'The first characters of a key are accepted as the key',
    breaks: 'altered-key',
    alter: admitKeysLike((key, token) => token.length >= SHORTEST_PART && key.startsWith(token)),
  },
  {
    id: 'key-part',
    title: 'Any part of a key is accepted as the key, except its beginning',
    breaks: 'altered-key',
    alter: admitKeysLike((key, token) => token.length >= SHORTEST_PART && key.indexOf(token) > 0),
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
