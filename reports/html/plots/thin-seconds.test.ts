import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { LoadSecond } from '../../../contract/load-result.ts';
import { anySeconds, loadSecond } from './figure.test-data.ts';
import { thinSeconds } from './thin-seconds.ts';

const seconds = anySeconds({ maxLength: 40 });

function highest(times: readonly (number | null)[]): number {
  return Math.max(-1, ...times.filter((one) => one !== null));
}

test('neither a count nor the worst time is lost, whatever the number of steps', () => {
  fc.assert(
    fc.property(seconds, fc.integer({ min: 1, max: 50 }), (rows, limit) => {
      const steps = thinSeconds(rows, limit);
      expect(steps.length).toBeLessThanOrEqual(limit);
      expect(steps.reduce((sum, { length }) => sum + length, 0)).toBe(rows.length);
      const total = (of: (second: LoadSecond) => number): number =>
        rows.reduce((sum, row) => sum + of(row), 0);
      for (const [thin, all] of [
        [
          steps.reduce((sum, { answered, length }) => sum + answered * length, 0),
          total((row) => row.answered),
        ],
        [
          steps.reduce((sum, { statuses, length }) => sum + (statuses['429'] ?? 0) * length, 0),
          total(({ statuses }) => statuses['429'] ?? 0),
        ],
      ]) {
        expect(thin).toBeCloseTo(all ?? -1, 6);
      }
      expect(highest(steps.map(({ p99 }) => p99))).toBe(highest(rows.map(({ p99 }) => p99)));
    }),
  );
});

test('few seconds stay as they are', () => {
  const row = loadSecond(7, { answered: 4, lost: 1, statuses: { '2xx': 4 }, p99: 2, max: 3 });
  const { sent: _, ...step } = { ...row, length: 1 };
  expect(thinSeconds([row], 90)).toEqual([step]);
  expect(thinSeconds([], 90)).toEqual([]);
});
