import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { LoadMeasurement } from '../../../contract/load-result.ts';
import { anySeconds, drawn, loadSecond, seriesOf } from './figure.test-data.ts';
import { percentileFigure, rateFigure, responseTimeFigure, statusFigure } from './load-plots.ts';
import { measurement } from '../../model/sample-measurements.test-data.ts';
import { thinSeconds } from './thin-seconds.ts';

const MEASURED = measurement({
  model: 'open',
  durationSeconds: 12,
  rateAt: (second) => 100 + second,
  medianAt: () => 2,
  shares: (second) => (second < 6 ? {} : { 429: 0.5 }),
  lostAt: (second) => (second === 11 ? 4 : 0),
  seed: 3,
});
const STEPS = thinSeconds(MEASURED.seconds, 90);

const seconds = anySeconds({ minLength: 1, maxLength: 12 });

describe('the plots of a measurement', () => {
  test('have a point for each second, in its middle', () => {
    const middles = STEPS.map(({ second }) => second + 0.5);
    const points = (values: readonly (number | null)[]): unknown =>
      values.map((value, index) => [middles[index], value]);
    expect(seriesOf(responseTimeFigure('a', STEPS))).toEqual({
      p50: points(STEPS.map(({ p50 }) => p50)),
      p99: points(STEPS.map(({ p99 }) => p99)),
      max: points(STEPS.map(({ max }) => max)),
    });
    expect(seriesOf(rateFigure('a', MEASURED, STEPS))).toEqual({
      due: points(MEASURED.seconds.map(({ scheduled }) => scheduled)),
      answered: points(MEASURED.seconds.map(({ answered }) => answered)),
    });
  });

  test('stack the classes that occurred, up to the end of the last second', () => {
    const figure = statusFigure('a', MEASURED, STEPS);
    expect(figure.legend.map(({ words }) => words)).toEqual(['2xx', '429', 'lost']);
    const lost = MEASURED.seconds.map(({ second, lost }) => [second, lost]);
    expect(seriesOf(figure)['lost']).toEqual([...lost, [12, 4]]);
    expect(figure.caption).toContain('4 lost (2 × ECONNRESET, 2 × timeout)');
  });

  test('spread the percentiles out by their nines', () => {
    const figure = percentileFigure('a', {
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
    const figure = percentileFigure('a', {
      ...MEASURED,
      percentiles,
      responseTime: { ...MEASURED.responseTime, count: 150 },
    });
    expect(seriesOf(figure)['response time']).toHaveLength(3);
  });

  test('say in words what they show', () => {
    expect(responseTimeFigure('a', thinSeconds(MEASURED.seconds, 4)).caption).toMatch(
      /^p50 .* ms to .* ms; p99 .*; the longest .* in second [0-9]+; each point is the worst of 3 seconds$/,
    );
    expect(rateFigure('a', MEASURED, STEPS).caption).toBe('due 100/s to 111/s; answered 100/s to 110/s');
  });

  test('interrupt a line where nothing was answered, and show a single second', () => {
    const silent = loadSecond(0, { answered: 0, lost: 5, p50: null, p99: null, max: null });
    const none = responseTimeFigure('a', thinSeconds([silent], 90));
    expect(none.caption).toBe('p50: nothing was answered; p99: nothing was answered; the longest: none');
    const alone = { ...silent, answered: 1, p50: 3, p99: 3, max: 3 };
    expect(drawn(responseTimeFigure('a', thinSeconds([alone], 90)))).toMatch(/<path d="M[^"]*A/);
    const together = thinSeconds([alone, { ...alone, second: 1 }], 90);
    expect(drawn(responseTimeFigure('a', together))).not.toMatch(/<path d="M[^"]*A/);
  });

  test('are drawn with finite places and colours of the page only', () => {
    fc.assert(
      fc.property(seconds, (rows) => {
        const measured: LoadMeasurement = { ...MEASURED, seconds: rows };
        const steps = thinSeconds(rows, 90);
        const figures = [
          responseTimeFigure('a', steps),
          rateFigure('b', measured, steps),
          statusFigure('c', measured, steps),
        ];
        for (const svg of figures.map(drawn)) {
          expect(svg).not.toMatch(/NaN|Infinity|undefined/);
          expect(svg.replace(/<defs.*<\/defs>/s, '')).not.toMatch(/ (?:fill|stroke)="(?:#|rgb)/);
        }
      }),
      { numRuns: 60 },
    );
  });
});

describe('a chart', () => {
  test('is the same for equal input, carries no style and uses the ids of its own page', () => {
    const figure = rateFigure('plot-one', MEASURED, STEPS);
    const svg = drawn(figure);
    expect(drawn(figure)).toBe(svg);
    expect(svg).not.toMatch(/<style|class="zr|zr[0-9]|ecmeta|CDATA/);
    for (const [, id] of svg.matchAll(/ id="([^"]*)"/g)) {
      expect(id).toMatch(/^plot-one-/);
    }
    for (const [, id] of svg.matchAll(/url\(#([^)]*)\)/g)) {
      expect(svg).toContain(` id="${id}"`);
    }
  });

  test('is named and described', () => {
    const svg = drawn(rateFigure('a', MEASURED, STEPS));
    expect(svg).toMatch(/role="img"\s+aria-labelledby="a-title"\s+aria-describedby="a-caption"/);
    expect(svg).toContain('<h4 id="a-title">Rate due and answered</h4>');
    expect(svg).toContain('<figcaption id="a-caption">due 100/s to 111/s');
  });
});
