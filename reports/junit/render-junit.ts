import { create } from 'xmlbuilder2';
import type { XMLBuilder } from 'xmlbuilder2/lib/interfaces.js';
import { machineText } from '../model/load.ts';
import type { Report } from '../model/report.ts';
import { subjectText } from '../model/run.ts';
import { commandText, printableLine } from '../model/words.ts';
import type { TestCase } from './requirements.ts';
import { testSuites } from './test-suites.ts';

/**
 * The report as JUnit XML: a suite per area, a case per requirement; of a client one more suite with a case per
 * scenario; of load a suite per scenario with a case per threshold, and the requirements that were judged. Only what decides the verdict is a failure or an error. A failure that the baseline expects is skipped;
 * other findings are in system-out.
 */
export function renderJUnit(report: Report): string {
  const suites = testSuites(report);
  const document = create({ version: '1.0', encoding: 'UTF-8' });
  const root = document.ele('testsuites', {
    name: 'stockcheck',
    ...totals(suites.flatMap(({ cases }) => cases)),
  });
  for (const { name, cases } of suites) {
    const suite = root.ele('testsuite', { name, ...totals(cases), timestamp: report.startedAt });
    addProperties(suite, report);
    for (const testCase of cases) {
      addTestCase(suite, name, testCase);
    }
  }
  return `${document.end({ prettyPrint: true })}\n`;
}

function totals(cases: readonly TestCase[]): Record<string, string> {
  const count = (status: TestCase['result']['status']): string =>
    `${cases.filter(({ result }) => result.status === status).length}`;
  return {
    tests: `${cases.length}`,
    failures: count('failure'),
    errors: count('error'),
    skipped: count('skipped'),
    time: cases.reduce((sum, { seconds }) => sum + seconds, 0).toFixed(3),
  };
}

function addProperties(suite: XMLBuilder, report: Report): void {
  const properties = suite.ele('properties');
  const values = {
    verdict: report.verdict,
    scope: report.scope,
    target: subjectText(report),
    profile: report.profile,
    level: report.level,
    version: report.suite.version,
    ...(report.kind === 'load' && report.environment !== undefined
      ? { machine: machineText(report.environment), command: commandText(report.environment.command) }
      : {}),
  };
  for (const [name, value] of Object.entries(values)) {
    properties.ele('property', { name, value: printableLine(value) });
  }
}

function addTestCase(suite: XMLBuilder, classname: string, { name, seconds, result }: TestCase): void {
  const testCase = suite.ele('testcase', { name, classname, time: seconds.toFixed(3) });
  switch (result.status) {
    case 'failure':
    case 'error':
      testCase.ele(result.status, { message: result.message, type: result.type }).txt(result.text);
      return;
    case 'skipped':
      testCase.ele('skipped', { message: result.message });
      addOutput(testCase, result.text);
      return;
    case 'passed':
      addOutput(testCase, result.text);
  }
}

function addOutput(testCase: XMLBuilder, text: string): void {
  if (text !== '') {
    testCase.ele('system-out').txt(text);
  }
}
