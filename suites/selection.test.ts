import { describe, expect, test } from 'vitest';

import { REQUIREMENTS, SERVER_REQUIREMENTS } from '../contract/requirements.ts';
import { CHECKS } from './checks/index.ts';
import { ConfigurationError } from './configuration-error.ts';
import { readSelection } from './selection.ts';

const JUDGED = SERVER_REQUIREMENTS;

/** The requirements and checks that these patterns leave. */
function select(...patterns: readonly string[]) {
  const selection = readSelection(patterns, '--only');
  return {
    requirements: REQUIREMENTS.filter(({ id }) => selection?.requirement(id)).map(({ id }) => id),
    checks: CHECKS.filter((check) => selection?.check(check)).map(({ id }) => id),
  };
}

test('without a pattern there is no selection', () => {
  expect(readSelection([], '--only')).toBeNull();
});

test('everything is selected by *', () => {
  expect(select('*')).toEqual({
    requirements: JUDGED.map(({ id }) => id),
    checks: CHECKS.map(({ id }) => id),
  });
});

describe('a requirement', () => {
  test.each(JUDGED.map(({ id }) => id).filter((id) => CHECKS.every((check) => check.id !== id)))(
    '%s is selected alone, with the checks that judge it, or all where monitors do',
    (id) => {
      const judging = CHECKS.filter(({ judges }) => judges.includes(id));
      expect(select(id)).toEqual({
        requirements: [id],
        checks: (judging.length === 0 ? CHECKS : judging).map((check) => check.id),
      });
    },
  );
});

test('a check brings what it judges, and no other check that judges the same', () => {
  const update = CHECKS.find(({ id }) => id === 'many-updates');
  const selected = select('many-updates');
  expect(selected.checks).toEqual(['many-updates']);
  expect(new Set(selected.requirements)).toEqual(new Set(update?.judges));
});

test('an area stands for its rows, with the checks of those that checks judge', () => {
  expect(select('errors').checks.length).toBeLessThan(CHECKS.length);
  expect(select('errors').requirements).toEqual(
    JUDGED.filter(({ area }) => area === 'errors').map(({ id }) => id),
  );
});

test('several patterns add up', () => {
  const { requirements } = select('retry-after-*', 'item-status');
  expect(requirements).toContain('item-status');
  expect(requirements).toContain('retry-after-valid');
  expect(requirements).not.toContain('item-quantity');
});

test.each([
  ['item-quantty', 'Did you mean item-quantity?'],
  ['nothing-like-it-*', '--only nothing-like-it-* matches no requirement, no check and no area.'],
])('%s matches nothing, which is an error', (pattern, message) => {
  expect(() => select('list', pattern)).toThrow(ConfigurationError);
  expect(() => select('list', pattern)).toThrow(message);
});

test.each(REQUIREMENTS.filter((row) => !JUDGED.includes(row)).map(({ id }) => id))(
  '%s can not be selected, since nothing judges it',
  (id) => {
    expect(() => select(id)).toThrow(`--only ${id}: ${id} is not judged.`);
  },
);
