import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { renderJson } from '../formats/index.ts';
import { hostileCertifyReport, SAMPLE_CERTIFY_REPORT } from './sample-certify-report.test-data.ts';
import { hostileLoadReport, SAMPLE_LOAD_REPORT } from './sample-load-report.test-data.ts';
import { hostileReport, SAMPLE_REPORT, withRequirements } from './sample-report.test-data.ts';
import { parseReport, validateReport } from './validate.ts';

type Step = string | number;

/** A smaller report of the same shapes, so that each change is judged quickly. */
const REPORT = withRequirements(
  SAMPLE_REPORT,
  SAMPLE_REPORT.requirements.filter(({ outcome, reading }) => outcome !== 'pass' || reading !== undefined),
);

/** Members that a report may lack. */
const OPTIONAL = new Set([
  'environment',
  'histograms',
  'answers',
  'traces',
  'reading',
  'reason',
  'expectedFailure',
  'tally',
  'exchange',
  'curl',
  'check',
  'repeat',
  'steps',
  'omittedBefore',
  'power',
  'byRequirement',
  'needControl',
]);

/** As `REPORT`, of a client. */
const CERTIFY_REPORT = {
  ...withRequirements(
    SAMPLE_CERTIFY_REPORT,
    SAMPLE_CERTIFY_REPORT.requirements.filter(({ outcome }) => outcome !== 'pass'),
  ),
  scenarios: SAMPLE_CERTIFY_REPORT.scenarios.filter(({ timeline }) => timeline.length < 6),
};

/** As `REPORT`, of load. */
const LOAD_REPORT = {
  ...withRequirements(
    SAMPLE_LOAD_REPORT,
    SAMPLE_LOAD_REPORT.requirements.filter(({ outcome }) => outcome === 'fail'),
  ),
  scenarios: SAMPLE_LOAD_REPORT.scenarios.map((scenario) => ({
    ...scenario,
    measurements: scenario.measurements.map((measurement) =>
      Object.assign({}, measurement, { seconds: measurement.seconds.slice(0, 2) }),
    ),
  })),
};

/** Members whose own members have names that a target or a user chose. */
const FREE = new Set<Step>(['observations', 'parameters', 'statuses', 'lost']);

interface Place {
  readonly path: readonly Step[];
  readonly value: unknown;
}

