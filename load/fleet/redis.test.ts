import * as fc from 'fast-check';
import { expect, test } from 'vitest';

import { offsetOf } from './redis.ts';

test('the true offset is never farther away than the uncertainty says', () => {
  const trip = fc.record({
    before: fc.integer({ min: 0, max: 100_000 }),
    there: fc.integer({ min: 0, max: 500 }),
    back: fc.integer({ min: 0, max: 500 }),
  });
  fc.assert(
    fc.property(
      fc.array(trip, { minLength: 1, maxLength: 20 }),
      fc.integer({ min: -1_000_000, max: 1_000_000 }),
      (trips, offset) => {
        const samples = trips.map(({ before, there, back }) => ({
          before,
          remote: before + there + offset,
          after: before + there + back,
        }));
        const found = offsetOf(samples);
        expect(Math.abs(found.milliseconds - offset)).toBeLessThanOrEqual(found.uncertainty);
        // The shortest round trip tells most.
        const shortest = Math.min(...trips.map(({ there, back }) => there + back));
        expect(found.uncertainty).toBe(shortest / 2);
      },
    ),
  );
});

test('nothing is known without a look at the clock', () => {
  expect(() => offsetOf([])).toThrow(RangeError);
});
