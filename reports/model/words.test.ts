import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { HOSTILE_TEXT } from './sample-report.test-data.ts';
import { printableBlock, printableLine } from './words.ts';

const CONTROL = /\p{Cc}/u;
const anyText = fc.oneof(fc.string({ unit: 'binary' }), fc.constant(HOSTILE_TEXT));

describe('printable text', () => {
  test.each([
    ['\u001b[2J', String.raw`\u001b[2J`],
    ['\u0000', String.raw`\u0000`],
    ['a\r\nb\tc', String.raw`a\r\nb\tc`],
    ['\u202egnp.exe', String.raw`\u202egnp.exe`],
    ['\u{e0041}', String.raw`\u{e0041}`],
    ['\ud800', String.raw`\ud800`],
    ['\uffff', String.raw`\uffff`],
    ['Grüße, 你好 🐈', 'Grüße, 你好 🐈'],
  ])('shows %j as %s in a line', (text, shown) => {
    expect(printableLine(text)).toBe(shown);
  });

  test('keeps line feeds and tabs of a block', () => {
    expect(printableBlock('a\n\tb\r\u0007')).toBe('a\n\tb' + String.raw`\r\u0007`);
  });

  test('says how much was cut', () => {
    const length = 1_048_576;
    expect(printableLine('x'.repeat(length), 3)).toBe('xxx… (cut, 1048576 characters in all)');
    expect(printableLine('xxx', 3)).toBe('xxx');
  });

  test('never holds a control character, and is well-formed Unicode', () => {
    fc.assert(
      fc.property(anyText, fc.nat(100), (text, limit) => {
        const line = printableLine(text, limit);
        expect(line).not.toMatch(CONTROL);
        expect(line.isWellFormed()).toBe(true);
        expect(printableBlock(text, limit).replaceAll(/[\n\t]/g, '')).not.toMatch(CONTROL);
      }),
    );
  });
});
