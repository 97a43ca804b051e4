import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { fingerprintOf } from './observations.ts';

const SEEN = {
  'window-algorithm': 'fixed, from the first request',
  'retry-after-format': 'delta-seconds',
  'ban-status': 429,
  'ban-threshold': 'within 10 continued requests',
};

test('a fingerprint names the main choices, and ends in a hash', () => {
  expect(fingerprintOf(SEEN)).toMatch(
    /^fixed-from-the-first-request\/delta-seconds\/\?\/ban-429\/within-10\/\?\/[\da-f]{8}$/,
  );
});

test('nothing observed has no fingerprint', () => {
  expect(fingerprintOf({})).toBeNull();
});

test('the order of what was observed does not matter, and any other value does', () => {
  const observations = fc.dictionary(
    fc.stringMatching(/^[a-z]{1,8}$/),
    fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.array(fc.string())),
    { minKeys: 1 },
  );
  fc.assert(
    fc.property(observations, (seen) => {
      const turned = Object.fromEntries(Object.entries(seen).toReversed());
      const [name = ''] = Object.keys(seen);
      expect(fingerprintOf(turned)).toBe(fingerprintOf(seen));
      expect(fingerprintOf({ ...seen, [name]: 'something else altogether' })).not.toBe(fingerprintOf(seen));
    }),
  );
});

test('what a target sent cannot break the line', () => {
  expect(fingerprintOf({ ...SEEN, 'ban-status': '\u001B[31m\n/x' })).toMatch(/^[\w?/-]+$/);
});
