import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { divideJson } from './json-layout.ts';

function together(text: string): string | undefined {
  return divideJson(text)
    ?.map((line) => line.text)
    .join('');
}

describe('JSON divided into lines', () => {
  test('has an item in each line, and none of its tokens changed', () => {
    const first = '{"petId":9007199254740993,"quantity":1.0,"quantity":1e2,"status":"sold"}';
    expect(divideJson(`[${first}, {"petId":2}]`)).toEqual([
      { depth: 0, text: '[' },
      { depth: 1, text: `${first},` },
      { depth: 1, text: ' {"petId":2}' },
      { depth: 0, text: ']' },
    ]);
  });

  test('has all objects in several lines if one of them is long', () => {
    const long = JSON.stringify({ message: 'm'.repeat(200), code: 'c' });
    expect(divideJson(`[{"a":1},${long}]`)?.map(({ depth }) => depth)).toEqual([0, 1, 2, 1, 1, 2, 2, 1, 0]);
  });

  test('is the text that came, whatever it holds and wherever it is cut off', () => {
    fc.assert(
      fc.property(fc.json(), fc.nat(), (json, cut) => {
        const text = `[${json},{"more":${json}}]`;
        const short = text.slice(0, 1 + (cut % text.length));
        expect(together(text)).toBe(text);
        expect(together(short) ?? short).toBe(short);
      }),
    );
  });

  test('leaves anything else alone', () => {
    for (const text of ['', '<!doctype html>', '"text"', '7', '{\n  "petId": 1\n}']) {
      expect(divideJson(text)).toBeNull();
    }
  });

  test('divides what is nested without end in time that does not explode', () => {
    const text = '['.repeat(8_000);
    expect(together(text)).toBe(text);
  });
});
