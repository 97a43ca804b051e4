import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Span } from '../../oracle/index.ts';
import { secondsUntilOtherPhase } from './other-phase.ts';

const span = (fromSeconds: number, lengthSeconds: number) => ({
  from: fromSeconds * 1000,
  to: (fromSeconds + lengthSeconds) * 1000,
});

/** Whether the span holds the end of a minute that begins at that second. */
const holds = ({ from, to }: Span, phase: number): boolean =>
  Math.floor((to / 1000 - phase) / 60) > Math.floor((from / 1000 - phase) / 60);

/** Bursts of that length that are placed one after the other, each as those before it ask for. */
const place = (from: number, length: number, bursts: number): readonly Span[] => {
  const spans = [span(from, length)];
  while (spans.length < bursts) {
    const now = spans.at(-1)?.to ?? 0;
    spans.push(span(now / 1000 + secondsUntilOtherPhase(spans, now, 1), length));
  }
  return spans;
};

describe('secondsUntilOtherPhase', () => {
  const FRESH_SECONDS = 61;
  const anywhere = fc.double({ min: 0, max: 3_000, noNaN: true });
  const phase = fc.double({ min: 0, max: 59.9, noNaN: true });

  test('one of three bursts of up to 37 seconds holds no boundary of an aligned minute', () => {
    const length = fc.double({ min: 0, max: 37, noNaN: true });
    fc.assert(
      fc.property(anywhere, length, phase, (from, length, phase) => {
        const spans = place(from, length, 3);
        const cut = spans.findIndex((one) => !holds(one, phase));
        expect(cut).toBeGreaterThanOrEqual(0);
      }),
    );
  });

  test('waits as long as it is asked to, and no more than a window longer', () => {
    const spans = fc.array(
      fc.record({ from: anywhere, length: fc.double({ min: 0, max: 90, noNaN: true }) }),
      {
        maxLength: 3,
      },
    );
    fc.assert(
      fc.property(spans, anywhere, (spans, now) => {
        const wait = secondsUntilOtherPhase(
          spans.map(({ from, length }) => span(from, length)),
          now * 1000,
          1,
        );
        expect(wait).toBeGreaterThanOrEqual(FRESH_SECONDS);
        expect(wait).toBeLessThanOrEqual(FRESH_SECONDS + 60);
      }),
    );
  });
});
