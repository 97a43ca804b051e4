import type { Report } from '../model/report.ts';
import { requirementSuites } from './requirements.ts';
import { loadSuites, scenarioSuite } from './scenarios.ts';
import type { TestCase, TestSuite } from './test-case.ts';

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
    case 'load': {
      // Most requirements are not judged under load.
      const requirements = report.requirements.filter(({ outcome }) => outcome !== 'skipped');
      return [...loadSuites(report), ...requirementSuites({ ...report, requirements })];
    }
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
