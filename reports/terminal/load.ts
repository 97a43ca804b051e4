import type { BaselineRow, LoadMeasurement, LoadScenarioResult } from '../../contract/load-result.ts';
import {
  changeText,
  JUDGEMENT_OUTCOME,
  JUDGEMENT_WORDS,
  measuredLines,
  measuredText,
  measureText,
  rateText,
  roundText,
  tracedText,
} from '../model/load.ts';
import type { LoadReport } from '../model/report.ts';
import { printableLine } from '../model/words.ts';
import { signOf, type Style } from './style.ts';

/** Longest reason, note and finding shown, in characters. */
const TEXT_LIMIT = 600;

/** Findings and notes shown of a scenario before the rest is counted. */
const LINES_SHOWN = 3;

/** A block for each scenario: its figures, the thresholds that did not hold, and why figures are not valid. */
export function loadBlocks({ scenarios }: LoadReport, style: Style): readonly string[] {
  return scenarios.map((scenario) => {
    const { id, title, outcome, reason, measurements, capacity } = scenario;
    const invalid = new Set(measurements.flatMap((measurement) => measurement.invalid));
    // The reason is often the one that makes the figures invalid.
    const why = reason === null || invalid.has(reason) ? [] : [reason];
    return [
      `${signOf(outcome, style)} ${style('bold', printableLine(id))} ${printableLine(title)}`,
      ...(capacity === null ? [] : [`  capacity ${style('bold', rateText(capacity))}`]),
      ...measurements.flatMap((measurement, index) =>
        measurementLines(measurement, roundText(scenario, index), style),
      ),
      ...why.map((text) => `  ${signOf(outcome, style)} ${printableLine(text, TEXT_LIMIT)}`),
      ...thresholdLines(scenario, style),
      ...limitLines(scenario, style),
      ...shownLines(scenario.findings.map(({ message }) => `${signOf('fail', style)} ${line(message)}`)),
      ...shownLines(scenario.notes.map(line)),
    ].join('\n');
  });
}

function line(text: string): string {
  return printableLine(text, TEXT_LIMIT);
}

function shownLines(lines: readonly string[]): readonly string[] {
  const hidden = lines.length - LINES_SHOWN;
  return [
    ...lines.slice(0, LINES_SHOWN).map((text) => `  ${text}`),
    ...(hidden > 0 ? [`  and ${hidden} more`] : []),
  ];
}

function measurementLines(measurement: LoadMeasurement, round: string, style: Style): readonly string[] {
  const { invalid } = measurement;
  const indent = round === '' ? '  ' : '    ';
  return [
    ...(round === '' ? [] : [`  ${style('dim', round)}`]),
    ...[...measuredLines(measurement), ...traceLines(measurement)].map((text) => `${indent}${text}`),
    ...invalid.map((reason) => `${indent}${signOf('inconclusive', style)} not valid: ${line(reason)}`),
  ];
}

/** Requests shown of the slowest and of those that failed. */
const TRACES_SHOWN = 3;

function traceLines({ traces }: LoadMeasurement): readonly string[] {
  return traces === undefined
    ? []
    : [
        ...traces.slowest.slice(0, TRACES_SHOWN).map((one) => `slow: ${line(tracedText(one))}`),
        ...traces.failed.slice(0, TRACES_SHOWN).map((one) => `failed: ${line(tracedText(one))}`),
      ];
}

function thresholdLines({ thresholds }: LoadScenarioResult, style: Style): readonly string[] {
  return thresholds
    .filter(({ outcome }) => outcome === 'fail' || outcome === 'inconclusive')
    .map((threshold) => {
      const { expression, outcome } = threshold;
      const measured = measuredText(threshold);
      const words = outcome === 'fail' ? 'crossed' : 'not decided';
      const value = measured === '' ? '' : `, measured ${line(measured)}`;
      return `  ${signOf(outcome, style)} ${line(expression)}: ${words}${value}`;
    });
}

/** Windows in which more was accepted than the limit grants. */
function limitLines({ windows }: LoadScenarioResult, style: Style): readonly string[] {
  return shownLines(
    windows
      .filter(({ accepted, limit }) => accepted > limit)
      .map(
        ({ key, window, accepted, limit }) =>
          `${signOf('fail', style)} ${line(key)}: ${accepted} of ${limit} accepted in a ${window}`,
      ),
  );
}

/** Each measure next to that of the earlier report. */
export function baselineRowText(row: BaselineRow, style: Style): string {
  const { scenario, measure, unit, before, after, judgement } = row;
  const values = `${measureText(before, unit)} to ${measureText(after, unit)}`;
  const sign = signOf(JUDGEMENT_OUTCOME[judgement], style);
  return `${sign} ${line(scenario)} ${line(measure)}: ${values}, ${changeText(row)}: ${JUDGEMENT_WORDS[judgement]}`;
}
