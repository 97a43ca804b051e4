import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { haveCommonBoundary, secondsUntilOtherPhase, type Span } from './window-phase.ts';

const span = (fromSeconds: number, lengthSeconds: number) => ({
  from: fromSeconds * 1000,
  to: (fromSeconds + lengthSeconds) * 1000,
});

describe('haveCommonBoundary', () => {
  test('finds the boundary that cut every span, wherever it lies in the minute', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 0, max: 59.9, noNaN: true }),
        fc.array(
          fc.record({
            minute: fc.integer({ min: 0, max: 50 }),
            before: fc.double({ min: 0, max: 70, noNaN: true }),
            after: fc.double({ min: 0, max: 70, noNaN: true }),
          }),
          { minLength: 1, maxLength: 8 },
        ),
        (phase, cuts) => {
          const spans = cuts.map(({ minute, before, after }) =>
            span(minute * 60 + phase - before, before + after),
          );
          expect(haveCommonBoundary(spans)).toBe(true);
        },
      ),
    );
  });

  test('finds none if short spans lie at different phases', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 0, max: 3_000, noNaN: true }),
        fc.double({ min: 0, max: 20, noNaN: true }),
        (from, length) => {
          expect(haveCommonBoundary([span(from, length), span(from + 150, length)])).toBe(false);
        },
      ),
    );
  });

  test('finds one of a day only if a day has one', () => {
    const day = 86_400;
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: day }),
        fc.integer({ min: 0, max: day / 3 }),
        fc.integer({ min: 2, max: day / 3 }),
        (from, length, gap) => {
          const first = span(from, length);
          const touching = span(from + day + length, gap);
          const apart = span(from + day + length + gap, 0);
          expect(haveCommonBoundary([first, touching], day)).toBe(true);
          expect(haveCommonBoundary([first, apart], day)).toBe(false);
        },
      ),
    );
  });

  test('does not take spans that meet in pairs for spans that have a moment in common', () => {
    const meeting = [span(0, 25), span(20, 25), span(40, 25)];
    expect(meeting.every((one) => meeting.every((other) => haveCommonBoundary([one, other])))).toBe(true);
    expect(haveCommonBoundary(meeting)).toBe(false);
  });

  test('a span of a whole minute holds every boundary', () => {
    expect(haveCommonBoundary([span(12.3, 60), span(40, 0.1)])).toBe(true);
  });
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

  test('no boundary explains two bursts of up to 25 seconds, nor three of up to 35', () => {
    const cases = [
      { bursts: 2, longest: 25 },
      { bursts: 3, longest: 35 },
    ];
    for (const { bursts, longest } of cases) {
      fc.assert(
        fc.property(anywhere, fc.double({ min: 0, max: longest, noNaN: true }), (from, length) => {
          expect(haveCommonBoundary(place(from, length, bursts))).toBe(false);
        }),
      );
    }
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
