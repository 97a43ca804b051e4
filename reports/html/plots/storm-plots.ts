import type { SimulationResult, StormOutcome, StormStep } from '../../../contract/simulation-result.ts';
import { figure, rateText } from '../../model/load.ts';
import { peakLine, secondsText } from '../../model/storm.ts';
import type { Series } from './chart.ts';
import type { Figure } from './figure.ts';

/** A line of a figure: what it is called, its colour, and which value of a step it shows. */
type StormLine = readonly [words: string, color: string, of: (step: StormStep) => number];

/** What is drawn over time, with a line that it is to be compared with. */
interface StormPlot {
  readonly title: string;
  readonly unit: string;
  readonly lines: readonly StormLine[];
  readonly bound: readonly [words: string, value: number] | null;
  readonly caption: string;
}

/** What happened over time. */
export function stormFigures(storm: SimulationResult): readonly Figure[] {
  return plotsOf(storm).map((plot) => figureOf(plot, storm.outcome));
}

function plotsOf({ setting, outcome }: SimulationResult): readonly StormPlot[] {
  const { requests, longestWait, stepSeconds } = outcome;
  const { capacity } = setting.service;
  return [
    {
      title: 'Requests sent',
      unit: '/s',
      lines: [
        ['sent', 'var(--muted)', ({ sent }) => sent / stepSeconds],
        ['came back', 'var(--inconclusive)', ({ returning }) => returning / stepSeconds],
      ],
      bound: ['capacity', capacity],
      caption: `${requests.sent} sent; capacity ${rateText(capacity)}`,
    },
    {
      title: 'Goodput',
      unit: '/s',
      lines: [
        ['granted', 'var(--pass)', ({ granted }) => granted / stepSeconds],
        ['refused, dropped or late', 'var(--fail)', ({ failed }) => failed / stepSeconds],
      ],
      bound: ['capacity', capacity],
      caption: `${requests.granted} granted, ${requests.refused} refused, ${requests.dropped} dropped, ${requests.late} answered too late`,
    },
    {
      title: 'Clients that want more',
      unit: '',
      lines: [['clients', 'var(--accent)', ({ waiting }) => waiting]],
      bound: null,
      caption: `all served after ${secondsText(outcome.drainSeconds)}; half after ${secondsText(outcome.servedBy.p50)}`,
    },
    {
      title: 'Most requests in 100 ms',
      unit: '',
      lines: [['in 100 ms', 'var(--accent)', ({ peak }) => peak]],
      bound: ['capacity', capacity / 10],
      caption: `first wave ${peakLine(outcome.firstPeak, setting)}; after it ${peakLine(outcome.returningPeak, setting)}`,
    },
    {
      title: 'Longest wait for a worker',
      unit: 's',
      lines: [['wait', 'var(--accent)', (step) => step.longestWait]],
      bound: ['kept to', setting.longestWait],
      caption: `${figure(longestWait.first)} s in the first wave, ${figure(longestWait.returning)} s after it; ${figure(setting.longestWait)} s is kept to`,
    },
  ];
}

function figureOf(
  { title, unit, lines, bound, caption }: StormPlot,
  { steps, stepSeconds }: StormOutcome,
): Figure {
  const end = steps.length * stepSeconds;
  const drawn = lines.map(([words, color, of]): Series => ({
    item: { words, color, shape: 'line' },
    points: steps.map((step) => [step.second + stepSeconds / 2, of(step)]),
  }));
  return {
    title,
    chart: {
      axis: { name: 'seconds', min: 0, max: end },
      unit,
      series: [...drawn, ...(bound === null ? [] : [boundOf(bound, end)])],
    },
    caption,
  };
}

/** A line at the same height all the time. */
function boundOf([words, value]: NonNullable<StormPlot['bound']>, end: number): Series {
  return {
    item: { words, color: 'var(--text)', shape: 'dotted' },
    points: [
      [0, value],
      [end, value],
    ],
  };
}
