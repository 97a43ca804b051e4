import { readFileSync } from 'node:fs';

import { describe, expect, test } from 'vitest';

import {
  AREAS,
  findRequirement,
  isNewer,
  LATEST_SET,
  REQUIREMENT_SETS,
  REQUIREMENTS,
  requirement,
} from './index.ts';

const SPECIFICATION = readFileSync(new URL('../specification.md', import.meta.url), 'utf8');

/** The text of a clause such as `Limits, Behaviour at the limit 1`: its numbered item, or else its whole section. */
function clauseText(clause: string): string {
  const { path = '', item } = /^(?<path>.*?)(?: (?<item>\d+))?$/.exec(clause)?.groups ?? {};
  const section = path.split(', ').reduce((text, heading, depth) => {
    const level = depth + 2;
    const [, found] = text.split(new RegExp(`^#{${level}} ${RegExp.escape(heading)}(?: .*)?$`, 'm'));
    return found?.split(new RegExp(`^#{2,${level}} `, 'm'))[0] ?? '';
  }, SPECIFICATION);
  return item === undefined
    ? section
    : (section.split('\n').find((line) => line.startsWith(`${item}. `)) ?? '');
}

const words = (text: string): string => text.replaceAll(/\s+/g, ' ');

describe('the requirement register', () => {
  test('has every id once, in kebab-case', () => {
    const ids = REQUIREMENTS.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.filter((id) => !/^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(id))).toEqual([]);
  });

  test.each(REQUIREMENTS.map((row) => [row.id, row] as const))('%s is complete', (_id, row) => {
    expect(row.statement).toMatch(/^\S.*\.$/);
    expect(AREAS).toContain(row.area);
    expect(row.reading ?? 'none').not.toBe('');
    expect(row.notChecked ?? 'none').not.toBe('');
    expect(row.clause.startsWith('RFC ') || clauseText(row.clause).trim() !== '').toBe(true);
  });

  test.each(REQUIREMENTS.map((row) => [row.id, row] as const))('%s says what it rests on', (_id, row) => {
    const text = words(clauseText(row.clause));
    for (const quote of row.quotes ?? []) {
      expect(text).toContain(words(quote));
    }
    expect(row.basis ?? 'quoted.').toMatch(/^\S.*\.$/);
  });

  const ROWS_OF_RFCS = REQUIREMENTS.filter(({ clause }) => clause.startsWith('RFC '));

  test.each(ROWS_OF_RFCS.map((row) => [row.id, row] as const))(
    '%s names its RFC',
    (_id, { basis, clause }) => {
      expect(basis).toContain(clause);
    },
  );

  test('depends on rows that there are, and none on itself', () => {
    const wrong = REQUIREMENTS.flatMap(({ id, dependsOn = [] }) =>
      dependsOn.filter((other) => other === id || findRequirement(other) === undefined),
    );
    expect(wrong).toEqual([]);
  });

  test('leaves no area empty', () => {
    expect(new Set(REQUIREMENTS.map(({ area }) => area))).toEqual(new Set(AREAS));
  });

  test('is found by id', () => {
    expect(REQUIREMENTS.map(({ id }) => requirement(id))).toEqual(REQUIREMENTS);
    expect(findRequirement('update-sets')?.level).toBe('must');
    expect(findRequirement('no-such-row')).toBeUndefined();
    expect(findRequirement('toString')).toBeUndefined();
  });
});

test('the sets are in order, and the newest is the one that a run is judged by', () => {
  const inOrder = REQUIREMENT_SETS.toSorted((one, other) =>
    one.localeCompare(other, 'en', { numeric: true }),
  );
  expect(REQUIREMENT_SETS).toEqual(inOrder);
  expect(REQUIREMENT_SETS.at(-1)).toBe(LATEST_SET);
});

test('a set holds what came with it or before it', () => {
  const sizes = REQUIREMENT_SETS.map((set) => REQUIREMENTS.filter((row) => !isNewer(row, set)).length);
  // A row without a set is one of the first, which is closed.
  expect(sizes[0]).toBe(115);
  expect(sizes.at(-1)).toBe(REQUIREMENTS.length);
  expect(sizes.toSorted((one, other) => one - other)).toEqual(sizes);
  expect(new Set(sizes).size).toBe(sizes.length);
});
