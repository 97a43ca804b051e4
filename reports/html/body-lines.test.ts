import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { citedMembers, citesField, divideJson } from './body-lines.ts';

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

function cited(message: string, lines: readonly string[]): readonly string[] {
  const stretches = citedMembers(message, lines);
  expect(stretches.map((line) => line.map(({ text }) => text).join(''))).toEqual(lines);
  return stretches.flat().flatMap(({ text, isCited }) => (isCited ? [text] : []));
}

describe('what a message cites', () => {
  test('is a member whose name and value it says', () => {
    const lines = ['{"petId":1,"quantity":null},', '{"petId":9223372036854776000,"quantity":4}'];
    expect(cited('Item 2 of 2: petId 9223372036854776000 does not fit int64.', lines)).toEqual([
      '"petId":9223372036854776000',
    ]);
    expect(cited('Item 1 of 2: quantity null is no integer.', lines)).toEqual(['"quantity":null']);
    expect(cited('On 404 code is 17, not a string.', ['{"code": 17,"status":404}'])).toEqual(['"code": 17']);
  });

  test('is what stands in the object that fits best', () => {
    const lines = ['{"petId":1,"quantity":5},', '{"petId":2,"quantity":5}'];
    expect(cited('Pet 2 has quantity 5, not 6: petId 2.', lines)).toEqual(['"petId":2', '"quantity":5']);
  });

  test('is nothing if too much fits, or a word only begins so', () => {
    const lines = Array.from({ length: 20 }, (_, index) => `{"petId":${index},"quantity":3},`);
    expect(cited('quantity is 3', lines)).toEqual([]);
    expect(cited('petIds 12', ['{"petId":12}'])).toEqual([]);
    expect(cited('petId 123', ['{"petId":12}'])).toEqual([]);
  });

  test('is a header field in any letter-case, and no other that begins so', () => {
    const message = 'X-RateLimit-Reset is 60, -1795402094 s from the clock.';
    expect(citesField(message, 'x-ratelimit-reset')).toBe(true);
    expect(citesField(message, 'X-RateLimit')).toBe(false);
    expect(citesField(message, '')).toBe(false);
  });
});
