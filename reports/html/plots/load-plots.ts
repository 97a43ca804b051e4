import type { LatencySummary, LoadMeasurement } from '../../../contract/load-result.ts';
import { figure, lossText, percentText, rateText, timeText } from '../../model/load.ts';
import type { Axis, LegendItem, Series } from './chart.ts';
import type { Figure } from './figure.ts';
import { STATUS_COLORS } from './status-colors.ts';
import type { LoadStep } from './thin-seconds.ts';

const HEIGHT = 240;

const P50: LegendItem = { words: 'p50', color: 'var(--pass)', shape: 'line' };
const P99: LegendItem = { words: 'p99', color: 'var(--accent)', shape: 'dashed' };
const MAX: LegendItem = { words: 'max', color: 'var(--fail)', shape: 'dotted' };

/** Response time second by second. */
export function responseTimeFigure(id: string, steps: readonly LoadStep[]): Figure {
  return {
    id,
    title: 'Response time over time',
    height: HEIGHT,
    legend: [P50, P99, MAX],
    chart: {
      axis: secondsAxis(steps),
      unit: 'ms',
      series: [
        overTime(MAX, steps, ({ max }) => max),
        overTime(P99, steps, ({ p99 }) => p99),
        overTime(P50, steps, ({ p50 }) => p50),
      ],
    },
    caption: [
      spanText('p50', steps, ({ p50 }) => p50),
      spanText('p99', steps, ({ p99 }) => p99),
      longestText(steps),
      ...grainText(steps),
    ].join('; '),
  };
}

/** Rate that was due against the rate that was achieved. */
export function rateFigure(id: string, { model }: LoadMeasurement, steps: readonly LoadStep[]): Figure {
  const words = model === 'open' ? 'due' : 'sent';
  const due: LegendItem = { words, color: 'var(--muted)', shape: 'dashed' };
  const answered: LegendItem = { words: 'answered', color: 'var(--accent)', shape: 'line' };
  const rates = (of: (step: LoadStep) => number): string => {
    const values = steps.map(of);
    const span = [values.reduce(min, Infinity), values.reduce(max, 0)].map(rateText);
    return values.length === 0 ? 'none' : [...new Set(span)].join(' to ');
  };
  return {
    id,
    title: `Rate ${words} and answered`,
    height: HEIGHT,
    legend: [due, answered],
    chart: {
      axis: secondsAxis(steps),
      unit: '/s',
      series: [
        overTime(due, steps, (step) => step.scheduled),
        overTime(answered, steps, (step) => step.answered),
      ],
    },
    caption: `${words} ${rates((step) => step.scheduled)}; answered ${rates((step) => step.answered)}`,
  };
}

const CLASSES = [...STATUS_COLORS, ['lost', 'var(--text)'] as const].map(([words, color]): LegendItem => ({
  words,
  color,
  shape: 'area',
}));

/** Answers a second by class of status, one upon the other, with what was lost on top. */
export function statusFigure(id: string, measurement: LoadMeasurement, steps: readonly LoadStep[]): Figure {
  const countOf = (words: string): number => steps.reduce((sum, step) => sum + classCount(step, words), 0);
  const present = CLASSES.filter(({ words }) => countOf(words) > 0);
  const total = steps.reduce((sum, { answered, lost }) => sum + answered + lost, 0);
  const shares = present.map(
    ({ words }) => `${words} ${percentText(total === 0 ? 0 : countOf(words) / total)}`,
  );
  return {
    id,
    title: 'Answers by class of status',
    height: HEIGHT,
    legend: present,
    chart: { axis: secondsAxis(steps), unit: '/s', series: present.map((item) => asStairs(item, steps)) },
    caption: `${shares.length === 0 ? 'nothing was sent' : shares.join(', ')}; ${lossText(measurement)}`,
  };
}

function classCount({ statuses, lost }: LoadStep, words: string): number {
  switch (words) {
    case 'lost':
      return lost;
    case 'other': {
      const named = new Set(['4xx', ...CLASSES.map((one) => one.words)]);
      const others = Object.entries(statuses).filter(([name]) => !named.has(name));
      return others.reduce((sum, [, count]) => sum + count, 0);
    }
    default:
      return statuses[words === 'other 4xx' ? '4xx' : words] ?? 0;
  }
}

/** A value of each step from its beginning on, and once more where the last ends. */
function asStairs(item: LegendItem, steps: readonly LoadStep[]): Series {
  const stairs = steps.flatMap((step, index): [number, number][] => {
    const count = classCount(step, item.words);
    const end: [number, number] = [step.second + step.length, count];
    return [[step.second, count], ...(index === steps.length - 1 ? [end] : [])];
  });
  return { item, points: stairs };
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
  const points = percentiles
    .map(([percentile, milliseconds]) => [nines(percentile), milliseconds] as const)
    .filter(([place]) => place <= known);
  const end = points.reduce((far, [place]) => Math.max(far, place), nines(90));
  const ticks = NINES.map((percentile) => [nines(percentile), `${percentile}`] as const).filter(
    ([place]) => place <= end + 0.001,
  );
  const item: LegendItem = { words: 'response time', color: 'var(--accent)', shape: 'line' };
  return {
    id,
    title: 'Response time by percentile',
    height: HEIGHT,
    legend: [],
    chart: { axis: { name: 'percentile', max: end, ticks }, unit: 'ms', series: [{ item, points }] },
    caption: captionOf(responseTime),
  };
}

function captionOf({ p50, p90, p99, p999, max }: LatencySummary): string {
  const named = { p50, p90, p99, 'p99.9': p999, max };
  return Object.entries(named)
    .map(([name, time]) => `${name} ${timeText(time)}`)
    .join(', ');
}

function secondsAxis(steps: readonly LoadStep[]): Axis {
  const last = steps.at(-1);
  return { name: 'seconds', min: 0, max: Math.max(1, (last?.second ?? 0) + (last?.length ?? 0)) };
}

/** A value of each step in its middle. */
function overTime(
  item: LegendItem,
  steps: readonly LoadStep[],
  of: (step: LoadStep) => number | null,
): Series {
  return { item, points: steps.map((step) => [step.second + step.length / 2, of(step)]) };
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

function longestText(steps: readonly LoadStep[]): string {
  const [peak] = steps.toSorted((left, right) => (right.max ?? 0) - (left.max ?? 0));
  return peak?.max == null
    ? 'the longest: none'
    : `the longest ${timeText(peak.max)} in second ${figure(peak.second)}`;
}

function grainText(steps: readonly LoadStep[]): readonly string[] {
  const length = steps[0]?.length ?? 1;
  return length === 1 ? [] : [`each point is the worst of ${length} seconds`];
}
