import { expect, test } from 'vitest';

import { followNamedEnds } from './named-ends.ts';

/** What is left of aligned windows when each of these is named, told twice in some seconds. */
function couldBeAligned(told: readonly (readonly [seconds: number, reset: number])[]): boolean {
  const ends = followNamedEnds(60_000, {
    source: 'control',
    at: (milliseconds) => ({ earliest: milliseconds / 1000, latest: milliseconds / 1000 }),
  });
  for (const [seconds, reset] of told) {
    ends.granted({ reset, decided: { from: seconds * 1000, to: seconds * 1000 } });
  }
  return ends.couldBeAligned();
}

test.each<[string, readonly (readonly [number, number])[], boolean]>([
  [
    'windows that lie whole minutes apart are',
    [
      [0, 30],
      [5, 30],
      [40, 90],
      [170, 210],
    ],
    true,
  ],
  [
    'nor rounding rules them out',
    [
      [0, 30],
      [5, 30],
      [40, 91],
      [170, 209],
    ],
    true,
  ],
  [
    'windows of 57 s that begin when the one before is over are not',
    [
      [0, 57],
      [5, 57],
      [57, 114],
      [114, 171],
    ],
    false,
  ],
  [
    'nor those that begin with a request',
    [
      [0, 60],
      [5, 60],
      [65, 125],
    ],
    false,
  ],
  [
    'a moment that is told anew each time tells nothing',
    [
      [0, 60],
      [1, 61],
      [65, 125],
    ],
    true,
  ],
  [
    'nor does one before which another window begins, with a minute of the clock',
    [
      [50, 110],
      [55, 110],
      [70, 130],
      [135, 195],
    ],
    true,
  ],
  [
    'or not with one',
    [
      [0, 60],
      [5, 60],
      [20, 80],
      [85, 145],
    ],
    false,
  ],
])('%s', (_what, told, expected) => {
  expect(couldBeAligned(told)).toBe(expected);
});
