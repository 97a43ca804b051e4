import * as fc from 'fast-check';
import { expect, test } from 'vitest';

import { progressLine } from './progress.ts';

test('a progress line and its spinner fit the terminal, and the end is kept while there is room', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'grapheme-ascii', maxLength: 40 }),
      fc.string({ unit: 'grapheme-ascii', maxLength: 200 }),
      fc.string({ unit: 'grapheme-ascii', maxLength: 60 }),
      fc.option(fc.integer({ min: 4, max: 200 }), { nil: undefined }),
      (head, middle, tail, columns) => {
        const line = progressLine(head, middle, tail, columns === undefined ? {} : { columns });
        const room = (columns ?? 80) - 3;
        expect(line.length).toBeLessThanOrEqual(room);
        const fits = (text: string): boolean => text.length <= room;
        const keepsEnds = line.startsWith(head) && line.endsWith(tail);
        expect(keepsEnds || !fits(`${head}${tail}`)).toBe(true);
        expect(line === `${head}${middle}${tail}` || !fits(`${head}${middle}${tail}`)).toBe(true);
      },
    ),
  );
});
