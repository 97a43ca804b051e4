import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { renderJson } from '../formats/index.ts';
import { changeAt, isObject, placesIn, type Path } from './places.test-data.ts';
import type { Report } from './report.ts';
import { SAMPLE_CERTIFY_REPORT } from './sample-certify-report.test-data.ts';
import { SAMPLE_LOAD_REPORT, SAMPLES } from './sample-load-report.test-data.ts';
import { hostileOf, SAMPLE_REPORT, withRequirements } from './sample-report.test-data.ts';
import { parseReport, validateReport } from './validate.ts';

/** A smaller report of the same shapes, so that each change is judged quickly. */
const REPORT = withRequirements(
  SAMPLE_REPORT,
  SAMPLE_REPORT.requirements
    .filter(({ outcome, reading }) => outcome !== 'pass' || reading !== undefined)
    .map(({ findings, ...row }) =>
      Object.assign({}, row, { findings: findings.map(({ trail: _trail, ...finding }) => finding) }),
    ),
);

/** Members that a report may lack. */
const OPTIONAL = new Set([
  'environment',
  'answers',
  'reading',
  'reason',
  'expectedFailure',
  'tally',
  'exchange',
  'curl',
  'check',
  'repeat',
  'power',
  'herd',
  'byRequirement',
  'needControl',
]);

/** As `REPORT`, of a client. */
const CLIENT = {
  ...withRequirements(
    SAMPLE_CERTIFY_REPORT,
    SAMPLE_CERTIFY_REPORT.requirements.filter(({ outcome }) => outcome !== 'pass'),
  ),
  scenarios: SAMPLE_CERTIFY_REPORT.scenarios.filter(({ timeline }) => timeline.length < 6),
};

/** As `REPORT`, of load. */
const LOAD = {
  ...withRequirements(
    SAMPLE_LOAD_REPORT,
    SAMPLE_LOAD_REPORT.requirements.filter(({ outcome }) => outcome === 'fail'),
  ),
  scenarios: SAMPLE_LOAD_REPORT.scenarios.map((scenario) =>
    Object.assign({}, scenario, {
      measurements: scenario.measurements.map((measurement) =>
        Object.assign({}, measurement, { seconds: measurement.seconds.slice(0, 2) }),
      ),
    }),
  ),
};

/** Members whose own members have names that a target or a user chose. */
const FREE = new Set<string | number>(['observations', 'parameters', 'statuses', 'lost']);

function pointer(path: Path): string {
  return path.length === 0 ? '/' : path.map((step) => `/${step}`).join('');
}

function complaint(value: unknown): string {
  try {
    validateReport(value);
  } catch (error) {
    return error instanceof Error ? error.message : '';
  }
  return '';
}

const PLACES = [REPORT, CLIENT, LOAD].flatMap((report) =>
  placesIn(report).map(({ path, value }) => ({ report, path, value })),
);
const OBJECTS = PLACES.filter(({ value }) => isObject(value));

