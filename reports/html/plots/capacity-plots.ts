import type { CapacityStep, LoadScenarioResult } from '../../../contract/load-result.ts';
import { rateText, timeText } from '../../model/load.ts';
import type { LegendItem, Series } from './chart.ts';
import type { Figure } from './figure.ts';

const HEIGHT = 250;

const HELD: LegendItem = { words: 'held', color: 'var(--pass)', shape: 'circle' };
const NOT_HELD: LegendItem = { words: 'did not hold', color: 'var(--fail)', shape: 'diamond' };
const CAPACITY: LegendItem = { words: 'capacity', color: 'var(--text)', shape: 'dotted' };
const CURVE: LegendItem = { words: 'tried', color: 'var(--muted)', shape: 'line' };
const IDEAL: LegendItem = { words: 'as due', color: 'var(--muted)', shape: 'dashed' };

/** What the search for the capacity found: response time and achieved rate against the rate that was due. */
export function capacityFigures(
  id: string,
  { capacity, capacitySteps }: LoadScenarioResult,
): readonly Figure[] {
  const steps = capacitySteps.toSorted((left, right) => left.rate - right.rate);
  const most = steps.at(-1)?.rate ?? 0;
  const common = {
    axis: { name: 'requests a second, due', min: 0 },
    ...(capacity === null ? {} : { mark: { at: capacity, label: rateText(capacity) } }),
  };
  const legend = [HELD, NOT_HELD, ...(capacity === null ? [] : [CAPACITY])];
  const found = capacity === null ? 'no rate met the objective' : `capacity ${rateText(capacity)}`;
  const failed = steps.find(({ held }) => !held);
  const beyond = failed === undefined ? 'every rate tried held' : `${rateText(failed.rate)} did not hold`;
  const times = steps.map(({ rate, p99 }) => `${timeText(p99)} at ${rateText(rate)}`).join(', ');
  const rates = steps.map(({ rate, achievedRate }) => `${rateText(achievedRate)} of ${rateText(rate)}`);
  const ideal: Series = {
    item: IDEAL,
    points: [
      [0, 0],
      [most, most],
    ],
  };
  return [
    {
      id: `${id}-p99`,
      title: 'Response time (p99) by rate',
      height: HEIGHT,
      legend,
      chart: { ...common, unit: 'ms', series: seriesOf(steps, ({ p99 }) => p99) },
      caption: `${found}; ${beyond}; p99 ${times}`,
    },
    {
      id: `${id}-rate`,
      title: 'Rate achieved by rate due',
      height: HEIGHT,
      legend: [...legend, IDEAL],
      chart: {
        ...common,
        unit: '/s',
        series: [ideal, ...seriesOf(steps, ({ achievedRate }) => achievedRate)],
      },
      caption: `answered ${rates.join(', ')}`,
    },
  ];
}

/** A value of each step: a line through all, with a mark for whether it held. */
function seriesOf(
  steps: readonly CapacityStep[],
  of: (step: CapacityStep) => number | null,
): readonly Series[] {
  const series = (item: LegendItem, some: readonly CapacityStep[]): Series => ({
    item,
    points: some.map((step) => [step.rate, of(step)]),
  });
  return [
    series(CURVE, steps),
    series(
      HELD,
      steps.filter(({ held }) => held),
    ),
    series(
      NOT_HELD,
      steps.filter(({ held }) => !held),
    ),
  ];
}
