import { describe, expect, test } from 'vitest';

import { formsFor, withSurveys } from './check.ts';
import { CHECKS } from './checks/index.ts';
import { acceptedForms } from './checks/observations.ts';

const DEPENDENT = CHECKS.filter(({ after }) => after !== undefined);

test.each(DEPENDENT.map((check) => [check.id, check] as const))(
  'what %s comes after is a check of the suite that stands before it, and is over before others begin',
  (_id, check) => {
    const before = CHECKS.slice(0, CHECKS.indexOf(check));
    expect(before).toContain(check.after);
    expect(check.after?.needs.alone).toBe(true);
  },
);

test('checks bring along what they come after, once, and nothing else', () => {
  const plain = CHECKS.filter(({ after }) => after === undefined);
  expect(withSurveys(plain)).toEqual(plain);
  expect(DEPENDENT.length).toBeGreaterThan(1);
  expect(withSurveys(DEPENDENT)).toEqual([acceptedForms, ...DEPENDENT]);
  expect(withSurveys([acceptedForms, ...DEPENDENT])).toEqual([acceptedForms, ...DEPENDENT]);
});

describe('what a survey found out', () => {
  const [dependent] = DEPENDENT;

  test('is unknown if it was not carried out', () => {
    expect(dependent && formsFor(dependent, new Map())).toEqual({
      unknown: 'The check accepted-forms was not carried out.',
    });
  });

  test('is unknown if it was left out or ended early, for that reason', () => {
    const reason = { unknown: 'It needs a control URL that offers keys.' };
    expect(dependent && formsFor(dependent, new Map([[acceptedForms, reason]]))).toEqual(reason);
  });
});
