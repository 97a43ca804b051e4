import type { LoadScenarioResult, LoadThreshold } from '../../contract/load-result.ts';
import { behaviourBlocks } from '../document/certify.ts';
import * as doc from '../document/document.ts';
import { scenarioSection } from '../document/load.ts';
import { measuredText } from '../model/load.ts';
import type { CertifyReport, LoadReport, Report, ReportedScenario } from '../model/report.ts';
import { paragraphs, printableLine } from '../model/words.ts';
import { blocksText } from '../terminal/document.ts';
import {
  findingText,
  requirementSuites,
  type TestCase,
  type TestResult,
  type TestSuite,
} from './requirements.ts';

/**
 * The report as suites of test cases: a suite for each area, and a case for each requirement; of a client one more
 * suite with a case for each scenario; of load a suite for each scenario. The times add up to that of the run.
 */
export function testSuites(report: Report): readonly TestSuite[] {
  return sharedOut(suitesOf(report), report.durationSeconds);
}

function suitesOf(report: Report): readonly TestSuite[] {
  switch (report.kind) {
    case 'verify':
      return requirementSuites(report);
    case 'certify':
      return [...requirementSuites(report), scenarioSuite(report)];
    case 'load':
      return [...loadSuites(report), ...requirementSuites(report)];
  }
}

/** The time of the run, shared among the cases so that their times add up to it, to the millisecond. */
function sharedOut(suites: readonly TestSuite[], durationSeconds: number): readonly TestSuite[] {
  const cases = suites.flatMap((suite) => suite.cases);
  const weightOf = cases.some(({ seconds }) => seconds > 0)
    ? ({ seconds }: TestCase): number => seconds
    : (): number => 1;
  const whole = cases.reduce((sum, one) => sum + weightOf(one), 0);
  const milliseconds = Math.round(durationSeconds * 1000);
  let weight = 0;
  let given = 0;
  const share = (one: TestCase): TestCase => {
    weight += weightOf(one);
    const until = Math.round((weight / whole) * milliseconds);
    const own = until - given;
    given = until;
    return { ...one, seconds: own / 1000 };
  };
  return suites.map((suite) => ({ ...suite, cases: suite.cases.map(share) }));
}

/** Requests of a scenario, and characters of what its client wrote, that are shown; report.json has all. */
const IN_CASES = { requests: 40, characters: 4000 };

/** A case per scenario, with its requests and the client's output. */
function scenarioSuite(report: CertifyReport): TestSuite {
  return {
    name: 'stockcheck.scenarios',
    cases: report.scenarios.map((scenario) => ({
      name: printableLine(`${scenario.id}: ${scenario.title}`),
      seconds: scenario.durationSeconds,
      result: playedResult(scenario),
    })),
  };
}

/** Another scenario may decide what one leaves open, so only the requirements are errors. */
function playedResult(scenario: ReportedScenario): TestResult {
  const { outcome, failures, ending } = scenario;
  const text = blocksText([doc.line(scenario.task), ...behaviourBlocks(scenario, IN_CASES)]);
  switch (outcome) {
    case 'fail': {
      const more = failures.length > 1 ? ` (and ${failures.length - 1} more)` : '';
      const message = `${printableLine(failures[0] ?? ending)}${more}`;
      return { status: 'failure', message, type: 'scenario', text };
    }
    case 'inconclusive':
    case 'skipped':
      return { status: 'skipped', message: `${outcome}: ${printableLine(ending)}`, text };
    default:
      return { status: 'passed', text };
  }
}

/** A suite per scenario: a case for each threshold, and one for whether the specification was kept. */
function loadSuites({ scenarios }: LoadReport): readonly TestSuite[] {
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
  const text = blocksText([scenarioSection(scenario)]);
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
  const text = thresholds.length === 0 ? blocksText([scenarioSection(scenario)]) : '';
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
