import type { LoadScenarioResult } from '../../contract/load-result.ts';
import {
  baselineTable,
  capacityTable,
  countsText,
  lossText,
  machineText,
  parametersText,
  ratesText,
  roundText,
  SCENARIO_COLUMNS,
  scenarioFigures,
  thresholdTable,
  timesByAnswer,
  timeText,
  tracedText,
  windowTable,
} from '../model/load.ts';
import type { LoadReport } from '../model/report.ts';
import { OUTCOME_SIGN } from '../model/requirement-groups.ts';
import { commandText, paragraphs, printableLine } from '../model/words.ts';
import { bullets, collapsed, markdownText, tableText } from './text.ts';

/** Scenarios, and findings of each, that are shown; report.json has all. */
const SCENARIOS_SHOWN = 40;
const FINDINGS_SHOWN = 5;

/** The machine and the command line, if the report has them. */
export function environmentText({ environment }: LoadReport): string {
  return environment === undefined
    ? ''
    : markdownText(`Made on ${machineText(environment)}, by ${commandText(environment.command)}`);
}

/** A table of the scenarios, then each with its thresholds, its figures and its limits. */
export function loadScenariosText({ scenarios }: LoadReport): string {
  const table = tableText({
    caption: 'Scenarios',
    columns: ['Outcome', 'Scenario', ...SCENARIO_COLUMNS, 'Why'],
    rows: scenarios.map((scenario) => {
      const { id, title, outcome, reason } = scenario;
      return [{ outcome, words: outcome }, `${id}: ${title}`, ...scenarioFigures(scenario), reason ?? ''];
    }),
  });
  const shown = scenarios.filter(({ outcome }) => outcome !== 'skipped').slice(0, SCENARIOS_SHOWN);
  return paragraphs([table, ...shown.map(scenarioText)]);
}

function scenarioText(scenario: LoadScenarioResult): string {
  const { id, title, outcome, findings, measurements, notes } = scenario;
  const parameters = parametersText(scenario);
  const invalid = measurements.flatMap((measurement) => measurement.invalid);
  const hidden = findings.length - FINDINGS_SHOWN;
  const parts = [
    parameters === '' ? '' : `Parameters: ${markdownText(parameters)}`,
    tableText(thresholdTable(scenario)),
    bullets(invalid.map((reason) => `These figures are not valid: ${reason}`)),
    bullets(findings.slice(0, FINDINGS_SHOWN).map(({ message }) => `${OUTCOME_SIGN.fail} ${message}`)),
    hidden > 0 ? `and ${hidden} more findings in report.json` : '',
    bullets(notes),
    measurementsText(scenario),
    tracesText(scenario),
    tableText(capacityTable(scenario)),
    tableText(windowTable(scenario)),
  ];
  return collapsed(
    `${OUTCOME_SIGN[outcome]} ${printableLine(id)}: ${printableLine(title)}`,
    paragraphs(parts),
  );
}

function measurementsText(scenario: LoadScenarioResult): string {
  const rows = scenario.measurements.flatMap((measurement, index) => {
    const times = [
      ['response time', measurement.responseTime],
      ...timesByAnswer(measurement),
      ['service time', measurement.serviceTime],
    ] as const;
    const ends = [ratesText(measurement), countsText(measurement.statuses), lossText(measurement)];
    return times.map(([name, { p50, p90, p99, p999, max }], row) =>
      [`${roundText(scenario, index)} ${name}`.trim()].concat(
        [p50, p90, p99, p999, max].map(timeText),
        row === 0 ? ends : ['', '', ''],
      ),
    );
  });
  const columns = ['Time', 'p50', 'p90', 'p99', 'p99.9', 'max', 'Rate', 'Answers', 'Loss'];
  return tableText({ caption: 'Measured', columns, rows });
}

function tracesText({ measurements }: LoadScenarioResult): string {
  return bullets(
    measurements.flatMap(({ traces }) => [
      ...(traces?.slowest ?? []).map((one) => `slow: ${tracedText(one)}`),
      ...(traces?.failed ?? []).map((one) => `failed: ${tracedText(one)}`),
    ]),
  );
}

/** Each measure next to that of the earlier report, in a table. */
export function comparisonText({ comparison }: LoadReport): string {
  if (comparison === null) {
    return '';
  }
  const { file, startedAt } = comparison;
  const table = tableText(baselineTable(comparison));
  return paragraphs([
    `With ${markdownText(file)}, started ${markdownText(startedAt)}; changes with their 95 % confidence bounds.`,
    table === '' ? 'The reports have no measure in common.' : table,
  ]);
}
