import { describe, expect, test } from 'vitest';
import { SAMPLE_LOAD_REPORT } from './sample-load-report.test-data.ts';
import { validateReport } from './validate.ts';

function complaint(value: unknown): string {
  try {
    validateReport(value);
  } catch (error) {
    return error instanceof Error ? error.message : '';
  }
  return '';
}

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
