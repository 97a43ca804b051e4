import type { LatencySummary, LoadMeasurement, LoadScenarioResult } from '../../../contract/load-result.ts';
import {
  baselineTable,
  capacityTable,
  countsText,
  endsText,
  percentilesText,
  ratesText,
  rateText,
  roundText,
  SCENARIO_COLUMNS,
  scenarioFigures,
  thresholdTable,
  timesByAnswer,
  timeText,
  windowTable,
} from '../../model/load.ts';
import type { LoadReport } from '../../model/report.ts';
import type { Cell } from '../../model/table.ts';
import { countText, printableLine } from '../../model/words.ts';
import { findingHtml } from '../finding.ts';
import {
  aboutHtml,
  anchor,
  badgeHtml,
  codeHtml,
  factsHtml,
  figureTableHtml,
  foldedHtml,
  listHtml,
  moreHtml,
  NO_HTML,
  sectionHtml,
} from '../parts.ts';
import { figuresHtml } from '../plots/figure.ts';
import { capacityFigures, measuredFigures, windowFigure } from '../plots/load-plots.ts';
import { thinSeconds, wholeSeconds, type LoadStep } from '../plots/thin-seconds.ts';
import { reasonsHtml, type OwnSections } from '../requirements.ts';
import { html, type Html } from '../template.ts';

/** What only the page on a target under load has. */
export function loadSections(report: LoadReport): OwnSections {
  const skipped = report.requirements.filter(({ outcome }) => outcome === 'skipped');
  return {
    first: [overviewHtml(report)],
    own: [comparisonHtml(report), ...report.scenarios.map(scenarioHtml)],
    // Most requirements are judged by `verify` only, so they are folded away.
    last: [
      foldedHtml(
        `Requirements that were not judged under load (${skipped.length})`,
        reasonsHtml('Not judged under load', skipped, codeHtml),
        'folded',
      ),
    ],
  };
}

function overviewHtml({ scenarios }: LoadReport): Html {
  const rows = scenarios.map((scenario) => {
    const { id, title, outcome, spent } = scenario;
    const link = html`<a href="#${anchor('scenario', id)}">${printableLine(title)}</a>`;
    return [link, badgeHtml(outcome), ...scenarioFigures(scenario), spent];
  });
  const columns = ['Scenario', 'Outcome', ...SCENARIO_COLUMNS, 'Requests'];
  return sectionHtml('Scenarios', figureTableHtml({ caption: 'Scenarios', columns, rows }));
}

function comparisonHtml({ comparison }: LoadReport): Html {
  if (comparison === null) {
    return NO_HTML;
  }
  const { file, startedAt, rows } = comparison;
  return sectionHtml(
    'Compared with an earlier report',
    html`${aboutHtml(
      `${printableLine(file)}, started ${printableLine(startedAt)}; each change is shown with its 95 % confidence bounds over the rounds of both.`,
    )}
    ${rows.length === 0 ? aboutHtml('The reports have no measure in common.') : figureTableHtml(baselineTable(comparison))}`,
  );
}

/** More findings than this are counted, not shown; report.json has all. */
const FINDINGS_SHOWN = 10;

/** One scenario: what it was run with, what its thresholds said, what was measured, with plots. */
function scenarioHtml(scenario: LoadScenarioResult): Html {
  const { id, title, outcome, reason, notes, spent, announced, durationSeconds, measurements } = scenario;
  return html`<section class="load ${outcome}" id="${anchor('scenario', id)}">
    <h2>${printableLine(title)}</h2>
    <p>
      ${badgeHtml(outcome)}
      <span class="muted"
        >${codeHtml(id)} · ${countText(spent, 'request')} of ${announced} announced ·
        ${durationSeconds.toFixed(1)} s</span
      >
    </p>
    ${reason === null ? NO_HTML : html`<p class="box">${printableLine(reason)}</p>`}
    ${factsHtml(Object.entries(scenario.parameters), 'inline')}
    ${figureTableHtml(thresholdTable(scenario), 'narrow')} ${listHtml(notes)} ${findingsHtml(scenario)}
    ${capacityHtml(scenario)} ${windowsHtml(scenario)}
    ${measurements.map((_, index) => measurementHtml(scenario, index))}
  </section>`;
}

function findingsHtml({ findings }: LoadScenarioResult): Html {
  return findings.length === 0
    ? NO_HTML
    : html`<h3>Violations of the specification (${findings.length})</h3>
        ${findings.slice(0, FINDINGS_SHOWN).map((finding, index) => findingHtml(finding, index === 0))}
        ${moreHtml(findings.length - FINDINGS_SHOWN)}`;
}

function capacityHtml(scenario: LoadScenarioResult): Html {
  const { id, capacity, capacitySteps } = scenario;
  return capacitySteps.length === 0
    ? NO_HTML
    : html`<h3>${capacity === null ? 'No rate met the objective' : `Capacity ${rateText(capacity)}`}</h3>
        ${figuresHtml(anchor('plot-capacity', id), capacityFigures(scenario))}
        ${foldedHtml(`${countText(capacitySteps.length, 'rate')} tried`, figureTableHtml(capacityTable(scenario)))}`;
}

function windowsHtml(scenario: LoadScenarioResult): Html {
  const { id, windows } = scenario;
  return windows.length === 0
    ? NO_HTML
    : html`<h3>Accepted requests by limit</h3>
        ${figuresHtml(anchor('plot-windows', id), [windowFigure(windows)])}
        ${foldedHtml(`${countText(windows.length, 'window')}, exactly`, figureTableHtml(windowTable(scenario)))}`;
}

/** Points of a plot over time, and rows of its table. */
const STEPS_SHOWN = 90;

/** One round: its figures, its plots, and its seconds, folded away. Rounds after the first are folded away too. */
function measurementHtml(scenario: LoadScenarioResult, index: number): Html {
  const measurement = scenario.measurements[index];
  if (measurement === undefined) {
    return NO_HTML;
  }
  const body = measuredHtml(measurement, anchor('plot', `${scenario.id}-${index + 1}`));
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

function measuredHtml(measurement: LoadMeasurement, id: string): Html {
  const { model, durationSeconds, seconds, invalid } = measurement;
  const drawn = wholeSeconds(measurement);
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
    ${figuresHtml(id, measuredFigures(measurement, thinSeconds(drawn, STEPS_SHOWN)))}
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
