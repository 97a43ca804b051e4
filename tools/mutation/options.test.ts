import { expect, test } from 'vitest';

import { readMutationOptions, selectMutants } from './options.ts';

const MUTANTS = ['service/a.ts', 'service/b.ts', 'ports/a.ts'].map((file, index) => ({
  id: `${index}`,
  file,
  line: 1,
  declaration: 'f',
  mutator: 'Any',
  change: 'a → b',
}));
const REASONS = {
  'ports/a.ts f': [{ kind: 'equivalent', why: 'Nobody can tell.', mutants: ['a → b'] }],
} as const;

function idsOf(...parameters: readonly string[]): readonly string[] | string {
  const chosen = selectMutants(MUTANTS, readMutationOptions(parameters), REASONS);
  return typeof chosen === 'string' ? chosen : chosen.map(({ id }) => id);
}

test('mutants are chosen by file, by number, and by whether they have a reason', () => {
  expect(idsOf()).toEqual(['0', '1', '2']);
  expect(idsOf('--only', 'service/*.ts')).toEqual(['0', '1']);
  expect(idsOf('--mutant', '2', '--mutant', '1')).toEqual(['1', '2']);
  expect(idsOf('--without-reason')).toEqual(['0', '1']);
  expect(idsOf('--without-reason', '--only', 'ports/**')).toEqual([]);
});

test('what chooses nothing is a mistake', () => {
  expect(idsOf('--only', 'window.ts')).toContain('--only');
  expect(idsOf('--mutant', '7')).toContain('no mutant 7');
});
