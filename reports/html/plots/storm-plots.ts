import type { StormOutcome, StormSetting, StormStep } from '../../../contract/simulation-result.ts';
import { figure, rateText } from '../../model/load.ts';
import { peakLine, secondsText } from '../../model/storm.ts';
import type { Html } from '../template.ts';
import { CHART_GRID, level, upright } from './chart-axes.ts';
import { lineSeries } from './line-series.ts';
import { type Figure, figureHtml, type LegendItem } from './load-figure.ts';

const HEIGHT = 230;

/** A line of a figure: what it is called and which value of a step it shows. */
interface StormLine {
  readonly item: LegendItem;
  readonly of: (step: StormStep) => number;
}

/** A storm, and what was measured in its place if there is something. */
interface PlottedStorm {
  readonly setting: StormSetting;
  readonly outcome: StormOutcome;
  readonly measured?: StormOutcome;
}

const SENT: LegendItem = { words: 'sent', color: 'var(--muted)', shape: 'line' };
const RETURNING: LegendItem = { words: 'came back', color: 'var(--inconclusive)', shape: 'line' };
const GRANTED: LegendItem = { words: 'granted', color: 'var(--pass)', shape: 'line' };
const FAILED: LegendItem = { words: 'refused, dropped or late', color: 'var(--fail)', shape: 'line' };
const CAPACITY: LegendItem = { words: 'capacity', color: 'var(--text)', shape: 'dotted' };
const ACCENT = 'var(--accent)';

/** Requests of a step as requests a second. */
function rate(of: StormLine['of'], stepSeconds: number): StormLine['of'] {
  return (step) => of(step) / stepSeconds;
}

/** What happened over time, drawn. */
export function stormPlots(id: string, storm: PlottedStorm): readonly Html[] {
  return stormFigures(id, storm).map(figureHtml);
}

function stormFigures(id: string, storm: PlottedStorm): readonly Figure[] {
  const { setting, outcome } = storm;
  const { capacity } = setting.service;
  const { requests } = outcome;
  const { stepSeconds } = outcome;
  return [
    figureOf(`${id}-sent`, 'Requests sent', '/s', storm, {
      lines: [
        { item: SENT, of: rate(({ sent }) => sent, stepSeconds) },
        { item: RETURNING, of: rate(({ returning }) => returning, stepSeconds) },
      ],
      bound: capacity,
      caption: `${requests.sent} sent; capacity ${rateText(capacity)}`,
    }),
    figureOf(`${id}-goodput`, 'Goodput', '/s', storm, {
      lines: [
        { item: GRANTED, of: rate(({ granted }) => granted, stepSeconds) },
        { item: FAILED, of: rate(({ failed }) => failed, stepSeconds) },
      ],
      bound: capacity,
      caption: `${requests.granted} granted, ${requests.refused} refused, ${requests.dropped} dropped, ${requests.late} answered too late`,
    }),
    figureOf(`${id}-waiting`, 'Clients that want more', '', storm, {
      lines: [{ item: { words: 'clients', color: ACCENT, shape: 'line' }, of: ({ waiting }) => waiting }],
      bound: null,
      caption: `all served after ${secondsText(outcome.drainSeconds)}; half after ${secondsText(outcome.servedBy.p50)}`,
    }),
    figureOf(`${id}-peak`, 'Most requests in 100 ms', '', storm, {
      lines: [{ item: { words: 'in 100 ms', color: ACCENT, shape: 'line' }, of: ({ peak }) => peak }],
      bound: capacity / 10,
      caption: `first wave ${peakLine(outcome.firstPeak, setting)}; after it ${peakLine(outcome.returningPeak, setting)}`,
    }),
    ...(storm.measured === undefined
      ? [
          figureOf(`${id}-wait`, 'Longest wait for a worker', 's', storm, {
            lines: [
              { item: { words: 'wait', color: ACCENT, shape: 'line' }, of: ({ longestWait }) => longestWait },
            ],
            bound: setting.longestWait,
            caption: `${figure(outcome.longestWait.first)} s in the first wave, ${figure(outcome.longestWait.returning)} s after it; ${figure(setting.longestWait)} s is kept to`,
          }),
        ]
      : []),
  ];
}

function figureOf(
  id: string,
  title: string,
  unit: string,
  { outcome, measured }: PlottedStorm,
  {
    lines,
    bound,
    caption,
  }: { readonly lines: readonly StormLine[]; readonly bound: number | null; readonly caption: string },
): Figure {
  const ends = [outcome, ...(measured === undefined ? [] : [measured])].map(
    ({ steps, stepSeconds }) => steps.length * stepSeconds,
  );
  const end = Math.max(...ends);
  const predicted = lines.map(({ item, of }) =>
    lineSeries(
      measured === undefined ? item : { ...item, words: `${item.words}, predicted` },
      points(outcome, of),
    ),
  );
  const seen = (measured === undefined ? [] : lines).map(({ item, of }) => measuredLine(item, of));
  return {
    id,
    title,
    height: HEIGHT,
    legend: [
      ...lines.map(({ item }) =>
        measured === undefined ? item : { ...item, words: `${item.words}, predicted` },
      ),
      ...seen.map(({ item }) => item),
      ...(bound === null ? [] : [{ ...CAPACITY, words: unit === 's' ? 'kept to' : CAPACITY.words }]),
    ],
    option: {
      grid: CHART_GRID,
      xAxis: { ...level('seconds'), min: 0, max: end },
      yAxis: upright(unit),
      series: [
        ...predicted,
        ...seen.map(({ item, of }) => lineSeries(item, measured === undefined ? [] : points(measured, of))),
        ...(bound === null
          ? []
          : [
              lineSeries(CAPACITY, [
                [0, bound],
                [end, bound],
              ]),
            ]),
      ],
    },
    caption,
  };
}

function measuredLine(item: LegendItem, of: StormLine['of']): StormLine {
  return { item: { ...item, words: `${item.words}, measured`, shape: 'dashed' }, of };
}

function points(
  { steps, stepSeconds }: StormOutcome,
  of: (step: StormStep) => number,
): readonly (readonly [number, number])[] {
  return steps.map((step) => [step.second + stepSeconds / 2, of(step)]);
}
