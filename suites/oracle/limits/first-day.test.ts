import { describe, expect, test } from 'vitest';

import { followFirstDay } from './first-day.ts';

const HOUR = 3_600_000;
const at = (moment: number) => ({ from: moment, to: moment });

describe('a day that was nearly used when the key was issued', () => {
  test('must have ended between the issue and what is granted beyond it', () => {
    const day = followFirstDay(1_000, 998, 50);
    expect([day.grant(at(60)), day.grant(at(70)), day.grant(at(80))]).toEqual([
      null,
      null,
      { from: 50, to: 80 },
    ]);
  });

  test('must have ended after it was full, if more is granted than a sliding counter forgets', () => {
    const day = followFirstDay(1_000, 999, 0);
    day.grant(at(10));
    day.refuse(at(20));
    expect(day.grant(at(61_000))).toEqual({ from: 0, to: 61_000 });
    expect(day.grant(at(61_001))).toEqual({ from: 20, to: 61_000 });
  });

  test('is over a day after the issue, whatever is granted then', () => {
    const day = followFirstDay(3, 3, 0);
    expect(day.grant(at(24 * HOUR))).toBeNull();
    expect(day.grant(at(24 * HOUR + 10))).toBeNull();
  });
});
