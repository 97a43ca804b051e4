import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { CapacityStep, LoadMeasurement } from '../../../contract/load-result.ts';
import { legendOf } from './chart.ts';
import { anySeconds, drawn, loadSecond, seriesOf } from './figure.test-data.ts';
import {
  capacityFigures,
  percentileFigure,
  rateFigure,
  responseTimeFigure,
  statusFigure,
} from './load-plots.ts';
import { SAMPLE_LOAD_SCENARIOS } from '../../model/sample-load-scenarios.test-data.ts';
import { endsText, ratesText } from '../../model/load.ts';
import { measurement } from '../../model/sample-measurements.test-data.ts';
import { thinSeconds } from './thin-seconds.ts';

const MEASURED = measurement({
  durationSeconds: 12,
  rateAt: (second) => 100 + second,
  shares: (second) => (second < 6 ? {} : { 429: 0.5 }),
  lostAt: (second) => (second === 11 ? 4 : 0),
});
const STEPS = thinSeconds(MEASURED.seconds, 90);

const seconds = anySeconds({ minLength: 1, maxLength: 12 });

describe('the plots of a measurement', () => {
  test('have a point for each second, in its middle', () => {
    const middles = STEPS.map(({ second }) => second + 0.5);
    const points = (values: readonly (number | null)[]): unknown =>
      values.map((value, index) => [middles[index], value]);
    expect(seriesOf(responseTimeFigure(MEASURED, STEPS))).toEqual({
      p50: points(STEPS.map(({ p50 }) => p50)),
      p99: points(STEPS.map(({ p99 }) => p99)),
      max: points(STEPS.map(({ max }) => max)),
    });
    expect(seriesOf(rateFigure(MEASURED, STEPS))).toEqual({
      due: points(MEASURED.seconds.map(({ scheduled }) => scheduled)),
      answered: points(MEASURED.seconds.map(({ answered }) => answered)),
    });
  });

  test('stack the classes that occurred, up to the end of the last second', () => {
    const figure = statusFigure(MEASURED, STEPS);
    expect(legendOf(figure.chart).map(({ words }) => words)).toEqual(['2xx', '429', 'unanswered']);
    const lost = MEASURED.seconds.map(({ second, lost }) => [second, lost]);
    expect(seriesOf(figure)['unanswered']).toEqual([...lost, [12, 4]]);
  });

  test('spread the percentiles out by their nines', () => {
    const figure = percentileFigure({
      ...MEASURED,
      percentiles: [
        [0, 1],
        [90, 2],
        [99, 3],
        [99.9, 4],
        [100, 9],
      ],
    });
    const expected = [
      [0, 1],
      [1, 2],
      [2, 3],
      [3, 4],
    ];
    const points = seriesOf(figure)['response time'];
    expect(points).toHaveLength(expected.length);
    for (const [index, [place = 0, milliseconds]] of expected.entries()) {
      expect(points).toHaveProperty(`${index}.0`, expect.closeTo(place, 9));
      expect(points).toHaveProperty(`${index}.1`, milliseconds);
    }
    const svg = drawn(figure);
    for (const label of ['50', '90', '99', '99.9']) {
      expect(svg).toContain(`>${label}</text>`);
    }
    expect(svg).not.toContain('>99.99</text>');
  });

  test('show no percentile for which there were too few answers', () => {
    const percentiles = [50, 90, 99, 99.9, 99.99].map((percentile) => [percentile, percentile] as const);
    const figure = percentileFigure({
      ...MEASURED,
      percentiles,
      responseTime: { ...MEASURED.responseTime, count: 150 },
    });
    expect(seriesOf(figure)['response time']).toHaveLength(3);
  });

  test('say in words what they show', () => {
    expect(responseTimeFigure(MEASURED, thinSeconds(MEASURED.seconds, 4)).caption).toMatch(
      /^p50 .* ms to .* ms; p99 .*; the longest answer .* in second [0-9]+; each point is the worst of 3 seconds$/,
    );
    expect(rateFigure(MEASURED, STEPS).caption).toBe(ratesText(MEASURED));
    expect(statusFigure(MEASURED, STEPS).caption).toBe(endsText(MEASURED));
  });

  test('go on after the load, up to the last answer, and mark where it ended', () => {
    const late = { ...MEASURED, durationSeconds: 9.5 };
    for (const { chart } of [
      responseTimeFigure(late, STEPS),
      rateFigure(late, STEPS),
      statusFigure(late, STEPS),
    ]) {
      expect(chart).toMatchObject({
        axis: { max: 12 },
        mark: { at: 9.5, item: { words: 'end of the load' } },
      });
    }
    expect(rateFigure(MEASURED, STEPS).chart.mark).toBeUndefined();
  });

  test('interrupt a line where nothing was answered, and show a single second', () => {
    const silent = loadSecond(0, { answered: 0, lost: 5, p50: null, p99: null, max: null });
    const none = responseTimeFigure(MEASURED, thinSeconds([silent], 90));
    expect(none.caption).toBe(
      'p50: nothing was answered; p99: nothing was answered; the longest answer: none',
    );
    const alone = { ...silent, answered: 1, p50: 3, p99: 3, max: 3 };
    expect(drawn(responseTimeFigure(MEASURED, thinSeconds([alone], 90)))).toMatch(/<path d="M[^"]*A/);
    const together = thinSeconds([alone, { ...alone, second: 1 }], 90);
    expect(drawn(responseTimeFigure(MEASURED, together))).not.toMatch(/<path d="M[^"]*A/);
  });

  test('are drawn with finite places and colours of the page only', () => {
    fc.assert(
      fc.property(seconds, (rows) => {
        const measured: LoadMeasurement = { ...MEASURED, seconds: rows };
        const steps = thinSeconds(rows, 90);
        const figures = [
          responseTimeFigure(measured, steps),
          rateFigure(measured, steps),
          statusFigure(measured, steps),
        ];
        for (const svg of figures.map((figure) => drawn(figure))) {
          expect(svg).not.toMatch(/NaN|Infinity|undefined/);
          expect(svg.replace(/<defs.*<\/defs>/s, '')).not.toMatch(/ (?:fill|stroke)="(?:#|rgb)/);
        }
      }),
      { numRuns: 15 },
    );
  });
});

