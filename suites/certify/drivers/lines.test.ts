import * as fc from 'fast-check';
import { expect, test } from 'vitest';

import { splitLines } from './lines.ts';

function split(chunks: readonly Buffer[], longest?: number): (string | null)[] {
  const lines: (string | null)[] = [];
  const splitter = splitLines(
    (line) => lines.push(line === null ? null : line.toString('utf8')),
    (problem) => lines.push(problem),
    longest,
  );
  for (const chunk of chunks) {
    splitter.push(chunk);
  }
  splitter.flush();
  return lines;
}

test('gives the same lines however the bytes are cut into chunks', () => {
  const line = fc.string({ unit: fc.constantFrom('a', 'é', '猫', '🐈', ' '), maxLength: 12 });
  fc.assert(
    fc.property(fc.array(line), fc.array(fc.nat({ max: 200 })), (lines, cuts) => {
      const bytes = Buffer.from(lines.map((each) => `${each}\n`).join(''));
      const places = [0, ...cuts.filter((cut) => cut < bytes.length), bytes.length].toSorted((a, b) => a - b);
      const chunks = places.slice(1).map((place, index) => bytes.subarray(places[index], place));
      expect(split(chunks)).toEqual(lines);
    }),
  );
});

test('hands on a last line without a newline', () => {
  expect(split([Buffer.from('one\ntw'), Buffer.from('o')])).toEqual(['one', 'two']);
});

test('drops a line that is too long, whole or in pieces, and goes on with the next', () => {
  expect(split([Buffer.from('12345\n123'), Buffer.from('45'), Buffer.from('\n1234\n12345')], 4)).toEqual([
    null,
    null,
    '1234',
    null,
  ]);
});

test('says once that there seems to be no end, and hands on nothing from then on', () => {
  const many = Buffer.alloc(1_000_001, '\n');
  const lines = split([many, many, many]);
  expect(lines.slice(many.length)).toEqual([
    'It wrote to stdout without an end (2,000,002 bytes), and had to be ended.',
  ]);
});