function placesIn(value: unknown, path: readonly Step[] = []): readonly Place[] {
  const inner = Array.isArray(value)
    ? value.flatMap((item, index) => placesIn(item, [...path, index]))
    : isObject(value)
      ? Object.entries(value).flatMap(([name, item]) => placesIn(item, [...path, name]))
      : [];
  return [{ path, value }, ...inner];
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A copy of the value with the change applied at the path. */
function changeAt(value: unknown, path: readonly Step[], change: (found: unknown) => unknown): unknown {
  const [step, ...rest] = path;
  if (step === undefined) {
    return change(value);
  }
  if (Array.isArray(value)) {
    const items: readonly unknown[] = value;
    return items.map((item, index) => (index === step ? changeAt(item, rest, change) : item));
  }
  return isObject(value)
    ? Object.fromEntries(
        Object.entries(value).map(([name, item]) => [
          name,
          name === step ? changeAt(item, rest, change) : item,
        ]),
      )
    : value;
}

function pointer(path: readonly Step[]): string {
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

const PLACES = [REPORT, CERTIFY_REPORT, LOAD_REPORT].flatMap((report) =>
  placesIn(report).map(({ path, value }) => ({ report, path, value })),
);
const OBJECTS = PLACES.filter(({ value }) => isObject(value));

describe('validateReport', () => {
  test('accepts what it should and gives it back', async () => {
    const hostile = [hostileReport, hostileCertifyReport, hostileLoadReport].map((of) => of('\u0000\ud800<'));
    for (const report of [SAMPLE_REPORT, SAMPLE_CERTIFY_REPORT, SAMPLE_LOAD_REPORT, ...hostile]) {
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

  test.each([
    ['verdict', 'certified', '/verdict must be one of ["conformant","nonconformant","inconclusive"]'],
    ['kind', 'audit', '/kind must be one of ["verify","certify","load"]'],
    ['schemaVersion', 2, '/schemaVersion must be 1'],
    ['startedAt', 'yesterday', '/startedAt must match format "date-time"'],
    ['durationSeconds', -1, '/durationSeconds must be >= 0'],
    ['observations', { a: [1] }, '/observations/a/0 must be string'],
  ])('judges %s', (name, value, message) => {
    expect(complaint({ ...REPORT, [name]: value })).toContain(message);
  });

  test.each([
    ['verdict', 'conformant', '/verdict must be one of ["certified","not-certified","inconclusive"]'],
    ['profile', 'safe', '/profile must be "full"'],
    ['target', { command: ['sh'], driver: 'grpc' }, '/target/driver must be one of ["exec","jsonl","none"]'],
    ['target', { command: [['sh']], driver: 'exec' }, '/target/command/0 must be string'],
    ['checks', [], '/ has an unknown member "checks"'],
  ])('judges %s of a client', (name, value, message) => {
    expect(complaint({ ...CERTIFY_REPORT, [name]: value })).toContain(message);
  });

  test.each([
    ['outcome', 'early', 'outcome must be one of ["pass","fail","inconclusive","skipped","observed"]'],
    ['durationSeconds', -1, 'durationSeconds must be >= 0'],
    ['backoff', { factor: 2 }, "backoff must have required property 'jitter'"],
    ['timeline', [{}], "timeline/0 must have required property 'method'"],
    ['failures', [''], 'failures/0 must NOT have fewer than 1 characters'],
  ])('judges %s of a scenario', (name, value, message) => {
    const scenarios = SAMPLE_CERTIFY_REPORT.scenarios.map((scenario) => ({ ...scenario, [name]: value }));
    expect(complaint({ ...SAMPLE_CERTIFY_REPORT, scenarios })).toContain(`/scenarios/0/${message}`);
  });

  test('sees a scenario that occurs twice', () => {
    const [first] = SAMPLE_CERTIFY_REPORT.scenarios;
    expect(complaint({ ...SAMPLE_CERTIFY_REPORT, scenarios: [first, first] })).toContain(
      `/scenarios/1/id occurs twice: "${first?.id}"`,
    );
  });

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

describe('validateReport, of load', () => {
  test.each([
    ['verdict', 'certified', '/verdict must be one of ["conformant","nonconformant","inconclusive"]'],
    ['profile', 'reckless', '/profile must be one of ["safe","standard","full"]'],
    ['checks', [], '/ has an unknown member "checks"'],
    ['comparison', {}, "/comparison must have required property 'file'"],
    ['budget', { announced: 1, spent: 0.5 }, '/budget/spent must be integer'],
  ])('judges %s of load', (name, value, message) => {
    expect(complaint({ ...SAMPLE_LOAD_REPORT, [name]: value })).toContain(message);
    expect(complaint({ ...SAMPLE_LOAD_REPORT, comparison: null })).toBe('');
  });

  test.each([
    ['outcome', 'observed', 'outcome must be one of ["pass","fail","inconclusive","skipped"]'],
    ['capacity', -1, 'capacity must be >= 0'],
    ['parameters', { rate: 1 }, 'parameters/rate must be string'],
    ['windows', [{ window: 'hour' }], 'windows/0/window must be one of ["minute","day"]'],
  ])('judges %s of a load scenario', (name, value, message) => {
    const scenarios = SAMPLE_LOAD_REPORT.scenarios.map((scenario) => ({ ...scenario, [name]: value }));
    expect(complaint({ ...SAMPLE_LOAD_REPORT, scenarios })).toContain(`/scenarios/0/${message}`);
  });

  test.each([
    ['statuses', { 200: -1 }, 'statuses/200 must be >= 0'],
    ['percentiles', [[101, 1]], 'percentiles/0/0 must be <= 100'],
    ['percentiles', [[99]], 'percentiles/0 must NOT have fewer than 2 items'],
    ['model', 'half', 'model must be one of ["open","closed"]'],
  ])('judges %s of a measurement', (name, value, message) => {
    const scenarios = SAMPLE_LOAD_REPORT.scenarios.map((scenario) =>
      Object.assign({}, scenario, {
        measurements: scenario.measurements.map((measurement) => ({ ...measurement, [name]: value })),
      }),
    );
    expect(complaint({ ...SAMPLE_LOAD_REPORT, scenarios })).toContain(
      `/scenarios/0/measurements/0/${message}`,
    );
  });

  test('sees a scenario that occurs twice', () => {
    const [latency] = SAMPLE_LOAD_REPORT.scenarios;
    expect(complaint({ ...SAMPLE_LOAD_REPORT, scenarios: [latency, latency] })).toContain(
      `/scenarios/1/id occurs twice: "${latency?.id}"`,
    );
  });
});
