import { XMLParser, XMLValidator } from 'fast-xml-parser';
import { describe, expect, test } from 'vitest';
import type { Report } from '../model/report.ts';
import { groupByArea } from '../model/requirement-groups.ts';
import { SAMPLE_CERTIFY_REPORT } from '../model/sample-certify-report.test-data.ts';
import { SAMPLE_LOAD_REPORT, SAMPLES } from '../model/sample-load-report.test-data.ts';
import { hostileOf, REPORT_WITH_CAUSES, SAMPLE_REPORT } from '../model/sample-report.test-data.ts';
import { renderJUnit } from './render-junit.ts';
import type { TestCase } from './requirements.ts';
import { testSuites } from './test-suites.ts';

/** What came of the case whose name begins so. */
function resultOf(report: Report, name: string, suite = /(?:)/) {
  const cases = testSuites(report).flatMap((one) => (suite.test(one.name) ? one.cases : []));
  return cases.find((one) => one.name.startsWith(name))?.result;
}

/** How many cases have that status. */
function count(cases: readonly TestCase[], status: TestCase['result']['status']): number {
  return cases.filter(({ result }) => result.status === status).length;
}

const parser = new XMLParser({
  ignoreAttributes: false,
  attributeNamePrefix: '',
  parseTagValue: false,
  trimValues: false,
  isArray: (name) => ['testsuite', 'testcase', 'property'].includes(name),
});

/** What is read of the file: its parts as objects by element, attributes among them. */
function read(report: Report) {
  const xml = renderJUnit(report);
  expect(XMLValidator.validate(xml)).toBe(true);
  return parser.parse(xml).testsuites;
}

/** Names of elements and attributes, without values. */
function shape(value: unknown): unknown {
  return typeof value === 'object' && value !== null
    ? Object.entries(value).map(([name, inner]) => [name, shape(inner)])
    : typeof value;
}

const levelShould: Report = { ...SAMPLE_REPORT, level: 'should' };

test.each([
  ['must', SAMPLE_REPORT, 2],
  ['should', levelShould, 3],
])('the file has suites, cases and totals at both levels, at level %s', (_level, report, failures) => {
  const suites = testSuites(report);
  const cases = suites.flatMap((suite) => suite.cases);
  const root = read(report);
  // Two musts and one should fail unexpectedly, one must is inconclusive, one failure is expected.
  const skipped = report.requirements.filter(({ outcome }) => outcome === 'skipped').length + 1;
  expect(root).toMatchObject({
    tests: `${cases.length}`,
    failures: `${failures}`,
    errors: '1',
    skipped: `${skipped}`,
  });
  expect(root.testsuite).toMatchObject(
    suites.map(({ name, cases: own }) => ({
      name,
      timestamp: report.startedAt,
      tests: `${own.length}`,
      failures: `${count(own, 'failure')}`,
      errors: `${count(own, 'error')}`,
      skipped: `${count(own, 'skipped')}`,
      testcase: own.map((one) => ({ name: one.name, classname: name })),
    })),
  );
});

test('the file has what came of each case, and says what was judged', () => {
  const { testsuite } = read(SAMPLE_CERTIFY_REPORT);
  const [{ properties, testcase }] = testsuite;
  expect(properties.property).toContainEqual({
    name: 'target',
    value: String.raw`node client.js --name 'Anna'\''s client'`,
  });
  const elements = testcase.flatMap((one: Readonly<Record<string, unknown>>) => Object.keys(one));
  expect(elements).toEqual(expect.arrayContaining(['failure', 'error', 'skipped']));
});

test.each(SAMPLES)('the file has the same structure whatever the %s said', (_subject, sample) => {
  const report = hostileOf(sample);
  expect(shape(read(report))).toEqual(shape(read(hostileOf(sample, 'plain'))));
  const xml = renderJUnit(report);
  expect(xml).not.toMatch(/[^\P{Cc}\n]|\p{Noncharacter_Code_Point}/u);
  expect(xml.isWellFormed()).toBe(true);
  expect(xml.length).toBeLessThan(1_000_000);
});

test.each([
  ['an implementation', SAMPLE_REPORT],
  ['an implementation that could not be reached', { ...SAMPLE_REPORT, checks: [] }],
  ['a client', SAMPLE_CERTIFY_REPORT],
  ['a load', SAMPLE_LOAD_REPORT],
])('the times of %s add up to the time of the run, to the millisecond', (_what, report) => {
  const sum = testSuites(report)
    .flatMap(({ cases }) => cases)
    .reduce((all, { seconds }) => all + Math.round(seconds * 1000), 0);
  expect(sum).toBe(Math.round(report.durationSeconds * 1000));
});

/** Seconds of the requirements that a check of the sample judged. */
function shareOf(check: string): number {
  return testSuites(SAMPLE_REPORT)
    .flatMap(({ name, cases }) => (name === `stockcheck.${check}` ? cases : []))
    .reduce((sum, { seconds }) => sum + seconds, 0);
}

test('the time is shared among requirements by the time of their checks', () => {
  // The checks on updates took twice as long as those on the list, and judged more requirements.
  expect(shareOf('update') / shareOf('list')).toBeCloseTo(2, 1);
});

