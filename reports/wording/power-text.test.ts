import { expect, test } from 'vitest';

import { powerText } from './power-text.ts';

const POWER = {
  known: 5,
  withinReach: 3,
  byArea: [
    { area: 'limits', known: 3, withinReach: 1 },
    { area: 'ban', known: 2, withinReach: 2 },
  ],
};

test.each([
  ['verify', 'known faults'],
  ['load', 'known faults that show only under load'],
  ['certify', 'known faults of clients'],
] as const)('of %s names what could have been caught, and where the rest is', (kind, what) => {
  expect(powerText(POWER, kind)).toBe(
    `This run could have caught 3 of 5 ${what}; out of its reach: 2 in limits`,
  );
});

test('names requirements in place of areas if it has them', () => {
  const byRequirement = [
    { requirement: 'client-waits', known: 4, withinReach: 2 },
    { requirement: 'client-operation', known: 1, withinReach: 1 },
  ];
  expect(powerText({ ...POWER, byRequirement }, 'certify')).toContain('out of its reach: 2 of client-waits');
});

test('names no rest if there is none, or nothing else', () => {
  const whole = { known: 2, withinReach: 2, byArea: [{ area: 'ban', known: 2, withinReach: 2 }] };
  const none = { known: 2, withinReach: 0, byArea: [{ area: 'ban', known: 2, withinReach: 0 }] };
  expect(powerText(whole, 'certify')).toBe('This run could have caught 2 of 2 known faults of clients');
  expect(powerText(none, 'certify')).toBe('This run could have caught 0 of 2 known faults of clients');
  expect(powerText(none, 'load')).toMatch(/^This run only measured: the 2 known faults /);
});
