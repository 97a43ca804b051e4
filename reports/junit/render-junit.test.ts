import { XMLParser, XMLValidator } from 'fast-xml-parser';
import { describe, expect, test } from 'vitest';
import type { Report } from '../model/report.ts';
import { groupByArea } from '../model/requirement-groups.ts';
import { SAMPLE_CERTIFY_REPORT } from '../model/sample-certify-report.test-data.ts';
import { SAMPLE_LOAD_REPORT, SAMPLES } from '../model/sample-load-report.test-data.ts';
import { hostileOf, REPORT_WITH_CAUSES, SAMPLE_REPORT } from '../model/sample-report.test-data.ts';
import { renderJUnit } from './render-junit.ts';

type Element = Record<string, unknown>;

const MANY = new Set(['testsuite', 'testcase', 'property']);
const parser = new XMLParser({
  ignoreAttributes: false,
  attributeNamePrefix: '',
  textNodeName: 'text',
  alwaysCreateTextNode: true,
  parseAttributeValue: false,
  parseTagValue: false,
  trimValues: false,
  isArray: (name) => MANY.has(name),
});

function isElement(value: unknown): value is Element {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** An empty element if there is none of that name. */
function child(parent: Element | undefined, name: string): Element {
  const value = parent?.[name];
  return isElement(value) ? value : {};
}

function children(parent: Element, name: string): readonly Element[] {
  const value = parent[name];
  return Array.isArray(value) ? value.filter(isElement) : [];
}

function read(report: Report): { root: Element; suites: readonly Element[]; cases: readonly Element[] } {
  const xml = renderJUnit(report);
  expect(XMLValidator.validate(xml)).toBe(true);
  const root = child(parser.parse(xml), 'testsuites');
  const suites = children(root, 'testsuite');
  return { root, suites, cases: suites.flatMap((suite) => children(suite, 'testcase')) };
}

function caseOf(report: Report, id: string): Element {
  return read(report).cases.find(({ name }) => String(name).startsWith(`${id}: `)) ?? {};
}

function count(elements: readonly Element[], name: string): string {
  return `${elements.filter((element) => name in element).length}`;
}

/** The times of these elements together. */
function milliseconds(elements: readonly Element[]): number {
  return elements.reduce((sum, element) => sum + Math.round(Number(element['time']) * 1000), 0);
}

/** Seconds of the requirements that a check of the sample judged. */
function shareOf(check: string): number {
  return SAMPLE_REPORT.requirements
    .filter(({ checks }) => checks.includes(check))
    .reduce((sum, { id }) => sum + Number(caseOf(SAMPLE_REPORT, id)['time']), 0);
}

/** Names of elements and attributes, without values. */
function shape(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map(shape);
  }
  return isElement(value)
    ? Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, shape(inner)]))
    : typeof value;
}

const levelShould: Report = { ...SAMPLE_REPORT, level: 'should' };

