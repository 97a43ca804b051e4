import * as fc from 'fast-check';
import { expect, test } from 'vitest';

import { playPermitted } from './store-model.test-data.ts';

const RUNS = Number(process.env['SOUNDNESS_RUNS'] ?? 1_500);

test('no history of a permitted server is accused', () => {
  let judged = 0;
  fc.assert(
    fc.property(fc.array(fc.nat(), { minLength: 20, maxLength: 400, size: 'max' }), (tape) => {
      const { said } = playPermitted(tape);
      judged += said.length;
      // Only a should: which error comes first is left open.
      const broken = said.filter(({ holds, id }) => !holds && id !== 'authentication-first');
      expect(broken.map(({ id, message }) => `${id}: ${message}`)).toEqual([]);
    }),
    { numRuns: RUNS },
  );
  expect(judged).toBeGreaterThan(RUNS);
});
