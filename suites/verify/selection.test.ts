import { describe, expect, test } from 'vitest';

import { AREAS, requirement, REQUIREMENTS, SERVER_REQUIREMENTS } from '../../contract/requirements/index.ts';
import { mayJudge } from '../stimuli/check.ts';
import { CHECKS } from '../stimuli/checks/index.ts';
import { ConfigurationError } from '../../contract/configuration-error.ts';
import { MONITORS } from '../oracle/index.ts';
import { EXPLORE } from '../../contract/verdict.ts';
import { nameOfCheck, readSelection } from './selection.ts';

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

test('the exploration stands for all requirements and for no check', () => {
  expect(select(EXPLORE)).toEqual({ requirements: REQUIREMENTS.map(({ id }) => id), checks: [] });
  expect(select(EXPLORE, 'list').checks).toEqual(select('list').checks);
});

describe('a requirement', () => {
  test.each(JUDGED.map(({ id }) => id))(
    '%s is selected alone, with every check that judges it, or all checks if a monitor does',
    (id) => {
      const judging = CHECKS.filter((check) => mayJudge(check, id));
      const isMonitored = MONITORS.some(({ judges }) => judges.includes(id));
      const takesAll = isMonitored && (requirement(id).level !== 'observe' || judging.length === 0);
      expect(select(id)).toEqual({
        requirements: [id],
        checks: (takesAll ? CHECKS : judging).map((check) => check.id),
      });
    },
  );
});

describe('a check', () => {
  test.each(CHECKS.map((check) => [nameOfCheck(check), check] as const))(
    '%s brings what it judges, and no other check that judges the same',
    (name, { id, judges }) => {
      const selected = select(name);
      expect(selected.checks).toEqual([id]);
      expect(new Set(selected.requirements)).toEqual(new Set(judges));
    },
  );

  test('that has the name of a requirement does not stand for it alone', () => {
    expect(select('day-limit-free').requirements).toEqual(['day-limit-free']);
    expect(select('day-limit-free').checks).toContain('day-window-length');
  });
});

test.each(AREAS.filter((area) => JUDGED.some((row) => row.area === area)))(
  'the area %s stands for its rows, judged as each of them is',
  (area) => {
    const rows = JUDGED.filter((row) => row.area === area).map(({ id }) => id);
    const selected = select(area);
    expect(selected.requirements).toEqual(rows);
    const decided = rows.filter((id) => requirement(id).level !== 'observe');
    for (const id of decided) {
      expect(selected.checks).toEqual(expect.arrayContaining(select(id).checks));
    }
  },
);

test('the limits do not take every check', () => {
  expect(select('limits').checks.length).toBeLessThan(CHECKS.length);
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
  ['list,limits', 'no check and no area. Give --only once for each pattern.'],
])('%s matches nothing, which is an error', (pattern, message) => {
  expect(() => select('list', pattern)).toThrow(ConfigurationError);
  expect(() => select('list', pattern)).toThrow(message);
});

test.each(REQUIREMENTS.filter((row) => !JUDGED.includes(row)).map(({ id }) => id))(
  '%s cannot be selected, since nothing judges it',
  (id) => {
    expect(() => select(id)).toThrow(`--only ${id}: ${id} is not judged.`);
  },
);
