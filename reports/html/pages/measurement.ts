import type { LatencySummary, LoadMeasurement, LoadScenarioResult } from '../../../contract/load-result.ts';
import {
  countsText,
  endsText,
  percentilesText,
  ratesText,
  rateText,
  roundText,
  timesByAnswer,
  timeText,
} from '../../model/load.ts';
import type { Cell } from '../../model/table.ts';
import { aboutHtml, anchor, figureTableHtml, foldedHtml, listHtml, NO_HTML } from '../parts.ts';
import { figuresHtml } from '../plots/figure.ts';
import { percentileFigure, rateFigure, responseTimeFigure, statusFigure } from '../plots/load-plots.ts';
import { thinSeconds, wholeSeconds, type LoadStep } from '../plots/thin-seconds.ts';
import { html, type Html } from '../template.ts';

/** Points of a plot over time, and rows of its table. */
const STEPS_SHOWN = 90;

/** One round: its figures, its plots, and its seconds, folded away. Rounds after the first are folded away too. */
export function measurementHtml(scenario: LoadScenarioResult, index: number): Html {
  const measurement = scenario.measurements[index];
  if (measurement === undefined) {
    return NO_HTML;
  }
  const body = bodyHtml(measurement, anchor('plot', `${scenario.id}-${index + 1}`));
  const round = roundText(scenario, index);
  return index === 0
    ? html`<h3>${round === '' ? 'Measured' : round}</h3>
        ${body}`
    : foldedHtml(
        `${round}: ${ratesText(measurement)}; ${percentilesText(measurement.responseTime)}`,
        body,
        'round',
      );
}

function bodyHtml(measurement: LoadMeasurement, id: string): Html {
  const { model, durationSeconds, seconds, invalid } = measurement;
  const drawn = wholeSeconds(measurement);
  const steps = thinSeconds(drawn, STEPS_SHOWN);
  const figures = [
    ...(steps.length === 0 ? [] : [responseTimeFigure(`${id}-time`, steps)]),
    ...(measurement.percentiles.length === 0 ? [] : [percentileFigure(`${id}-percentile`, measurement)]),
    ...(steps.length === 0
      ? []
      : [rateFigure(`${id}-rate`, measurement, steps), statusFigure(`${id}-status`, measurement, steps)]),
  ];
  return html`<p>
      ${model === 'open' ? 'Open' : 'Closed'} model, ${durationSeconds.toFixed(1)} s:
      ${ratesText(measurement)}. ${endsText(measurement)}.
    </p>
    ${
      invalid.length === 0
        ? NO_HTML
        : html`<div class="box inconclusive"><b>These figures are not valid:</b> ${listHtml(invalid)}</div>`
    }
    ${latencyHtml(measurement)} ${operationsHtml(measurement)} ${tracesHtml(measurement)}
    ${figuresHtml(figures)}
    ${aboutHtml(drawn.length === seconds.length ? undefined : 'Plots over time end with the last whole second.')}
    ${stepsHtml(thinSeconds(seconds, STEPS_SHOWN))}`;
}

const LATENCY_COLUMNS = ['Count', 'min', 'mean', 'p50', 'p90', 'p95', 'p99', 'p99.9', 'max'] as const;

function latencyCells(of: Cell, summary: LatencySummary): readonly Cell[] {
  const { count, min, mean, p50, p90, p95, p99, p999, max } = summary;
  return [of, count, ...[min, mean, p50, p90, p95, p99, p999, max].map(timeText)];
}

function latencyHtml(measurement: LoadMeasurement): Html {
  const { model, responseTime, serviceTime, generatorLag } = measurement;
  const from = model === 'open' ? 'from when it was due' : 'from sending';
  const times = [
    [`Response time, ${from}`, responseTime],
    ...timesByAnswer(measurement),
    ['Service time, from sending', serviceTime],
    ['Lag of the generator', generatorLag],
  ] as const;
  const rows = times.map(([name, summary]) => latencyCells(name, summary));
  return figureTableHtml({ caption: 'Latency', columns: ['Time', ...LATENCY_COLUMNS], rows });
}

function operationsHtml({ operations }: LoadMeasurement): Html {
  return figureTableHtml({
    caption: 'Latency by operation',
    columns: ['Operation', ...LATENCY_COLUMNS, 'Answers'],
    rows: operations.map(({ name, statuses, responseTime }) => [
      ...latencyCells({ code: name }, responseTime),
      countsText(statuses),
    ]),
  });
}

/** What can be looked up in a tracing system. */
function tracesHtml({ traces }: LoadMeasurement): Html {
  const looked = [
    ...(traces?.slowest ?? []).map((request) => ['slow', request] as const),
    ...(traces?.failed ?? []).map((request) => ['failed', request] as const),
  ];
  return figureTableHtml({
    caption: 'Requests to look up by their trace',
    columns: ['Trace', 'Why', 'Operation', 'Answer', 'Time', 'Due at'],
    rows: looked.map(([why, { traceId, operation, status, cause, milliseconds, atSeconds }]) => [
      { code: traceId },
      why,
      { code: operation },
      status === null ? (cause ?? '') : `${status}`,
      timeText(milliseconds),
      `${atSeconds.toFixed(1)} s`,
    ]),
  });
}

/** The figures of the plots over time. */
function stepsHtml(steps: readonly LoadStep[]): Html {
  const length = steps[0]?.length ?? 1;
  const classes = [...new Set(steps.flatMap(({ statuses }) => Object.keys(statuses)))].toSorted();
  const table = figureTableHtml({
    caption: 'Second by second',
    columns: ['Second', 'Due', 'Answered', ...classes, 'Lost', 'p50', 'p99', 'max'],
    rows: steps.map(({ second, scheduled, answered, lost, statuses, p50, p99, max }) => [
      `${second}`,
      rateText(scheduled),
      rateText(answered),
      ...classes.map((name) => rateText(statuses[name] ?? 0)),
      rateText(lost),
      ...[p50, p99, max].map(timeText),
    ]),
  });
  return foldedHtml(length === 1 ? 'Second by second' : `In steps of ${length} s`, table, 'seconds');
}
