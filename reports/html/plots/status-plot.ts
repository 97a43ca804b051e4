import type { LoadMeasurement } from '../../../contract/load-result.ts';
import { lossText, percentText } from '../../model/load.ts';
import { CHART_GRID, secondsAxis, upright } from './chart-axes.ts';
import type { Figure, LegendItem } from './load-figure.ts';
import type { LoadStep } from './thin-seconds.ts';

const HEIGHT = 240;

const CLASSES: readonly (LegendItem & { readonly name: string })[] = [
  ['2xx', 'var(--pass)'],
  ['3xx', 'var(--observed)'],
  ['4xx', 'var(--refused)'],
  ['429', 'var(--inconclusive)'],
  ['5xx', 'var(--fail)'],
  ['other', 'var(--skipped)'],
  ['lost', 'var(--text)'],
].map(([name = '', color = '']) => ({
  name,
  words: name === '4xx' ? 'other 4xx' : name,
  color,
  shape: 'area',
}));

const CLASS_NAMES = new Set(CLASSES.map(({ name }) => name));

/** Answers a second by class of status, one upon the other, with what was lost on top. */
export function statusFigure(id: string, measurement: LoadMeasurement, steps: readonly LoadStep[]): Figure {
  const present = CLASSES.filter(({ name }) => steps.some((step) => countOf(step, name) > 0));
  const total = steps.reduce((sum, { answered, lost }) => sum + answered + lost, 0);
  const shares = present.map(({ name, words }) => {
    const count = steps.reduce((sum, step) => sum + countOf(step, name), 0);
    return `${words} ${percentText(total === 0 ? 0 : count / total)}`;
  });
  return {
    id,
    title: 'Answers by class of status',
    height: HEIGHT,
    legend: present,
    option: {
      grid: CHART_GRID,
      xAxis: secondsAxis(steps),
      yAxis: upright('/s'),
      series: present.map(({ name, words, color }) => ({
        type: 'line',
        name: words,
        stack: 'answers',
        step: 'end',
        silent: true,
        emphasis: { disabled: true },
        showSymbol: false,
        lineStyle: { width: 0 },
        areaStyle: { color, opacity: 0.85 },
        itemStyle: { color },
        data: asStairs(steps, (step) => countOf(step, name)),
      })),
    },
    caption: `${shares.length === 0 ? 'nothing was sent' : shares.join(', ')}; ${lossText(measurement)}`,
  };
}

function countOf({ statuses, lost }: LoadStep, name: string): number {
  if (name === 'lost') {
    return lost;
  }
  return name === 'other'
    ? Object.entries(statuses).reduce((sum, [key, count]) => sum + (CLASS_NAMES.has(key) ? 0 : count), 0)
    : (statuses[name] ?? 0);
}

/** A value of each step from its beginning on, and once more where the last ends. */
function asStairs(
  steps: readonly LoadStep[],
  of: (step: LoadStep) => number,
): [second: number, value: number][] {
  const last = steps.at(-1);
  return [
    ...steps.map((step): [number, number] => [step.second, of(step)]),
    ...(last === undefined ? [] : [[last.second + last.length, of(last)] satisfies [number, number]]),
  ];
}
