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
import { printableLine } from '../../model/words.ts';
import { anchor, NO_HTML, tableHtml } from '../parts.ts';
import { figuresHtml } from '../plots/figure.ts';
import { percentileFigure, rateFigure, responseTimeFigure, statusFigure } from '../plots/load-plots.ts';
import { type LoadStep, thinSeconds, wholeSeconds } from '../plots/thin-seconds.ts';
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
    : html`<details class="round">
        <summary>${round}: ${ratesText(measurement)}; ${percentilesText(measurement.responseTime)}</summary>
        ${body}
      </details>`;
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
    ${invalidHtml(invalid)} ${latencyHtml(measurement)} ${operationsHtml(measurement)}
    ${tracesHtml(measurement)} ${figuresHtml(figures)}
    ${drawn.length === seconds.length ? NO_HTML : html`<p class="hint">Plots over time end with the last whole second.</p>`}
    ${stepsHtml(thinSeconds(seconds, STEPS_SHOWN))}`;
}

function invalidHtml(invalid: readonly string[]): Html {
  return invalid.length === 0
    ? NO_HTML
    : html`<div class="invalid inconclusive">
        <p><b>These figures are not valid:</b></p>
        <ul>
          ${invalid.map((reason) => html`<li>${printableLine(reason)}</li>`)}
        </ul>
      </div>`;
}

const LATENCY_COLUMNS = ['Count', 'min', 'mean', 'p50', 'p90', 'p95', 'p99', 'p99.9', 'max'] as const;

type Cells = readonly (string | number)[];

function latencyCells(summary: LatencySummary, ...before: Cells): Cells {
  const { count, min, mean, p50, p90, p95, p99, p999, max } = summary;
  return [...before, count, ...[min, mean, p50, p90, p95, p99, p999, max].map(timeText)];
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
  const rows = times.map(([name, summary]) => latencyCells(summary, name));
  return html`<div class="figures">${tableHtml('Latency', ['Time', ...LATENCY_COLUMNS], rows)}</div>`;
}

function operationsHtml({ operations }: LoadMeasurement): Html {
  const rows = operations.map(({ name, statuses, responseTime }) => [
    html`<code>${printableLine(name)}</code>`,
    ...latencyCells(responseTime),
    countsText(statuses),
  ]);
  return rows.length === 0
    ? NO_HTML
    : html`<div class="figures">
        ${tableHtml('Latency by operation', ['Operation', ...LATENCY_COLUMNS, 'Answers'], rows)}
      </div>`;
}

/** What can be looked up in a tracing system. */
function tracesHtml({ traces }: LoadMeasurement): Html {
  const rows = (
    [
      ['slow', traces?.slowest],
      ['failed', traces?.failed],
    ] as const
  ).flatMap(([why, requests = []]) =>
    requests.map(({ traceId, operation, status, cause, milliseconds, atSeconds }) => [
      html`<code>${traceId}</code>`,
      why,
      html`<code>${printableLine(operation)}</code>`,
      status === null ? printableLine(cause ?? '') : `${status}`,
      timeText(milliseconds),
      `${atSeconds.toFixed(1)} s`,
    ]),
  );
  return rows.length === 0
    ? NO_HTML
    : html`<div class="figures">
        ${tableHtml('Requests to look up by their trace', ['Trace', 'Why', 'Operation', 'Answer', 'Time', 'Due at'], rows)}
      </div>`;
}

/** The figures of the plots over time. */
function stepsHtml(steps: readonly LoadStep[]): Html {
  const [first] = steps;
  if (first === undefined) {
    return NO_HTML;
  }
  const classes = [...new Set(steps.flatMap(({ statuses }) => Object.keys(statuses)))].toSorted();
  const rows = steps.map(({ second, scheduled, answered, lost, statuses, p50, p99, max }) => [
    `${second}`,
    rateText(scheduled),
    rateText(answered),
    ...classes.map((name) => rateText(statuses[name] ?? 0)),
    rateText(lost),
    timeText(p50),
    timeText(p99),
    timeText(max),
  ]);
  const columns = ['Second', 'Due', 'Answered', ...classes, 'Lost', 'p50', 'p99', 'max'];
  return html`<details class="seconds">
    <summary>${first.length === 1 ? 'Second by second' : `In steps of ${first.length} s`}</summary>
    <div class="figures">
      ${tableHtml(
        'Second by second',
        columns.map((column) => printableLine(column)),
        rows,
      )}
    </div>
  </details>`;
}
