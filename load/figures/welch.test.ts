import * as fc from 'fast-check';
import { expect, test } from 'vitest';

import { studentT95 } from './welch.ts';

// The column 0.975 of the table in NIST/SEMATECH e-Handbook of Statistical Methods, 1.3.6.7.2.
test.each([
  [1, 12.706],
  [2, 4.303],
  [3, 3.182],
  [5, 2.571],
  [10, 2.228],
  [30, 2.042],
  [100, 1.984],
])('with %i degrees of freedom it is %f', (degrees, published) => {
  expect(Math.abs(studentT95(degrees) - published)).toBeLessThanOrEqual(0.0006);
});

test('falls between whole degrees of freedom too', () => {
  const degrees = fc.double({ min: 1, max: 100, noNaN: true });
  fc.assert(
    fc.property(degrees, (degrees) => {
      expect(studentT95(degrees)).toBeGreaterThan(studentT95(degrees * 1.01));
      expect(studentT95(degrees)).toBeGreaterThan(studentT95(Math.ceil(degrees + 0.01)));
    }),
  );
});
