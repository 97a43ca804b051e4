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

test('whatever windows of a number of segments let in and refuse is explained', () => {
  const moments = fc.array(fc.double({ min: 0, max: 600, noNaN: true }), { maxLength: 30 });
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 60 }),
      fc.double({ min: 0, max: MINUTE, noNaN: true }),
      fc.double({ min: 1, max: MINUTE - 0.01, noNaN: true }),
      fc.double({ min: 1, max: MINUTE - 0.01, noNaN: true }),
      moments,
      (segments, phase, seconds, others, starts) => {
        const length = MINUTE / segments;
        const ended = (at: number): number => Math.floor((at - phase) / length);
        const isLetIn = (start: number, after: number): boolean =>
          ended(start + after) - ended(start) >= segments;
        const letIn = spans(
          seconds,
          starts.filter((start) => isLetIn(start, seconds)),
        );
        const refused = spans(
          others,
          starts.filter((start) => !isLetIn(start, others)),
        );
        expect(segmentsExplain({ letIn, refused }, MINUTE, 0.001)).toBe(true);
      },
    ),
  );
});

test('that every key is let in at 49 s is not explained, and neither is that each is at 59 s if none was before', () => {
  const sparse = spans(49, every(9, 7));
  expect(segmentsExplain({ letIn: sparse, refused: [] }, MINUTE, 0.1)).toBe(false);
  const dense = spans(59.4, every(0.3, 41));
  expect(segmentsExplain({ letIn: dense, refused: [] }, MINUTE, 0.1)).toBe(true);
  expect(segmentsExplain({ letIn: dense, refused: sparse }, MINUTE, 0.1)).toBe(false);
});

test('one key that is let in may have met the end of an aligned window', () => {
  expect(segmentsExplain({ letIn: spans(5, [12]), refused: [] }, MINUTE, 0)).toBe(true);
});
