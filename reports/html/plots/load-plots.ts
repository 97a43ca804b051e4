import type { LatencySummary, LoadMeasurement } from '../../../contract/load-result.ts';
import { figure, rateText, timeText } from '../../model/load.ts';
import { CHART_GRID, level, secondsAxis, upright, uprightTime } from './chart-axes.ts';
import { lineSeries } from './line-series.ts';
import type { Figure, LegendItem } from './load-figure.ts';
import type { LoadStep } from './thin-seconds.ts';

const HEIGHT = 240;

const P50: LegendItem = { words: 'p50', color: 'var(--pass)', shape: 'line' };
const P99: LegendItem = { words: 'p99', color: 'var(--accent)', shape: 'dashed' };
const MAX: LegendItem = { words: 'max', color: 'var(--fail)', shape: 'dotted' };

/** Response time second by second. */
export function responseTimeFigure(id: string, steps: readonly LoadStep[]): Figure {
  const times = steps.flatMap(({ p50, p99, max }) => [p50, p99, max].filter((time) => time !== null));
  return {
    id,
    title: 'Response time over time',
    height: HEIGHT,
    legend: [P50, P99, MAX],
    option: {
      grid: CHART_GRID,
      xAxis: secondsAxis(steps),
      yAxis: uprightTime(times),
      series: [
        lineSeries(
          MAX,
          overTime(steps, ({ max }) => max),
        ),
        lineSeries(
          P99,
          overTime(steps, ({ p99 }) => p99),
        ),
        lineSeries(
          P50,
          overTime(steps, ({ p50 }) => p50),
        ),
      ],
    },
    caption: [
      spanText('p50', steps, ({ p50 }) => p50),
      spanText('p99', steps, ({ p99 }) => p99),
      peakText('the longest', steps, ({ max }) => max),
      ...grainText(steps),
    ].join('; '),
  };
}

/** Rate that was due against the rate that was achieved. */
export function rateFigure(id: string, { model }: LoadMeasurement, steps: readonly LoadStep[]): Figure {
  const due: LegendItem = {
    words: model === 'open' ? 'due' : 'sent',
    color: 'var(--muted)',
    shape: 'dashed',
  };
  const answered: LegendItem = { words: 'answered', color: 'var(--accent)', shape: 'line' };
  const rates = (of: (step: LoadStep) => number): string => {
    const values = steps.map(of);
    const [least, most] = [values.reduce(min, Infinity), values.reduce(max, 0)];
    const span = [...new Set([rateText(least), rateText(most)])].join(' to ');
    return values.length === 0 ? 'none' : span;
  };
  return {
    id,
    title: `Rate ${due.words} and answered`,
    height: HEIGHT,
    legend: [due, answered],
    option: {
      grid: CHART_GRID,
      xAxis: secondsAxis(steps),
      yAxis: upright('/s'),
      series: [
        lineSeries(
          due,
          overTime(steps, ({ scheduled }) => scheduled),
        ),
        lineSeries(
          answered,
          overTime(steps, ({ answered }) => answered),
        ),
      ],
    },
    caption: `${due.words} ${rates(({ scheduled }) => scheduled)}; answered ${rates(({ answered }) => answered)}`,
  };
}

const NINES = [50, 90, 99, 99.9, 99.99, 99.999] as const;

/** How far to the right a percentile is drawn: by one for each nine. */
function nines(percentile: number): number {
  return Math.log10(1 / (1 - percentile / 100));
}

/** Response time by percentile, with the rare long ones spread out. */
export function percentileFigure(id: string, { percentiles, responseTime }: LoadMeasurement): Figure {
  // Beyond this every percentile is the longest of all.
  const known = Math.log10(Math.max(1, responseTime.count));
  const points = percentiles.filter(([percentile]) => nines(percentile) <= known);
  const end = points.reduce((far, [percentile]) => Math.max(far, nines(percentile)), nines(90));
  const ticks = NINES.filter((percentile) => nines(percentile) <= end + 0.001);
  const item: LegendItem = { words: 'response time', color: 'var(--accent)', shape: 'line' };
  return {
    id,
    title: 'Response time by percentile',
    height: HEIGHT,
    legend: [],
    option: {
      grid: CHART_GRID,
      xAxis: {
        ...level('percentile'),
        max: end,
        axisLabel: {
          color: 'var(--muted)',
          customValues: ticks.map(nines),
          formatter: (place: number): string =>
            `${NINES.find((percentile) => Math.abs(nines(percentile) - place) < 0.001) ?? ''}`,
        },
      },
      yAxis: uprightTime(points.map(([, milliseconds]) => milliseconds)),
      series: [
        lineSeries(
          item,
          points.map(([percentile, milliseconds]) => [nines(percentile), milliseconds]),
        ),
      ],
    },
    caption: captionOf(responseTime),
  };
}

function captionOf({ p50, p90, p99, p999, max }: LatencySummary): string {
  const named = { p50, p90, p99, 'p99.9': p999, max };
  return Object.entries(named)
    .map(([name, time]) => `${name} ${timeText(time)}`)
    .join(', ');
}

/** A value of each step in its middle. */
function overTime<Value>(
  steps: readonly LoadStep[],
  of: (step: LoadStep) => Value,
): [second: number, value: Value][] {
  return steps.map((step) => [step.second + step.length / 2, of(step)]);
}

function min(left: number, right: number): number {
  return Math.min(left, right);
}

function max(left: number, right: number): number {
  return Math.max(left, right);
}

function spanText(name: string, steps: readonly LoadStep[], of: (step: LoadStep) => number | null): string {
  const known = steps.map(of).filter((time) => time !== null);
  return known.length === 0
    ? `${name}: nothing was answered`
    : `${name} ${timeText(known.reduce(min))} to ${timeText(known.reduce(max))}`;
}

function peakText(name: string, steps: readonly LoadStep[], of: (step: LoadStep) => number | null): string {
  const [peak] = steps.toSorted((left, right) => (of(right) ?? 0) - (of(left) ?? 0));
  const time = peak === undefined ? null : of(peak);
  return peak === undefined || time === null
    ? `${name}: none`
    : `${name} ${timeText(time)} in second ${figure(peak.second)}`;
}

function grainText(steps: readonly LoadStep[]): readonly string[] {
  const length = steps[0]?.length ?? 1;
  return length === 1 ? [] : [`each point is the worst of ${length} seconds`];
}
