import { describe, expect, test } from 'vitest';

import { AREAS, findRequirement, REQUIREMENTS, requirement } from './index.ts';

describe('the requirement register', () => {
  test('has every id once, in kebab-case', () => {
    const ids = REQUIREMENTS.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.filter((id) => !/^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(id))).toEqual([]);
  });

  test.each(REQUIREMENTS.map((row) => [row.id, row] as const))('%s is complete', (_id, row) => {
    expect(row.statement).toMatch(/^\S.*\.$/);
    expect(row.clause.trim()).not.toBe('');
    expect(AREAS).toContain(row.area);
    expect(row.reading ?? 'none').not.toBe('');
    expect(row.notChecked ?? 'none').not.toBe('');
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
