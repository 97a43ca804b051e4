import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { RequirementId } from '../../../contract/requirements/index.ts';
import { type ContestedViolation, fewestExplanations } from './explanations.ts';

const seen = (times: number, ...ids: readonly RequirementId[]): ContestedViolation => ({ ids, times });

const ownersOf = (
  violations: readonly ContestedViolation[],
  failed: readonly RequirementId[] = [],
): readonly (RequirementId | undefined)[] => fewestExplanations(violations, new Set(failed));

describe('the fewest requirements explain everything', () => {
  test('a race that shows in the limits of three plans is one violation, not three', () => {
    expect(
      ownersOf([
        seen(4, 'minute-limit-pro', 'limit-under-concurrency'),
        seen(2, 'minute-limit-business', 'limit-under-concurrency'),
        seen(1, 'limit-under-concurrency', 'minute-limit-free'),
      ]),
    ).toEqual(['limit-under-concurrency', 'limit-under-concurrency', 'limit-under-concurrency']);
  });

  test('of two that explain as much, the one that is likelier most often does', () => {
    const rarely = seen(1, 'limit-renews', 'minute-limit-free');
    expect(ownersOf([seen(3, 'minute-limit-free', 'limit-renews'), rarely])).toEqual([
      'minute-limit-free',
      'minute-limit-free',
    ]);
    expect(ownersOf([seen(1, 'minute-limit-free', 'limit-renews'), { ...rarely, times: 3 }])).toEqual([
      'limit-renews',
      'limit-renews',
    ]);
  });

  test('all plans that grant the wrong number are no matter of something else, if one of them is certain', () => {
    expect(
      ownersOf(
        [
          seen(1, 'minute-limit-pro', 'keys-independent-at-limit'),
          seen(1, 'minute-limit-business', 'keys-independent-at-limit'),
        ],
        ['minute-limit-free'],
      ),
    ).toEqual(['minute-limit-pro', 'minute-limit-business']);
  });

  test('what has failed anyway explains what it can', () => {
    expect(ownersOf([seen(9, 'limit-renews', 'remaining-falls')], ['remaining-falls'])).toEqual([
      'remaining-falls',
    ]);
  });
});

const anyViolations = fc.array(
  fc.record({
    ids: fc.uniqueArray(
      fc.constantFrom<RequirementId>(
        'minute-limit-free',
        'minute-limit-pro',
        'day-limit-free',
        'limit-renews',
        'limit-under-concurrency',
        'limit-over-spellings',
        'keys-independent-at-limit',
      ),
      { minLength: 1, maxLength: 4 },
    ),
    times: fc.integer({ min: 1, max: 20 }),
  }),
  { maxLength: 12 },
);

test('every violation is owned by one of its own explanations, and none fails without need', () => {
  fc.assert(
    fc.property(anyViolations, (violations) => {
      const owners = ownersOf(violations);
      expect(owners).toHaveLength(violations.length);
      violations.forEach(({ ids }, index) => expect(ids).toContain(owners[index]));
      const certain = new Set(violations.filter(({ ids }) => ids.length === 1).flatMap(({ ids }) => ids));
      for (const owner of new Set(owners)) {
        const others = new Set(owners).difference(new Set([owner]));
        const isNeeded = violations.some(({ ids }) => !ids.some((id) => others.has(id)));
        expect(isNeeded || (owner !== undefined && certain.has(owner))).toBe(true);
      }
    }),
  );
});
