import type { LatencySummary, LoadScenarioResult } from '../../contract/load-result.ts';
import {
  changeText,
  countsText,
  HELD_WORDS,
  JUDGEMENT_OUTCOME,
  JUDGEMENT_WORDS,
  lossText,
  machineText,
  measuredText,
  measureText,
  parametersText,
  percentText,
  ratesText,
  rateText,
  roundText,
  thresholdsText,
  timesByAnswer,
  timeText,
  tracedText,
} from '../model/load.ts';
import type { LoadReport } from '../model/report.ts';
import { OUTCOME_SIGN } from '../model/requirement-groups.ts';
import { commandText, printableLine } from '../model/words.ts';
import { collapsed, markdownTable, markdownText } from './text.ts';

/** Scenarios, and findings of each, that are shown; report.json has all. */
const SCENARIOS_SHOWN = 40;
const FINDINGS_SHOWN = 5;

/** A table of the scenarios, then each with its thresholds, its figures and its limits. */
export function loadScenariosText({ scenarios }: LoadReport): string {
  if (scenarios.length === 0) {
    return '';
  }
  const rows = scenarios.map((scenario) => {
    const { id, title, outcome, measurements, capacity, reason } = scenario;
    const last = measurements.at(-1);
    return [
      `${OUTCOME_SIGN[outcome]} ${outcome}`,
      markdownText(`${id}: ${title}`),
      thresholdsText(scenario),
      capacity === null ? rateText(last?.goodput ?? null) : `capacity ${rateText(capacity)}`,
      timeText(last?.responseTime.p50 ?? null),
      timeText(last?.responseTime.p99 ?? null),
      markdownText(reason ?? ''),
    ];
  });
  const columns = ['Outcome', 'Scenario', 'Thresholds', 'Answered 2xx', 'p50', 'p99', 'Why'];
  const details = scenarios
    .filter(({ outcome }) => outcome !== 'skipped')
    .slice(0, SCENARIOS_SHOWN)
    .map(scenarioText);
  return [markdownTable(columns, rows), ...details].join('\n\n');
}

/** The machine and the command line, if the report has them. */
export function environmentText({ environment }: LoadReport): readonly string[] {
  return environment === undefined
    ? []
    : [
        `Made on ${markdownText(machineText(environment))}, by ${markdownText(commandText(environment.command))}`,
      ];
}

function tracesText({ measurements }: LoadScenarioResult): string {
  return measurements
    .flatMap(({ traces }) => [
      ...(traces?.slowest ?? []).map((one) => `- slow: ${markdownText(tracedText(one))}`),
      ...(traces?.failed ?? []).map((one) => `- failed: ${markdownText(tracedText(one))}`),
    ])
    .join('\n');
}

function scenarioText(scenario: LoadScenarioResult): string {
  const { id, title, outcome, thresholds, findings, measurements, notes } = scenario;
  const parameters = parametersText(scenario);
  const invalid = measurements.flatMap((measurement) => measurement.invalid);
  const hidden = findings.length - FINDINGS_SHOWN;
  const parts = [
    parameters === '' ? '' : `Parameters: ${markdownText(parameters)}`,
    thresholds.length === 0
      ? ''
      : markdownTable(
          ['Threshold', 'Measured', 'Outcome'],
          thresholds.map((threshold) => [
            markdownText(threshold.expression),
            markdownText(measuredText(threshold)),
            `${OUTCOME_SIGN[threshold.outcome]} ${HELD_WORDS[threshold.outcome]}`,
          ]),
        ),
    invalid.map((reason) => `- These figures are not valid: ${markdownText(reason)}`).join('\n'),
    findings
      .slice(0, FINDINGS_SHOWN)
      .map(({ message }) => `- ${OUTCOME_SIGN.fail} ${markdownText(message)}`)
      .join('\n'),
    hidden > 0 ? `and ${hidden} more findings in report.json` : '',
    notes.map((note) => `- ${markdownText(note)}`).join('\n'),
    measurementsText(scenario),
    tracesText(scenario),
    stepsText(scenario),
    windowsText(scenario),
  ];
  return collapsed(
    `${OUTCOME_SIGN[outcome]} ${printableLine(id)}: ${printableLine(title)}`,
    parts.filter((part) => part !== '').join('\n\n'),
  );
}

function measurementsText(scenario: LoadScenarioResult): string {
  const { measurements } = scenario;
  const columns = ['Time', 'p50', 'p90', 'p99', 'p99.9', 'max', 'Rate', 'Answers', 'Loss'];
  const rows = measurements.flatMap((measurement, index) => {
    const cells = (name: string, { p50, p90, p99, p999, max }: LatencySummary): readonly string[] =>
      [`${roundText(scenario, index)} ${name}`.trim()].concat([p50, p90, p99, p999, max].map(timeText));
    const ends = [
      ratesText(measurement),
      markdownText(countsText(measurement.statuses)),
      markdownText(lossText(measurement)),
    ];
    const others = [...timesByAnswer(measurement), ['service time', measurement.serviceTime] as const];
    return [cells('response time', measurement.responseTime).concat(ends)].concat(
      others.map(([name, times]) => cells(name, times).concat('', '', '')),
    );
  });
  return rows.length === 0 ? '' : markdownTable(columns, rows);
}

function stepsText({ capacitySteps }: LoadScenarioResult): string {
  return capacitySteps.length === 0
    ? ''
    : markdownTable(
        ['Phase', 'Rate due', 'Answered 2xx', 'p99', 'Errors', 'Objective'],
        capacitySteps.map(({ phase, rate, achievedRate, p99, errorShare, held }) => [
          markdownText(phase),
          rateText(rate),
          rateText(achievedRate),
          timeText(p99),
          percentText(errorShare),
          held ? `${OUTCOME_SIGN.pass} held` : `${OUTCOME_SIGN.fail} did not hold`,
        ]),
      );
}

function windowsText({ windows }: LoadScenarioResult): string {
  return windows.length === 0
    ? ''
    : markdownTable(
        ['Key', 'Limit of', 'Limit', 'Sent', 'Accepted', 'Refused', 'Lost'],
        windows.map(({ key, plan, window, limit, sent, accepted, refused, lost }) => [
          markdownText(key),
          `${markdownText(plan)}, ${window}`,
          ...[limit, sent, accepted, refused, lost].map(String),
        ]),
      );
}

/** Each measure next to that of the earlier report, in a table. */
export function comparisonText({ comparison }: LoadReport): string {
  if (comparison === null) {
    return '';
  }
  const { file, startedAt } = comparison;
  const rows = comparison.rows.map((row) => {
    const { scenario, measure, unit, before, after, judgement } = row;
    return [
      markdownText(`${scenario} ${measure}`),
      markdownText(measureText(before, unit)),
      markdownText(measureText(after, unit)),
      changeText(row),
      `${OUTCOME_SIGN[JUDGEMENT_OUTCOME[judgement]]} ${JUDGEMENT_WORDS[judgement]}`,
    ];
  });
  return [
    `With ${markdownText(file)}, started ${markdownText(startedAt)}; changes with their 95 % confidence bounds.`,
    rows.length === 0
      ? 'The reports have no measure in common.'
      : markdownTable(['Measure', 'Before', 'Now', 'Change', 'Judgement'], rows),
  ].join('\n\n');
}
