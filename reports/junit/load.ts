import type { LoadScenarioResult, LoadThreshold } from '../../contract/load-result.ts';
import { measuredLines, measuredText, parametersText, rateText, roundText } from '../model/load.ts';
import type { LoadReport } from '../model/report.ts';
import { paragraphs, printableLine } from '../model/words.ts';
import { findingText } from './requirements.ts';
import type { TestCase, TestResult, TestSuite } from './test-case.ts';

/** A suite per scenario: a case for each threshold, and one for whether the specification was kept. */
export function loadSuites({ scenarios }: LoadReport): readonly TestSuite[] {
  return scenarios.map((scenario) => {
    const results = [
      ...scenario.thresholds.map((one) => thresholdCase(scenario, one)),
      specificationCase(scenario),
    ];
    // Shared, so that the sum stays right.
    const seconds = scenario.durationSeconds / results.length;
    return {
      name: `stockcheck.load.${printableLine(scenario.id)}`,
      cases: results.map(([name, result]): TestCase => ({ name, seconds, result })),
    };
  });
}

type Named = readonly [name: string, result: TestResult];

function thresholdCase(scenario: LoadScenarioResult, threshold: LoadThreshold): Named {
  const { expression, outcome, value } = threshold;
  const name = printableLine(expression);
  const measured =
    value === null ? 'nothing was measured' : `measured ${printableLine(measuredText(threshold))}`;
  const text = scenarioText(scenario);
  switch (outcome) {
    case 'pass':
      return [name, { status: 'passed', text: paragraphs([`${name}: ${measured}`, text]) }];
    case 'fail':
      return [name, { status: 'failure', message: `${name}: ${measured}`, type: 'threshold', text }];
    case 'inconclusive':
      return [name, { status: 'error', message: reasonText(scenario), type: 'inconclusive', text }];
    case 'skipped':
      return [name, { status: 'skipped', message: reasonText(scenario), text }];
  }
}

/** Without a threshold, this case also says that nothing could be decided. */
function specificationCase(scenario: LoadScenarioResult): Named {
  const { findings, outcome, thresholds, spent } = scenario;
  const name = 'conforms to the specification';
  const [first] = findings;
  if (first !== undefined) {
    const more = findings.length > 1 ? ` (and ${findings.length - 1} more)` : '';
    const text = paragraphs(findings.map(findingText));
    const message = `${printableLine(first.message)}${more}`;
    return [name, { status: 'failure', message, type: 'specification', text }];
  }
  const text = thresholds.length === 0 ? scenarioText(scenario) : '';
  const isSaid = thresholds.some((threshold) => threshold.outcome === 'inconclusive');
  if (outcome === 'inconclusive' && !isSaid) {
    return [name, { status: 'error', message: reasonText(scenario), type: 'inconclusive', text }];
  }
  return outcome === 'skipped' || spent === 0
    ? [name, { status: 'skipped', message: reasonText(scenario), text }]
    : [name, { status: 'passed', text }];
}

function reasonText({ reason }: LoadScenarioResult): string {
  return printableLine(reason ?? 'no reason was given');
}

function scenarioText(scenario: LoadScenarioResult): string {
  const { title, measurements, capacity, notes } = scenario;
  const rounds = measurements.map((measurement, index) =>
    [
      roundText(scenario, index),
      ...measuredLines(measurement),
      ...measurement.invalid.map((reason) => `not valid: ${printableLine(reason)}`),
    ]
      .filter((part) => part !== '')
      .join('; '),
  );
  return [
    printableLine(title),
    parametersText(scenario),
    capacity === null ? '' : `capacity ${rateText(capacity)}`,
    ...rounds,
    ...notes.map((note) => printableLine(note)),
  ]
    .filter((part) => part !== '')
    .join('\n');
}
