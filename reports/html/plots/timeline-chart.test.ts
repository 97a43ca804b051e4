import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ReportedScenario, TimelineEntry } from '../../model/report.ts';
import { timelineEntry } from '../../model/sample-scenarios.test-data.ts';
import { timeScale } from './timeline-chart.ts';

function scenario(
  durationSeconds: number,
  moments: readonly Partial<TimelineEntry>[],
): Pick<ReportedScenario, 'durationSeconds' | 'timeline'> {
  return { durationSeconds, timeline: moments.map((moment) => timelineEntry(0, moment)) };
}

const moment = fc.double({ min: 0, max: 5_000, noNaN: true });

test('has room for all that happened, and distinct ticks', () => {
  fc.assert(
    fc.property(
      moment,
      fc.array(fc.record({ receivedSeconds: moment, answeredSeconds: moment, allowedSeconds: moment })),
      (duration, moments) => {
        const { end, ticks, digits } = timeScale(scenario(duration, moments));
        for (const { receivedSeconds, answeredSeconds } of moments) {
          expect(Math.max(receivedSeconds, answeredSeconds)).toBeLessThanOrEqual(end);
        }
        expect(duration).toBeLessThanOrEqual(end);
        expect(ticks.length).toBeGreaterThanOrEqual(4);
        expect(ticks.length).toBeLessThanOrEqual(12);
        expect(ticks.at(-1)).toBeLessThanOrEqual(end + 1e-9);
        expect(new Set(ticks.map((tick) => tick.toFixed(digits))).size).toBe(ticks.length);
      },
    ),
  );
});

test('has steps that read well', () => {
  expect(timeScale(scenario(36, []))).toMatchObject({ ticks: [0, 5, 10, 15, 20, 25, 30, 35], digits: 0 });
  expect(timeScale(scenario(2.2, []))).toMatchObject({ ticks: [0, 0.5, 1, 1.5, 2], digits: 1 });
});

test('shows a whole wait, or only its beginning if it is much longer than what happened', () => {
  expect(timeScale(scenario(1, [{ allowedSeconds: 3 }])).end).toBeGreaterThan(3);
  expect(timeScale(scenario(1, [{ allowedSeconds: 600 }])).end).toBeLessThan(10);
});

test('has an axis even if nothing took any time', () => {
  expect(timeScale(scenario(0, [{}])).end).toBeGreaterThan(0);
});