describe('validateReport', () => {
  test('accepts what it should and gives it back', async () => {
    for (const report of SAMPLES.flatMap(([, sample]) => [sample, hostileOf(sample, '\u0000\ud800<')])) {
      expect(validateReport(report)).toBe(report);
      expect(parseReport(await renderJson(report))).toEqual(report);
    }
  });

  test('names the place of a value of another type', () => {
    fc.assert(
      fc.property(fc.constantFrom(...PLACES), ({ report, path, value }) => {
        const wrong = changeAt(report, path, () => (isObject(value) ? 'text' : { wrong: {} }));
        expect(complaint(wrong)).toContain(`  ${pointer(path)}`);
      }),
      { numRuns: 400 },
    );
  });

  test('names the object that lacks a member', () => {
    const required = PLACES.filter(({ path }) => {
      const last = path.at(-1);
      return typeof last === 'string' && !FREE.has(path.at(-2) ?? '') && !OPTIONAL.has(last);
    });
    fc.assert(
      fc.property(fc.constantFrom(...required), ({ report, path }) => {
        const last = path.at(-1);
        const parent = path.slice(0, -1);
        const wrong = changeAt(report, parent, (found) =>
          isObject(found)
            ? Object.fromEntries(Object.entries(found).filter(([name]) => name !== last))
            : found,
        );
        expect(complaint(wrong)).toContain(`${pointer(parent)} must have required property '${last}'`);
      }),
      { numRuns: 400 },
    );
  });

  test('names a member that is unknown', () => {
    const closed = OBJECTS.filter(({ path }) => !FREE.has(path.at(-1) ?? ''));
    fc.assert(
      fc.property(fc.constantFrom(...closed), ({ report, path }) => {
        const wrong = changeAt(report, path, (found) => Object.assign({ surprise: 1 }, found));
        expect(complaint(wrong)).toContain(`${pointer(path)} has an unknown member "surprise"`);
      }),
      { numRuns: 200 },
    );
  });

  test.each<readonly [report: Report, place: string, value: unknown, problem: string]>([
    [REPORT, '/verdict', 'certified', ' must be one of ["conformant","nonconformant","inconclusive"]'],
    [REPORT, '/kind', 'audit', ' must be one of ["verify","certify","load"]'],
    [REPORT, '/schemaVersion', 2, ' must be 1'],
    [REPORT, '/startedAt', 'yesterday', ' must match format "date-time"'],
    [REPORT, '/durationSeconds', -1, ' must be >= 0'],
    [CLIENT, '/verdict', 'conformant', ' must be one of ["certified","not-certified","inconclusive"]'],
    [CLIENT, '/profile', 'safe', ' must be "full"'],
    [
      CLIENT,
      '/scenarios/0/outcome',
      'early',
      ' must be one of ["pass","fail","inconclusive","skipped","observed"]',
    ],
    [CLIENT, '/scenarios/0/failures', [''], '/0 must NOT have fewer than 1 characters'],
    [LOAD, '/verdict', 'certified', ' must be one of ["conformant","nonconformant","inconclusive"]'],
    [LOAD, '/budget/spent', 0.5, ' must be integer'],
    [LOAD, '/scenarios/0/measurements/0/percentiles', [[101, 1]], '/0/0 must be <= 100'],
    [LOAD, '/scenarios/0/measurements/0/percentiles', [[99]], '/0 must NOT have fewer than 2 items'],
  ])('%#: judges %s at %s that is %j', (report, place, value, problem) => {
    const steps = place.split('/').filter((step) => step !== '');
    const path = steps.map((step) => (/^\d+$/.test(step) ? Number(step) : step));
    expect(complaint(changeAt(report, path, () => value))).toContain(`${place}${problem}`);
    expect(complaint(report)).toBe('');
  });

  test.each([CLIENT, LOAD])(
    'sees a scenario of $kind that occurs twice',
    ({ scenarios: [first], ...report }) => {
      expect(complaint({ ...report, scenarios: [first, first] })).toContain(
        `/scenarios/1/id occurs twice: "${first?.id}"`,
      );
    },
  );

  test('sees counts that do not agree and a requirement that occurs twice', () => {
    const [first] = REPORT.requirements;
    const counts = {
      ...REPORT.counts,
      must: { ...REPORT.counts.must, fail: REPORT.counts.must.fail + 1 },
    };
    expect(complaint({ ...REPORT, counts })).toContain('/counts do not agree');
    expect(first).toBeDefined();
    const twice = withRequirements(REPORT, first === undefined ? [] : [first, first]);
    expect(complaint(twice)).toContain(`/requirements/1/id occurs twice: "${first?.id}"`);
  });

  test('counts the problems beyond twenty', () => {
    const requirements = Array.from({ length: 25 }, () => 1);
    expect(complaint({ ...REPORT, requirements })).toContain('  and 5 more');
  });

  test('says so if the text is not JSON, or holds a number that JSON cannot', async () => {
    expect(() => parseReport('<html>')).toThrow('Not a report of stockcheck: the text is not JSON');
    await expect(renderJson({ ...REPORT, durationSeconds: Number.NaN })).rejects.toThrow(
      '/durationSeconds must be number',
    );
  });
});
