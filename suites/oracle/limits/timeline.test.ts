import * as fc from 'fast-check';
import { expect, test } from 'vitest';

import { openTimeline } from './timeline.ts';

const KEPT = 1_000;

const anyRequests = fc.array(
  fc.record({
    after: fc.nat(40),
    took: fc.oneof(fc.nat(3), fc.nat(200)),
    counts: fc.constantFrom('surely', 'perhaps'),
  }),
  { maxLength: 80 },
);

test('its answers for any stretch are bounds of what counted in it', () => {
  fc.assert(
    fc.property(anyRequests, fc.nat(KEPT), fc.nat(KEPT), (requests, back, length) => {
      const timeline = openTimeline(KEPT);
      let now = 0;
      const added = requests.map(({ after, took, counts }) => {
        now += after;
        timeline.add({ from: now - took, to: now }, counts);
        return { from: now - took, to: now, counts };
      });
      const from = now - back;
      const to = from + length;
      const within = added.filter((one) => one.from >= from && one.to <= to && one.counts === 'surely');
      const touching = added.filter((one) => one.to >= from && one.from <= to);
      expect(timeline.atLeast(from, to)).toBeLessThanOrEqual(within.length);
      expect(timeline.atMost(from, to)).toBeGreaterThanOrEqual(touching.length);
      expect(timeline.atMost(now - KEPT, now)).toBeLessThanOrEqual(added.length);
    }),
  );
});

test('requests that lie apart are told apart', () => {
  const timeline = openTimeline(KEPT);
  for (const moment of [0, 100, 200, 300]) {
    timeline.add({ from: moment, to: moment + 1 }, 'surely');
  }
  expect(timeline.atLeast(100, 250)).toBe(2);
  expect(timeline.atMost(100, 250)).toBe(2);
  expect(timeline.firstSince(150)).toBe(200);
  expect(timeline.latest()).toBe(301);
});

test('a stream that does not end keeps what it needs', () => {
  const timeline = openTimeline(KEPT);
  for (let moment = 0; moment < 20_000; moment += 1) {
    timeline.add({ from: moment - 300, to: moment }, 'surely');
  }
  expect(timeline.atMost(19_500, 20_000)).toBeGreaterThanOrEqual(500);
  expect(timeline.atLeast(19_000, 20_000)).toBeLessThanOrEqual(700);
  expect(timeline.atLeast(19_000, 20_000)).toBeGreaterThan(600);
});
