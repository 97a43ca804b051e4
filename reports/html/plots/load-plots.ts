import type { LoadMeasurement, LoadScenarioResult } from '../../../contract/load-result.ts';
import {
  capacityText,
  endsText,
  figure,
  percentilesText,
  ratesText,
  rateText,
  timeText,
} from '../../model/load.ts';
import type { Axis, LegendItem, Mark, Series } from './chart.ts';
import type { Figure } from './figure.ts';
import type { LoadStep } from './thin-seconds.ts';

/** What a round measured, drawn; nothing if it measured nothing. */
export function measuredFigures(measurement: LoadMeasurement, steps: readonly LoadStep[]): readonly Figure[] {
  const ofPercentiles = measurement.percentiles.length === 0 ? [] : [percentileFigure(measurement)];
  return steps.length === 0
    ? ofPercentiles
    : [
        responseTimeFigure(measurement, steps),
        ...ofPercentiles,
        rateFigure(measurement, steps),
        statusFigure(measurement, steps),
      ];
}

/** Response time second by second. */
export function responseTimeFigure(measurement: LoadMeasurement, steps: readonly LoadStep[]): Figure {
  return {
    title: 'Response time over time',
    chart: {
      ...timeAxis(measurement, steps),
      unit: 'ms',
      series: [
        overTime({ words: 'p50', color: 'var(--pass)', shape: 'line' }, steps, ({ p50 }) => p50),
        overTime({ words: 'p99', color: 'var(--accent)', shape: 'dashed' }, steps, ({ p99 }) => p99),
        overTime({ words: 'max', color: 'var(--fail)', shape: 'dotted' }, steps, ({ max }) => max),
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
export function rateFigure(measurement: LoadMeasurement, steps: readonly LoadStep[]): Figure {
  const words = measurement.model === 'open' ? 'due' : 'sent';
  return {
    title: `Rate ${words} and answered`,
    chart: {
      ...timeAxis(measurement, steps),
      unit: '/s',
      series: [
        overTime(
          { words: 'answered', color: 'var(--accent)', shape: 'line' },
          steps,
          (step) => step.answered,
        ),
        overTime({ words, color: 'var(--muted)', shape: 'dashed' }, steps, (step) => step.scheduled),
      ],
    },
    caption: ratesText(measurement),
  };
}

/** Classes of status in the order of a legend. */
const CLASSES = [
  ['2xx', 'var(--pass)'],
  ['429', 'var(--inconclusive)'],
  ['3xx', 'var(--observed)'],
  ['other 4xx', 'var(--refused)'],
  ['5xx', 'var(--fail)'],
  ['other', 'var(--skipped)'],
  ['unanswered', 'var(--text)'],
].map(([words = '', color = '']): LegendItem => ({ words, color, shape: 'area' }));

/** Answers a second by class of status, one upon the other, with what was not answered on top. */
export function statusFigure(measurement: LoadMeasurement, steps: readonly LoadStep[]): Figure {
  const present = CLASSES.filter(({ words }) => steps.some((step) => classCount(step, words) > 0));
  return {
    title: 'Answers by class of status',
    chart: {
      ...timeAxis(measurement, steps),
      unit: '/s',
      series: present.map((item) => asStairs(item, steps)),
    },
    caption: endsText(measurement),
  };
}

function classCount({ statuses, lost }: LoadStep, words: string): number {
  switch (words) {
    case 'unanswered':
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
export function percentileFigure({ percentiles, responseTime }: LoadMeasurement): Figure {
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
    title: 'Response time by percentile',
    chart: { axis: { name: 'percentile', max: end, ticks }, unit: 'ms', series: [{ item, points }] },
    caption: percentilesText(responseTime),
  };
}

const END: LegendItem = { words: 'end of the load', color: 'var(--text)', shape: 'dotted' };

/** Up to the last answer, with a mark where nothing more was due. */
function timeAxis(
  { durationSeconds }: LoadMeasurement,
  steps: readonly LoadStep[],
): { readonly axis: Axis; readonly mark?: Mark } {
  const last = steps.at(-1);
  const max = Math.max(1, (last?.second ?? 0) + (last?.length ?? 0));
  const axis = { name: 'seconds', min: 0, max };
  return durationSeconds < max ? { axis, mark: { item: END, at: durationSeconds } } : { axis };
}

/** A value of each step in its middle. */
function overTime(
  item: LegendItem,
  steps: readonly LoadStep[],
  of: (step: LoadStep) => number | null,
): Series {
  return { item, points: steps.map((step) => [step.second + step.length / 2, of(step)]) };
}

function spanText(name: string, steps: readonly LoadStep[], of: (step: LoadStep) => number | null): string {
  const known = steps.map(of).filter((time) => time !== null);
  return known.length === 0
    ? `${name}: nothing was answered`
    : `${name} ${timeText(Math.min(...known))} to ${timeText(Math.max(...known))}`;
}

function longestText(steps: readonly LoadStep[]): string {
  const [peak] = steps.toSorted((left, right) => (right.max ?? 0) - (left.max ?? 0));
  return peak?.max == null
    ? 'the longest answer: none'
    : `the longest answer ${timeText(peak.max)} in second ${figure(peak.second)}`;
}

function grainText(steps: readonly LoadStep[]): readonly string[] {
  const length = steps[0]?.length ?? 1;
  return length === 1 ? [] : [`each point is the worst of ${length} seconds`];
}

const CAPACITY: LegendItem = { words: 'capacity', color: 'var(--text)', shape: 'dotted' };
const TRIED: LegendItem = { words: 'p99', color: 'var(--accent)', shape: 'line' };

/** What the search for the capacity found: response time by the rate that was due. */
export function capacityFigures(scenario: LoadScenarioResult): readonly Figure[] {
  const { capacity, capacitySteps } = scenario;
  const steps = capacitySteps.toSorted((left, right) => left.rate - right.rate);
  const failed = steps.find(({ held }) => !held);
  const beyond = failed === undefined ? 'every rate tried held' : `${rateText(failed.rate)} did not hold`;
  const times = steps.map(({ rate, p99 }) => `${timeText(p99)} at ${rateText(rate)}`).join(', ');
  return [
    {
      title: 'Response time (p99) by rate',
      chart: {
        axis: { name: 'requests a second, due', min: 0 },
        ...(capacity === null ? {} : { mark: { item: CAPACITY, at: capacity } }),
        unit: 'ms',
        series: [{ item: TRIED, points: steps.map(({ rate, p99 }) => [rate, p99]) }],
      },
      caption: `${capacityText(scenario)}; ${beyond}; p99 ${times}`,
    },
  ];
}
