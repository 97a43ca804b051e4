import { expect, test } from 'vitest';

import { describeMutants } from './mutant.ts';

const SOURCE = `const LIMIT = 3;

export function isFull(used: number): boolean {
  const far = used >= LIMIT;
  return far || used >= LIMIT;
}
`;

/** A mutant of the text that stands there for the `nth` time. */
function mutantOf(id: string, text: string, replacement: string, nth = 1) {
  const before = SOURCE.split(text).slice(0, nth).join(text);
  return {
    id,
    mutatorName: 'Any',
    replacement,
    location: { start: endOf(before), end: endOf(before + text) },
  };
}

function endOf(text: string) {
  const lines = text.split('\n');
  return { line: lines.length - 1, column: lines.at(-1)?.length ?? 0 };
}

test('a mutant is named by what it changes, and where', () => {
  expect(describeMutants('service/a.ts', SOURCE, [mutantOf('7', '3', '4')])).toEqual([
    { id: '7', file: 'service/a.ts', line: 1, declaration: 'LIMIT', mutator: 'Any', change: '3 → 4' },
  ]);
});

test('the same change again in one declaration gets a number', () => {
  const described = describeMutants('service/a.ts', SOURCE, [
    mutantOf('1', 'used >= LIMIT', 'true'),
    mutantOf('2', 'used >= LIMIT', 'false'),
    mutantOf('3', 'used >= LIMIT', 'true', 2),
  ]);
  expect(described.map(({ declaration, change }) => `${declaration}: ${change}`)).toEqual([
    'isFull: used >= LIMIT → true',
    'isFull: used >= LIMIT → false',
    'isFull: used >= LIMIT → true #2',
  ]);
});

test('a change of several lines is named in one', () => {
  const text = '{\n  const far = used >= LIMIT;\n  return far || used >= LIMIT;\n}';
  const [mutant] = describeMutants('service/a.ts', SOURCE, [mutantOf('1', text, '{}')]);
  expect(mutant?.change).toBe('{ const far = used >= LIMIT; return far || used >= LIMIT; } → {}');
});
