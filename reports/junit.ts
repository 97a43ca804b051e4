import { create } from 'xmlbuilder2';
import type { XMLBuilder } from 'xmlbuilder2/lib/interfaces.js';
import type { Finding } from '../contract/verdict.ts';
import { requestText, responseText } from './exchange-text.ts';
import { observationText } from './observation-text.ts';
import { printableBlock, printableLine } from './printable.ts';
import { groupByArea, isBinding, reasonOf, type Report, type ReportedRequirement } from './report.ts';

/** Longest body shown of a request or a response, in characters. */
const BODY_LIMIT = 4000;

/** How a CI server is to count a requirement. */
type Status = 'passed' | 'failure' | 'error' | 'skipped';

interface TestCase {
  readonly requirement: ReportedRequirement;
  readonly status: Status;
  readonly seconds: number;
}

/**
 * The report as JUnit XML: a suite per area, a case per requirement. Only what decides the verdict is a
 * failure or an error; a failure that a baseline foresaw is skipped, other findings stand in system-out.
 */
export function renderJUnit(report: Report): string {
  const seconds = secondsByRequirement(report);
  const suites = groupByArea(report.requirements).map(([area, requirements]) => ({
    area,
    cases: requirements.map((requirement) => ({
      requirement,
      status: statusOf(report, requirement),
      seconds: seconds.get(requirement.id) ?? 0,
    })),
  }));
  const document = create({ version: '1.0', encoding: 'UTF-8' });
  const root = document.ele('testsuites', {
    name: 'stockcheck',
    ...totals(suites.flatMap(({ cases }) => cases)),
  });
  for (const { area, cases } of suites) {
    const suite = root.ele('testsuite', {
      name: `stockcheck.${printableLine(area)}`,
      ...totals(cases),
      timestamp: report.startedAt,
    });
    addProperties(suite, report);
    for (const testCase of cases) {
      addTestCase(suite, report, area, testCase);
    }
  }
  return `${document.end({ prettyPrint: true })}\n`;
}

function statusOf(report: Report, requirement: ReportedRequirement): Status {
  switch (requirement.outcome) {
    case 'fail':
      if (requirement.expectedFailure === true) {
        return 'skipped';
      }
      return isBinding(report, requirement) ? 'failure' : 'passed';
    case 'inconclusive':
      return isBinding(report, requirement) ? 'error' : 'skipped';
    case 'skipped':
      return 'skipped';
    default:
      return 'passed';
  }
}

/** A check's time is shared among the requirements that it judged, so that the sum stays true. */
function secondsByRequirement({ checks, requirements }: Report): ReadonlyMap<string, number> {
  const judged = Map.groupBy(
    requirements.flatMap(({ checks }) => checks),
    (id) => id,
  );
  const shares = new Map(
    checks.map(({ id, durationSeconds }) => [id, durationSeconds / (judged.get(id)?.length ?? 1)]),
  );
  return new Map(
    requirements.map(({ id, checks }) => [
      id,
      checks.reduce((sum, check) => sum + (shares.get(check) ?? 0), 0),
    ]),
  );
}

function totals(cases: readonly TestCase[]): Record<string, string> {
  const count = (status: Status): string => `${cases.filter((one) => one.status === status).length}`;
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
    target: report.target.url,
    profile: report.profile,
    level: report.level,
    version: report.suite.version,
  };
  for (const [name, value] of Object.entries(values)) {
    properties.ele('property', { name, value: printableLine(value) });
  }
}

function addTestCase(
  suite: XMLBuilder,
  report: Report,
  area: string,
  { requirement, status, seconds }: TestCase,
): void {
  const { id, title, level, clause } = requirement;
  const testCase = suite.ele('testcase', {
    name: printableLine(`${id}: ${title}`),
    classname: `stockcheck.${printableLine(area)}`,
    time: seconds.toFixed(3),
  });
  const evidence = requirement.findings.map(findingText).join('\n\n');
  switch (status) {
    case 'failure':
      testCase
        .ele('failure', { message: messageOf(requirement), type: `${level}: ${printableLine(clause)}` })
        .txt(evidence);
      return;
    case 'error':
      testCase
        .ele('error', { message: printableLine(reasonOf(requirement)), type: 'inconclusive' })
        .txt(evidence);
      return;
    case 'skipped':
      testCase.ele('skipped', { message: skippedMessage(requirement) });
      addOutput(testCase, evidence);
      return;
    case 'passed': {
      const observation = report.observations[id];
      const observed = observation === undefined ? '' : `observed: ${observationText(observation)}`;
      const advice = requirement.outcome === 'fail' ? `${level} not met: ${messageOf(requirement)}` : '';
      addOutput(testCase, [observed, advice, evidence].filter((part) => part !== '').join('\n\n'));
    }
  }
}

function addOutput(testCase: XMLBuilder, text: string): void {
  if (text !== '') {
    testCase.ele('system-out').txt(text);
  }
}

function messageOf({ findings, title }: ReportedRequirement): string {
  const more = findings.length > 1 ? ` (and ${findings.length - 1} more)` : '';
  return `${printableLine(findings[0]?.message ?? title)}${more}`;
}

function skippedMessage(requirement: ReportedRequirement): string {
  switch (requirement.outcome) {
    case 'fail':
      return `expected failure: ${messageOf(requirement)}`;
    case 'inconclusive':
      return `inconclusive: ${printableLine(reasonOf(requirement))}`;
    default:
      return printableLine(reasonOf(requirement));
  }
}

function findingText({ message, exchange, curl }: Finding): string {
  return [
    printableBlock(message),
    ...(curl === undefined ? [] : [printableLine(curl, BODY_LIMIT)]),
    ...(exchange === undefined
      ? []
      : [requestText(exchange, BODY_LIMIT), responseText(exchange, BODY_LIMIT)]),
  ].join('\n\n');
}
