import * as fc from 'fast-check';
import { expect, test } from 'vitest';

import { segmentsExplain } from './window-segments.ts';

const MINUTE = 60;

/** Spans of that length from each of these seconds. */
function spans(seconds: number, starts: readonly number[]) {
  return starts.map((start) => ({ from: start * 1000, to: (start + seconds) * 1000 }));
}

function every(seconds: number, count: number): readonly number[] {
  return Array.from({ length: count }, (_, index) => index * seconds);
}

test('whatever windows of a number of segments let in is explained', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 60 }),
      fc.double({ min: 0, max: MINUTE, noNaN: true }),
      fc.double({ min: 1, max: MINUTE - 0.01, noNaN: true }),
      fc.array(fc.double({ min: 0, max: 600, noNaN: true }), { maxLength: 30 }),
      (segments, phase, seconds, starts) => {
        const length = MINUTE / segments;
        const ended = (at: number): number => Math.floor((at - phase) / length);
        const letIn = starts.filter((start) => ended(start + seconds) - ended(start) >= segments);
        expect(segmentsExplain(spans(seconds, letIn), MINUTE, 0.001)).toBe(true);
      },
    ),
  );
});

test.each([
  { seconds: 48, starts: every(9, 7), leastSegments: 1 },
  { seconds: 59.4, starts: every(0.3, 41), leastSegments: 5 },
])('that every key is let in after $seconds s is not explained', ({ seconds, starts, leastSegments }) => {
  expect(segmentsExplain(spans(seconds, starts), MINUTE, 0.1, leastSegments)).toBe(false);
});

test('one key that is let in may have met the end of an aligned window', () => {
  expect(segmentsExplain(spans(5, [12]), MINUTE, 0)).toBe(true);
});