describe('of a target', () => {
  test('there is a suite per area and a case per requirement', () => {
    const areas = groupByArea(SAMPLE_REPORT.requirements);
    expect(testSuites(SAMPLE_REPORT).map(({ name, cases }) => [name, cases.map((one) => one.name)])).toEqual(
      areas.map(([area, group]) => [`stockcheck.${area}`, group.map(({ id, title }) => `${id}: ${title}`)]),
    );
  });

  test('a failure has its message, clause, curl line and exchange', () => {
    const { findings, clause } = SAMPLE_REPORT.requirements.find(({ id }) => id === 'item-pet-id') ?? {};
    const result = resultOf(SAMPLE_REPORT, 'item-pet-id');
    expect(result).toMatchObject({
      status: 'failure',
      message: `${findings?.[0]?.message} Seen in 245 of 3,700 responses, 1 in 15.`,
      type: `must: ${clause}`,
    });
    for (const part of [
      findings?.[0]?.curl,
      findings?.[0]?.repeat,
      '60 × GET /inventory (free#1) → 60 × 200',
      '\n  200 OK\n  Content-Type: application/json\n',
      findings?.[1]?.message,
    ]) {
      expect(result?.text).toContain(part);
    }
    expect(resultOf(REPORT_WITH_CAUSES, 'item-pet-id')).toMatchObject({
      message: expect.stringMatching(/It probably follows from list-succeeds\.$/),
    });
  });

  test.each([
    ['www-authenticate', SAMPLE_REPORT, 'passed', 'A 401 came without WWW-Authenticate.'],
    ['www-authenticate', levelShould, 'failure', 'A 401 came without WWW-Authenticate.'],
    ['limit-renews', SAMPLE_REPORT, 'error', 'A window boundary cut the burst in two'],
    ['revoked-key', SAMPLE_REPORT, 'skipped', 'No revoked key was given.'],
    ['update-exact-pet', SAMPLE_REPORT, 'skipped', 'expected failure: PATCH'],
    ['window-algorithm', SAMPLE_REPORT, 'passed', 'observed: sliding-log'],
  ])('%s counts by what it decides', (id, report, status, said) => {
    const result = resultOf(report, id);
    expect([result?.status, JSON.stringify(result)]).toEqual([status, expect.stringContaining(said)]);
  });
});

describe('of a client', () => {
  test('there is a case per requirement and one per scenario', () => {
    const { requirements, scenarios } = SAMPLE_CERTIFY_REPORT;
    const suites = testSuites(SAMPLE_CERTIFY_REPORT);
    expect(suites.map(({ name, cases }) => [name, cases.length])).toEqual([
      ['stockcheck.client', requirements.length],
      ['stockcheck.scenarios', scenarios.length],
    ]);
    // Two musts fail unexpectedly and one is inconclusive; three scenarios fail.
    const cases = suites.flatMap((suite) => suite.cases);
    expect([count(cases, 'failure'), count(cases, 'error')]).toEqual([5, 1]);
  });

  test.each([
    ['limited-date', 'failure', '1.98 s too early. Read the HTTP-date form'],
    ['refused-key', 'failure', String.raw`Error: \\u001b[31mCannot read <undefined>`],
    ['limited-without-end', 'passed', '12 waits in a row were about 1.02 s long.'],
    ['silence', 'skipped', 'inconclusive: The run was interrupted.'],
  ])('the scenario %s is %s, and says %s', (id, status, said) => {
    const result = resultOf(SAMPLE_CERTIFY_REPORT, `${id}: `);
    expect([result?.status, JSON.stringify(result)]).toEqual([status, expect.stringContaining(said)]);
  });
});

describe('of a load', () => {
  const { scenarios, requirements } = SAMPLE_LOAD_REPORT;

  test('there is a suite per scenario, with a case per threshold and one for the specification', () => {
    const suites = testSuites(SAMPLE_LOAD_REPORT);
    expect(
      suites.slice(0, scenarios.length).map(({ name, cases }) => [name, cases.map((one) => one.name)]),
    ).toEqual(
      scenarios.map(({ id, thresholds }) => [
        `stockcheck.load.${id}`,
        [...thresholds.map(({ expression }) => expression), 'conforms to the specification'],
      ]),
    );
    const skipped = requirements.filter(({ outcome }) => outcome === 'skipped');
    expect(suites.slice(scenarios.length).flatMap(({ cases }) => cases)).toHaveLength(requirements.length);
    // Two thresholds were crossed, one scenario has a finding and one requirement failed by it.
    const cases = suites.flatMap((suite) => suite.cases);
    expect((['failure', 'error', 'skipped'] as const).map((status) => count(cases, status))).toEqual([
      4,
      1,
      1 + skipped.length,
    ]);
  });

  test.each([
    ['latency', 'p99 < 10 ms', 'failure', 'p99 < 10 ms: measured 45.7 ms'],
    ['latency', 'p50 < 10 ms', 'passed', 'p50 < 10 ms: measured 2.1 ms'],
    ['ramp', 'errors < 1 %', 'error', 'The generator sent 212 of 41200 requests'],
    ['limit-accuracy', 'conforms', 'failure', 'free#2 was granted 64 requests'],
    ['limit-accuracy', 'conforms', 'failure', String.raw`\n  200 OK\n`],
    ['fairness', 'conforms', 'skipped', 'no control URL'],
  ])('%s says of %s what it met with, or why nothing could be said', (scenario, name, status, said) => {
    const result = resultOf(SAMPLE_LOAD_REPORT, name, new RegExp(`[.]${scenario}$`));
    expect([result?.status, JSON.stringify(result)]).toEqual([status, expect.stringContaining(said)]);
  });

  test('a scenario that has no threshold and could not be decided is an error', () => {
    const bare = scenarios.map((scenario) =>
      scenario.id === 'ramp' ? Object.assign({}, scenario, { thresholds: [] }) : scenario,
    );
    const cases = testSuites({ ...SAMPLE_LOAD_REPORT, scenarios: bare }).flatMap((suite) => suite.cases);
    expect(count(cases, 'error')).toBe(1);
  });
});