describe('the JUnit report', () => {
  test('has a suite per area and a case per requirement', () => {
    const { suites, cases } = read(SAMPLE_REPORT);
    const areas = groupByArea(SAMPLE_REPORT.requirements);
    expect(suites.map(({ name }) => name)).toEqual(areas.map(([area]) => `stockcheck.${area}`));
    expect(cases.map(({ name }) => name)).toEqual(
      areas.flatMap(([, group]) => group.map(({ id, title }) => `${id}: ${title}`)),
    );
    expect(suites[0]?.['timestamp']).toBe(SAMPLE_REPORT.startedAt);
  });

  test.each([
    ['must', SAMPLE_REPORT, 2],
    ['should', levelShould, 3],
  ])('has the right totals at both levels, at level %s', (_level, report, failures) => {
    const { root, suites, cases } = read(report);
    // Two musts and one should fail unexpectedly, one must is inconclusive, one failure is expected.
    const skipped = report.requirements.filter(({ outcome }) => outcome === 'skipped').length + 1;
    expect(root).toMatchObject({ failures: `${failures}`, errors: '1', skipped: `${skipped}` });
    for (const [holder, held] of [
      [root, cases] as const,
      ...suites.map((suite) => [suite, children(suite, 'testcase')] as const),
    ]) {
      expect(holder).toMatchObject({
        tests: `${held.length}`,
        failures: count(held, 'failure'),
        errors: count(held, 'error'),
        skipped: count(held, 'skipped'),
      });
    }
  });

  test('gives a failure its message, clause, curl line and exchange', () => {
    const { findings, clause } = SAMPLE_REPORT.requirements.find(({ id }) => id === 'item-pet-id') ?? {};
    const failure = child(caseOf(SAMPLE_REPORT, 'item-pet-id'), 'failure');
    expect(failure).toMatchObject({
      message: `${findings?.[0]?.message} Seen in 245 of 3,700 responses, 1 in 15.`,
      type: `must: ${clause}`,
    });
    expect(failure['text']).toContain(findings?.[0]?.curl);
    expect(failure['text']).toContain(findings?.[0]?.repeat);
    expect(failure['text']).toContain('60 × GET /inventory (free#1) → 60 × 200');
    expect(failure['text']).toContain('\n200 OK\nContent-Type: application/json\n');
    expect(failure['text']).toContain(findings?.[1]?.message);
  });

  test('says of a failure that another one explains it', () => {
    const message = child(caseOf(REPORT_WITH_CAUSES, 'item-pet-id'), 'failure')['message'];
    expect(message).toMatch(/It probably follows from list-succeeds\.$/);
  });

  test('makes a should that is not met a failure only if it decides the verdict', () => {
    const advice = caseOf(SAMPLE_REPORT, 'www-authenticate');
    expect(advice).not.toHaveProperty('failure');
    expect(child(advice, 'system-out')['text']).toContain('A 401 came without WWW-Authenticate.');
    expect(caseOf(levelShould, 'www-authenticate')).toHaveProperty('failure');
  });

  test('distinguishes what was not judged, what was expected and what was observed', () => {
    const messageOf = (id: string, element: string): unknown =>
      child(caseOf(SAMPLE_REPORT, id), element)['message'];
    expect(messageOf('limit-renews', 'error')).toContain('A window boundary cut the burst in two');
    expect(messageOf('revoked-key', 'skipped')).toBe('No revoked key was given.');
    expect(messageOf('update-exact-pet', 'skipped')).toMatch(/^expected failure: PATCH/);
    expect(child(caseOf(SAMPLE_REPORT, 'window-algorithm'), 'system-out')['text']).toBe(
      'observed: sliding-log',
    );
  });

  test.each([
    ['an implementation', SAMPLE_REPORT],
    ['an implementation that could not be reached', { ...SAMPLE_REPORT, checks: [] }],
    ['a client', SAMPLE_CERTIFY_REPORT],
    ['a load', SAMPLE_LOAD_REPORT],
  ])('of %s has times that add up to the time of the run, to the millisecond', (_what, report) => {
    const { root, suites, cases } = read(report);
    const whole = Math.round(report.durationSeconds * 1000);
    expect([[root], suites, cases].map(milliseconds)).toEqual([whole, whole, whole]);
  });

  test('shares the time among requirements by the time of their checks', () => {
    // The checks on updates took twice as long as those on the list, and judged more requirements.
    expect(shareOf('update') / shareOf('list')).toBeCloseTo(2, 1);
  });

  test('has a case per requirement and one per scenario for a client', () => {
    const { suites, root } = read(SAMPLE_CERTIFY_REPORT);
    const { requirements, scenarios } = SAMPLE_CERTIFY_REPORT;
    expect(suites.map(({ name, tests }) => [name, tests])).toEqual([
      ['stockcheck.client', `${requirements.length}`],
      ['stockcheck.scenarios', `${scenarios.length}`],
    ]);
    // Two musts fail unexpectedly and one is inconclusive; three scenarios fail.
    expect(root).toMatchObject({ failures: '5', errors: '1' });
    const values = suites.flatMap((suite) => children(child(suite, 'properties'), 'property'));
    expect(values.map(({ value }) => value)).toContain(String.raw`node client.js --name 'Anna'\''s client'`);
  });

  test('gives a scenario its failures, requests and output', () => {
    const failure = child(caseOf(SAMPLE_CERTIFY_REPORT, 'limited-date'), 'failure');
    expect(failure['message']).toContain('1.98 s too early. Read the HTTP-date form');
    expect(failure['text']).toContain('No.: 2; Request: GET /v1/inventory; Came at: 0.060 s;');
    expect(failure['text']).toContain('It reported a list of 12 entries.');
    const crash = child(caseOf(SAMPLE_CERTIFY_REPORT, 'refused-key'), 'failure');
    expect(crash['text']).toContain(String.raw`Error: \u001b[31mCannot read <undefined>`);
  });

  test('calls no scenario a failure that falls short of a should only, or that is open', () => {
    const advised = caseOf(SAMPLE_CERTIFY_REPORT, 'limited-without-end');
    expect(advised).not.toHaveProperty('failure');
    expect(child(advised, 'system-out')['text']).toContain('12 waits in a row were about 1.02 s long.');
    expect(child(caseOf(SAMPLE_CERTIFY_REPORT, 'silence'), 'skipped')['message']).toBe(
      'inconclusive: The run was interrupted.',
    );
  });

  test('has a suite per load scenario, a case per threshold and one for the specification', () => {
    const { suites, root } = read(SAMPLE_LOAD_REPORT);
    const { scenarios } = SAMPLE_LOAD_REPORT;
    expect(
      suites
        .slice(0, scenarios.length)
        .map((suite) => [suite['name'], children(suite, 'testcase').map(({ name }) => name)]),
    ).toEqual(
      scenarios.map(({ id, thresholds }) => [
        `stockcheck.load.${id}`,
        [...thresholds.map(({ expression }) => expression), 'conforms to the specification'],
      ]),
    );
    // Two thresholds were crossed, one scenario has a finding and one requirement failed by it.
    expect(root).toMatchObject({ failures: '4', errors: '1', skipped: '1' });
    const judged = SAMPLE_LOAD_REPORT.requirements.filter(({ outcome }) => outcome !== 'skipped');
    const cases = suites.slice(scenarios.length).flatMap((suite) => children(suite, 'testcase'));
    expect(cases).toHaveLength(judged.length);
  });

  test('says what a threshold of load met with, and why nothing could be said', () => {
    const { suites } = read(SAMPLE_LOAD_REPORT);
    const result = (scenario: string, name: string, element: string): Element => {
      const suite = suites.find((one) => one['name'] === `stockcheck.load.${scenario}`) ?? {};
      const found = children(suite, 'testcase').find((one) => one['name'] === name) ?? {};
      return child(found, element);
    };
    expect(result('latency', 'p99 < 10 ms', 'failure')).toMatchObject({
      message: 'p99 < 10 ms: measured 45.7 ms',
      type: 'threshold',
    });
    expect(result('latency', 'p50 < 10 ms', 'system-out')['text']).toContain('p50 < 10 ms: measured 2.1 ms');
    expect(result('ramp', 'errors < 1 %', 'error')).toMatchObject({
      message: SAMPLE_LOAD_REPORT.scenarios.find(({ id }) => id === 'ramp')?.reason,
      type: 'inconclusive',
    });
    const violated = result('limit-accuracy', 'conforms to the specification', 'failure');
    expect(violated['message']).toContain('free#2 was granted 64 requests');
    expect(violated['text']).toContain('\n200 OK\n');
    expect(result('day-limit', 'conforms to the specification', 'skipped')['message']).toContain(
      'no control URL',
    );
  });

  test('makes a load scenario that has no threshold and could not be decided an error', () => {
    const scenarios = SAMPLE_LOAD_REPORT.scenarios.map((scenario) =>
      scenario.id === 'ramp' ? { ...scenario, thresholds: [] } : scenario,
    );
    const { root } = read({ ...SAMPLE_LOAD_REPORT, scenarios });
    expect(root).toMatchObject({ errors: '1' });
  });

  test.each(SAMPLES)('has the same structure whatever the %s said', (_subject, sample) => {
    const report = hostileOf(sample);
    expect(shape(read(report).root)).toEqual(shape(read(hostileOf(sample, 'plain')).root));
    const xml = renderJUnit(report);
    expect(xml).not.toMatch(/[^\P{Cc}\n]|\p{Noncharacter_Code_Point}/u);
    expect(xml.isWellFormed()).toBe(true);
    expect(xml.length).toBeLessThan(1_000_000);
  });
});
