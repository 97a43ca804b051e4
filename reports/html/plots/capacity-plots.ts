import type { CapacityStep, LoadScenarioResult } from '../../../contract/load-result.ts';
import { rateText, timeText } from '../../model/load.ts';
import { CHART_GRID, level, upright, uprightTime } from './chart-axes.ts';
import type { LineSeries, ScatterSeries } from './chart-option.ts';
import { lineSeries } from './line-series.ts';
import type { Figure, LegendItem } from './load-figure.ts';

const HEIGHT = 250;

const HELD = { words: 'held', color: 'var(--pass)', shape: 'circle' } as const satisfies LegendItem;
const NOT_HELD = {
  words: 'did not hold',
  color: 'var(--fail)',
  shape: 'diamond',
} as const satisfies LegendItem;
const CAPACITY: LegendItem = { words: 'capacity', color: 'var(--text)', shape: 'dotted' };
const CURVE: LegendItem = { words: 'tried', color: 'var(--muted)', shape: 'line' };
const IDEAL: LegendItem = { words: 'as due', color: 'var(--muted)', shape: 'dashed' };

/** What the search for the capacity found: response time and achieved rate against the rate that was due. */
export function capacityFigures(
  id: string,
  { capacity, capacitySteps }: LoadScenarioResult,
): readonly Figure[] {
  const steps = capacitySteps.toSorted((left, right) => left.rate - right.rate);
  const most = steps.reduce((highest, { rate }) => Math.max(highest, rate), 0);
  const legend = [HELD, NOT_HELD, ...(capacity === null ? [] : [CAPACITY])];
  const xAxis = { ...level('requests a second, due'), min: 0 };
  const found = capacity === null ? 'no rate met the objective' : `capacity ${rateText(capacity)}`;
  const failed = steps.find(({ held }) => !held);
  const beyond = failed === undefined ? 'every rate tried held' : `${rateText(failed.rate)} did not hold`;
  return [
    {
      id: `${id}-p99`,
      title: 'Response time (p99) by rate',
      height: HEIGHT,
      legend,
      option: {
        grid: CHART_GRID,
        xAxis,
        yAxis: uprightTime(steps.flatMap(({ p99 }) => (p99 === null ? [] : [p99]))),
        series: [
          withCapacity(
            lineSeries(
              CURVE,
              points(steps, ({ p99 }) => p99),
            ),
            capacity,
          ),
          ...marks(steps, ({ p99 }) => p99),
        ],
      },
      caption: `${found}; ${beyond}; p99 ${steps
        .map(({ rate, p99 }) => `${timeText(p99)} at ${rateText(rate)}`)
        .join(', ')}`,
    },
    {
      id: `${id}-rate`,
      title: 'Rate achieved by rate due',
      height: HEIGHT,
      legend: [...legend, IDEAL],
      option: {
        grid: CHART_GRID,
        xAxis,
        yAxis: upright('/s'),
        series: [
          lineSeries(IDEAL, [
            [0, 0],
            [most, most],
          ]),
          withCapacity(
            lineSeries(
              CURVE,
              points(steps, ({ achievedRate }) => achievedRate),
            ),
            capacity,
          ),
          ...marks(steps, ({ achievedRate }) => achievedRate),
        ],
      },
      caption: `answered ${steps
        .map(({ rate, achievedRate }) => `${rateText(achievedRate)} of ${rateText(rate)}`)
        .join(', ')}`,
    },
  ];
}

function points<Value>(
  steps: readonly CapacityStep[],
  of: (step: CapacityStep) => Value,
): [rate: number, value: Value][] {
  return steps.map((step) => [step.rate, of(step)]);
}

function marks(
  steps: readonly CapacityStep[],
  of: (step: CapacityStep) => number | null,
): readonly ScatterSeries[] {
  return [HELD, NOT_HELD].map(({ words, color, shape }, index) => ({
    type: 'scatter',
    name: words,
    silent: true,
    emphasis: { disabled: true },
    symbol: shape,
    symbolSize: index === 0 ? 9 : 11,
    itemStyle: { color },
    data: points(
      steps.filter(({ held }) => held === (index === 0)),
      of,
    ),
  }));
}

function withCapacity(series: LineSeries, capacity: number | null): LineSeries {
  return capacity === null
    ? series
    : {
        ...series,
        markLine: {
          silent: true,
          symbol: 'none',
          emphasis: { disabled: true },
          lineStyle: { color: CAPACITY.color, type: 'dotted', width: 1.5 },
          label: { formatter: rateText(capacity), color: 'var(--text)', position: 'end' },
          data: [{ xAxis: capacity }],
        },
      };
}
