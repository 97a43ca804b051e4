import { expect, test } from 'vitest';

import { isNewer, LATEST_SET, REQUIREMENT_SETS, REQUIREMENTS } from './index.ts';

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
