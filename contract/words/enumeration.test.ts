import { array, assert, property, stringMatching } from 'fast-check';
import { expect, test } from 'vitest';

import { enumeration } from './enumeration.ts';

test('names words as British English does', () => {
  const word = stringMatching(/^[a-z0-9.-]{1,8}$/);
  assert(
    property(array(word, { maxLength: 6 }), (words) => {
      expect(enumeration(words)).toBe(new Intl.ListFormat('en-GB').format(words));
      expect(enumeration(words, 'or')).toBe(
        new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(words),
      );
    }),
  );
});