test('a chart carries no style of its own', () => {
  expect(drawn(rateFigure(MEASURED, STEPS))).not.toMatch(/<style|class="zr|zr[0-9]|ecmeta|CDATA/);
});

describe('the plots of a capacity', () => {
  const found = SAMPLE_LOAD_SCENARIOS.find(({ id }) => id === 'capacity');
  if (found === undefined) {
    throw new Error('There is no sample of a capacity');
  }

  test('show the response time by rate, and mark the capacity', () => {
    const times = capacityFigures(found).map((figure) => [seriesOf(figure)['p99'], figure.chart.mark?.at]);
    const steps = found.capacitySteps.map(({ rate, p99 }) => [rate, p99] as const);
    expect(times).toEqual([[steps.toSorted(([left], [right]) => left - right), 1300]]);
    expect(capacityFigures(found)[0]?.caption).toMatch(
      /^Capacity 1300\/s; 1400\/s did not hold; p99 9\.00 ms at 200\/s,/,
    );
  });

  test('say so if no rate held', () => {
    const step: CapacityStep = {
      rate: 10,
      achievedRate: 3,
      p99: null,
      errorShare: 0.7,
      held: false,
      phase: 'step',
    };
    const [times] = capacityFigures({ ...found, capacity: null, capacitySteps: [step] });
    expect(times?.caption).toBe('No rate met the objective; 10/s did not hold; p99 – at 10/s');
    expect(times === undefined ? '' : drawn(times)).not.toMatch(/NaN|undefined|capacity/);
  });
});
