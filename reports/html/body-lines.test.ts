import { describe, expect, test } from 'vitest';
import { citedMembers, citesField } from './body-lines.ts';

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
