import * as fc from 'fast-check';
import { expect, test } from 'vitest';

import { followServerClock } from '../server-clock.ts';
import type { Accusation } from '../history-monitor.ts';
import { followUnlikelyWindowEnds } from './unlikely-window-ends.ts';

const MINUTE = { length: 60_000, edges: 60, leastLikely: 1e-9 };
const ACCUSATION: Accusation = { id: 'minute-limit-free', message: 'too many', proof: [] };

function clockAt(unixSeconds: number) {
  const clock = followServerClock();
  clock.learnFromControl({ earliest: unixSeconds, latest: unixSeconds }, 0);
  return clock;
}

test('room is made within milliseconds once by chance, and not three times at other moments of a minute', () => {
  const seen = followUnlikelyWindowEnds(clockAt(1_000_000_000.5), MINUTE);
  const note = (from: number) => seen.note(ACCUSATION, { from, to: from + 5 }, 1).length;
  expect([note(30_000), note(103_000), note(176_000)]).toEqual([0, 0, 3]);
});

test('windows of one phase may make room at each of their ends', () => {
  fc.assert(
    fc.property(fc.integer({ min: 5_000, max: 35_000 }), (phase) => {
      const seen = followUnlikelyWindowEnds(clockAt(1_000_000_000.5), MINUTE);
      const ends = Array.from({ length: 20 }, (_, index) => phase + index * 60_000);
      expect(ends.flatMap((end) => seen.note(ACCUSATION, { from: end - 2, to: end + 3 }, 1))).toEqual([]);
    }),
  );
});

test('nothing is made of what happens when a minute begins for the server, nor if nobody knows when that is', () => {
  const stretch = { from: 19_000, to: 19_001 };
  const atEdge = followUnlikelyWindowEnds(clockAt(1_000_000_000), { ...MINUTE, leastLikely: 1 });
  expect(atEdge.note(ACCUSATION, stretch, 1)).toEqual([]);
  const unknown = followUnlikelyWindowEnds(followServerClock(), { ...MINUTE, leastLikely: 1 });
  expect(unknown.note(ACCUSATION, stretch, 1)).toEqual([]);
});
