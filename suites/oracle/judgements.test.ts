import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { collectJudgements } from './judgements.ts';

test('counts every judgement, however few findings are kept', () => {
  const sayings = fc.array(fc.tuple(fc.constantFrom('monitor', 'check'), fc.boolean()), { maxLength: 60 });
  fc.assert(
    fc.property(sayings, (said) => {
      const judgements = collectJudgements();
      for (const [index, [by, holds]] of said.entries()) {
        if (holds) {
          judgements.pass(by, 'header-limit');
        } else {
          judgements.fail(by, 'header-limit', { message: `Seen in response ${index}.` });
        }
      }
      const { tallies, evidence, findings } = judgements.judgementOf('header-limit');
      const count = (by: string, held: boolean): number =>
        said.filter(([who, holds]) => who === by && holds === held).length;
      expect(evidence).toBe(count('monitor', true) + count('check', true));
      for (const { by, passed, failed } of tallies) {
        expect([passed, failed]).toEqual([count(by, true), count(by, false)]);
      }
      // Each finding is one that was said: none stands for others that are not shown.
      expect(findings.every(({ message }) => message.startsWith('Seen in response'))).toBe(true);
    }),
  );
});

test('what is kept of many observed values does not depend on the order in which they were seen', () => {
  const values = fc.uniqueArray(fc.string({ maxLength: 4 }), { minLength: 2, maxLength: 40 });
  fc.assert(
    fc.property(
      values.chain((seen) =>
        fc.tuple(fc.constant(seen), fc.shuffledSubarray(seen, { minLength: seen.length })),
      ),
      ([seen, shuffled]) => {
        const [one, other] = [seen, shuffled].map((order) => {
          const judgements = collectJudgements();
          order.forEach((value) => judgements.observe('monitor', 'extra-headers', value));
          return judgements.observations();
        });
        expect(one).toEqual(other);
      },
    ),
  );
});
