import type { StormOutcome, StormSetting, StormStep } from '../../../contract/simulation-result.ts';
import { figure, rateText } from '../../model/load.ts';
import { peakLine, secondsText } from '../../model/storm.ts';
import type { Html } from '../template.ts';
import type { LegendItem, Series } from './chart.ts';
import { figuresHtml, type Figure } from './figure.ts';

const HEIGHT = 230;

/** A storm, and what was measured in its place if there is something. */
interface PlottedStorm {
  readonly setting: StormSetting;
  readonly outcome: StormOutcome;
  readonly measured?: StormOutcome;
}

/** A line of a figure: what it is called and which value of a step it shows. */
interface StormLine {
  readonly item: LegendItem;
  readonly of: (step: StormStep) => number;
}

/** What is drawn over time, with a line that it is to be compared with. */
interface StormPlot {
  readonly title: string;
  readonly unit: string;
  readonly lines: readonly StormLine[];
  readonly bound: number | null;
  readonly caption: string;
}

const CAPACITY: LegendItem = { words: 'capacity', color: 'var(--text)', shape: 'dotted' };

/** What happened over time, drawn. */
export function stormPlots(id: string, storm: PlottedStorm): Html {
  return figuresHtml(stormFigures(id, storm));
}

function stormFigures(id: string, storm: PlottedStorm): readonly Figure[] {
  const { setting, outcome, measured } = storm;
  const { requests, longestWait, stepSeconds } = outcome;
  const { capacity } = setting.service;
  const rate = (words: string, color: string, of: StormLine['of']): StormLine =>
    line(words, color, (step) => of(step) / stepSeconds);
  const sent: StormPlot = {
    title: 'Requests sent',
    unit: '/s',
    lines: [
      rate('sent', 'var(--muted)', (step) => step.sent),
      rate('came back', 'var(--inconclusive)', (step) => step.returning),
    ],
    bound: capacity,
    caption: `${requests.sent} sent; capacity ${rateText(capacity)}`,
  };
  const goodput: StormPlot = {
    title: 'Goodput',
    unit: '/s',
    lines: [
      rate('granted', 'var(--pass)', (step) => step.granted),
      rate('refused, dropped or late', 'var(--fail)', (step) => step.failed),
    ],
    bound: capacity,
    caption: `${requests.granted} granted, ${requests.refused} refused, ${requests.dropped} dropped, ${requests.late} answered too late`,
  };
  const waiting: StormPlot = {
    title: 'Clients that want more',
    unit: '',
    lines: [line('clients', 'var(--accent)', (step) => step.waiting)],
    bound: null,
    caption: `all served after ${secondsText(outcome.drainSeconds)}; half after ${secondsText(outcome.servedBy.p50)}`,
  };
  const peak: StormPlot = {
    title: 'Most requests in 100 ms',
    unit: '',
    lines: [line('in 100 ms', 'var(--accent)', (step) => step.peak)],
    bound: capacity / 10,
    caption: `first wave ${peakLine(outcome.firstPeak, setting)}; after it ${peakLine(outcome.returningPeak, setting)}`,
  };
  const wait: StormPlot = {
    title: 'Longest wait for a worker',
    unit: 's',
    lines: [line('wait', 'var(--accent)', (step) => step.longestWait)],
    bound: setting.longestWait,
    caption: `${figure(longestWait.first)} s in the first wave, ${figure(longestWait.returning)} s after it; ${figure(setting.longestWait)} s is kept to`,
  };
  const plots = { sent, goodput, waiting, peak, ...(measured === undefined ? { wait } : {}) };
  return Object.entries(plots).map(([name, plot]) => figureOf(`${id}-${name}`, plot, storm));
}

function line(words: string, color: string, of: StormLine['of']): StormLine {
  return { item: { words, color, shape: 'line' }, of };
}

function figureOf(id: string, plot: StormPlot, { outcome, measured }: PlottedStorm): Figure {
  const { title, unit, lines, bound, caption } = plot;
  const end = Math.max(
    ...[outcome, measured ?? outcome].map(({ steps, stepSeconds }) => steps.length * stepSeconds),
  );
  const drawn = [
    ...lines.map((line) =>
      seriesOf(line, outcome, measured === undefined ? {} : { words: `${line.item.words}, predicted` }),
    ),
    ...(measured === undefined
      ? []
      : lines.map((line) =>
          seriesOf(line, measured, { words: `${line.item.words}, measured`, shape: 'dashed' }),
        )),
    ...(bound === null ? [] : [boundOf(unit === 's' ? 'kept to' : CAPACITY.words, bound, end)]),
  ];
  return {
    id,
    title,
    height: HEIGHT,
    legend: drawn.map(({ item }) => item),
    chart: { axis: { name: 'seconds', min: 0, max: end }, unit, series: drawn },
    caption,
  };
}

function seriesOf(
  { item, of }: StormLine,
  { steps, stepSeconds }: StormOutcome,
  looks: Partial<LegendItem>,
): Series {
  return {
    item: { ...item, ...looks },
    points: steps.map((step) => [step.second + stepSeconds / 2, of(step)]),
  };
}

/** A line at the same height all the time. */
function boundOf(words: string, bound: number, end: number): Series {
  return {
    item: { ...CAPACITY, words },
    points: [
      [0, bound],
      [end, bound],
    ],
  };
}
