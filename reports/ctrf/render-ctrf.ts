import type { TestResult } from '../junit/requirements.ts';
import { testSuites } from '../junit/test-suites.ts';
import type { Report } from '../model/report.ts';
import { subjectText } from '../model/run.ts';
import { printableLine } from '../model/words.ts';

/** The status of CTRF for each of ours: what could not be decided has neither passed nor failed. */
const STATUS = { passed: 'passed', failure: 'failed', error: 'other', skipped: 'skipped' } as const;

/** The report in the Common Test Report Format (CTRF), with the test cases of the JUnit report. */
export function renderCtrf(report: Report): string {
  const start = Date.parse(report.startedAt);
  const duration = Math.round(report.durationSeconds * 1000);
  const suites = testSuites(report);
  const tests = suites.flatMap(({ name: suite, cases }) =>
    cases.map(({ name, seconds, result }) => ({
      name,
      status: STATUS[result.status],
      rawStatus: result.status,
      duration: Math.round(seconds * 1000),
      suite: [suite],
      ...wordsOf(result),
    })),
  );
  const count = (status: (typeof STATUS)[keyof typeof STATUS]): number =>
    tests.filter((test) => test.status === status).length;
  const document = {
    reportFormat: 'CTRF',
    specVersion: '0.0.0',
    timestamp: new Date(start + duration).toISOString(),
    generatedBy: `stockcheck ${report.suite.version}`,
    results: {
      tool: { name: 'stockcheck', version: report.suite.version },
      summary: {
        tests: tests.length,
        passed: count('passed'),
        failed: count('failed'),
        pending: 0,
        skipped: count('skipped'),
        other: count('other'),
        suites: suites.length,
        start,
        stop: start + duration,
      },
      tests,
      environment: {
        appName: printableLine(subjectText(report)),
        extra: { verdict: report.verdict, scope: printableLine(report.scope) },
      },
    },
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}

function wordsOf(result: TestResult): { readonly message?: string; readonly trace?: string } {
  const trace = result.text === '' ? {} : { trace: result.text };
  return result.status === 'passed' ? trace : { message: result.message, ...trace };
}
