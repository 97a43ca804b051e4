import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { judgeRegisterHistory, type RegisterHistory } from './register-history.ts';
import { isLinearizableByTrial, read, write } from './register-history.test-data.ts';

const INITIAL = 0;

/** Up to seven operations in a dozen moments, so that they touch and overlap in every way. */
const smallHistory: fc.Arbitrary<RegisterHistory> = fc
  .array(
    fc.record({
      kind: fc.constantFrom('write', 'read'),
      from: fc.integer({ min: 0, max: 9 }),
      lasts: fc.option(fc.integer({ min: 0, max: 5 }), { freq: 8 }),
      found: fc.nat({ max: 99 }),
    }),
    { maxLength: 7 },
  )
  .chain((plans) => {
    const values = [INITIAL, ...plans.keys().map((index) => index + 1)].filter(
      (value) => value === INITIAL || plans[value - 1]?.kind === 'write',
    );
    const operations = plans.map(({ kind, from, lasts, found }, index) => {
      const to = lasts === null ? null : from + lasts;
      return kind === 'write'
        ? write(index + 1, from, to)
        : read(found === 99 ? -1 : (values[found % values.length] ?? INITIAL), from, to);
    });
    return fc
      .option(fc.constantFrom(...values))
      .map((final) =>
        final === null ? { operations, initial: INITIAL } : { operations, initial: INITIAL, final },
      );
  });

describe('small histories of every kind', () => {
  test('are judged as by trying every order', () => {
    const seen = { true: 0, false: 0 };
    fc.assert(
      fc.property(smallHistory, (history) => {
        const { holds } = judgeRegisterHistory(history);
        seen[`${holds}`] += 1;
        expect(holds).toBe(isLinearizableByTrial(history));
      }),
      { numRuns: 5000, seed: 1 },
    );
    expect(seen.true).toBeGreaterThan(500);
    expect(seen.false).toBeGreaterThan(500);
  });

  test('are refuted by few operations, which are no more linearizable by themselves', () => {
    fc.assert(
      fc.property(smallHistory, (history) => {
        const verdict = judgeRegisterHistory(history);
        fc.pre(!verdict.holds);
        expect(verdict.operations.length).toBeLessThanOrEqual(6);
        expect(isLinearizableByTrial({ ...history, operations: verdict.operations })).toBe(false);
      }),
      { numRuns: 1000, seed: 2 },
    );
  });

  test('do not depend on the order in which they are told', () => {
    fc.assert(
      fc.property(smallHistory, (history) => {
        const turned = { ...history, operations: history.operations.toReversed() };
        expect(judgeRegisterHistory(turned).holds).toBe(judgeRegisterHistory(history).holds);
      }),
    );
  });
});
