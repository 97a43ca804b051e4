import type { LoadMeasurement, LoadScenarioResult } from '../../contract/load-result.ts';
import { SERVER_REQUIREMENTS, type Requirement } from '../../contract/requirements/index.ts';
import type { Finding } from '../../contract/verdict.ts';
import { countOutcomes, type LoadReport, type ReportedRequirement } from './report.ts';
import { OVER_ADMITTED } from './sample-load-finding.test-data.ts';
import { SAMPLE_LOAD_SCENARIOS } from './sample-load-scenarios.test-data.ts';
import { HOSTILE_TEXT, withRequirements } from './sample-report.test-data.ts';

const JUDGED = new Set([
  'list-one-entry-per-pet',
  'item-pet-id',
  'item-quantity',
  'item-status',
  'update-succeeds',
  'update-sets',
  'limit-under-concurrency',
  'minute-limit-free',
  'minute-limit-pro',
  'www-authenticate',
]);

function reported(row: Requirement): ReportedRequirement {
  const { id, area, clause, level, statement } = row;
  const common = { id, level, area, title: statement, clause };
  if (!JUDGED.has(id)) {
    const reason = 'No load scenario judges it; stockcheck verify does.';
    return { ...common, outcome: 'skipped', reason, evidence: 0, checks: [], findings: [] };
  }
  const judged = { ...common, evidence: 4480, checks: ['limit-accuracy'] };
  return id === 'limit-under-concurrency'
    ? { ...judged, outcome: 'fail', findings: [OVER_ADMITTED] }
    : { ...judged, outcome: 'pass', findings: [] };
}

const REQUIREMENTS_FOUND = SERVER_REQUIREMENTS.map(reported);

function total(of: (scenario: LoadScenarioResult) => number): number {
  return SAMPLE_LOAD_SCENARIOS.reduce((sum, scenario) => sum + of(scenario), 0);
}

/** A nonconformant run with every outcome of a scenario, compared with an earlier one. */
export const SAMPLE_LOAD_REPORT: LoadReport = {
  schemaVersion: 1,
  kind: 'load',
  verdict: 'nonconformant',
  scope: 'nonconformant: 6 of 9 thresholds held in 7 scenarios, 1 requirement violated',
  profile: 'full',
  level: 'must',
  target: {
    url: 'http://127.0.0.1:8080/v1',
    control: 'http://127.0.0.1:9090',
    keys: ['free#1', 'free#2', 'pro#1', 'business#1', 'enterprise#1'],
  },
  startedAt: '2026-11-20T14:00:00.000Z',
  durationSeconds: 881.6,
  suite: { version: '0.1.0', specVersion: '1.0.0' },
  requirements: REQUIREMENTS_FOUND,
  counts: countOutcomes(REQUIREMENTS_FOUND),
  observations: { 'load-generator-cores': 2, 'recovery-after-ban': '61 s' },
  problems: ['The target answered 503 for 6 s after the ramp.'],
  budget: { announced: total(({ announced }) => announced), spent: total(({ spent }) => spent) },
  scenarios: SAMPLE_LOAD_SCENARIOS,
  environment: {
    processor: 'Sample Processor 9000',
    cores: 8,
    node: '24.21.0',
    system: 'Linux 6.12.0 x64',
    command: ['stockcheck', 'load', '--key', 'free=…', '--threshold', 'p99<50ms'],
  },
  comparison: {
    file: 'last-release/report.json',
    startedAt: '2026-10-30T08:00:00.000Z',
    rows: [
      {
        scenario: 'throughput',
        measure: 'goodput',
        unit: '/s',
        before: 6480,
        after: 7130.4,
        change: 0.1,
        lower: 0.071,
        upper: 0.13,
        judgement: 'better',
      },
      {
        scenario: 'throughput',
        measure: 'p99',
        unit: 'ms',
        before: 16.3,
        after: 16,
        change: -0.018,
        lower: -0.064,
        upper: 0.023,
        judgement: 'same',
      },
      {
        scenario: 'latency',
        measure: 'p99',
        unit: 'ms',
        before: 34.1,
        after: 45.7,
        change: 0.341,
        lower: 0.22,
        upper: 0.47,
        judgement: 'worse',
      },
      {
        scenario: 'capacity',
        measure: 'capacity',
        unit: '/s',
        before: 1250,
        after: 1300,
        change: 0.04,
        lower: 0.04,
        upper: 0.04,
        judgement: 'too few rounds',
      },
    ],
  },
};

/** The sample with hostile text wherever a target, or a configuration, has a say. */
export function hostileLoadReport(hostile: string = HOSTILE_TEXT): LoadReport {
  const finding: Finding = {
    message: `Seen under load: ${hostile}`,
    exchange: {
      request: { method: hostile, url: hostile, headers: [[hostile, hostile]], body: hostile },
      response: { status: 299, headers: [[hostile, hostile]], body: hostile, bodyBytes: 9_000_000 },
      sentAt: '2026-11-20T14:03:41.120Z',
      durationMilliseconds: 3,
    },
    curl: `curl ${hostile}`,
  };
  const requirements = SAMPLE_LOAD_REPORT.requirements.map((requirement) => ({
    ...requirement,
    ...(requirement.reason === undefined ? {} : { reason: hostile }),
    ...(requirement.findings.length === 0 ? {} : { findings: [finding, finding] }),
  }));
  const { comparison } = SAMPLE_LOAD_REPORT;
  return {
    ...withRequirements(SAMPLE_LOAD_REPORT, requirements),
    target: { url: hostile, control: hostile, keys: [hostile] },
    observations: { [hostile]: hostile, list: [hostile, 'plain'] },
    problems: [hostile],
    scenarios: SAMPLE_LOAD_SCENARIOS.map((scenario) => hostileScenario(scenario, hostile, finding)),
    comparison:
      comparison === null
        ? null
        : {
            ...comparison,
            file: hostile,
            rows: comparison.rows.map((row) => Object.assign({}, row, { measure: hostile, unit: hostile })),
          },
  };
}

function hostileScenario(
  scenario: LoadScenarioResult,
  hostile: string,
  finding: Finding,
): LoadScenarioResult {
  return {
    ...scenario,
    parameters: { [hostile]: hostile },
    reason: scenario.reason === null ? null : hostile,
    thresholds: scenario.thresholds.map((threshold) => ({ ...threshold, expression: hostile })),
    findings: scenario.findings.map(() => finding),
    measurements: scenario.measurements.map((measured) => hostileMeasurement(measured, hostile)),
    capacitySteps: scenario.capacitySteps.map((step) => ({ ...step, phase: hostile })),
    windows: scenario.windows.map((window) => ({ ...window, key: hostile, plan: hostile })),
    notes: scenario.notes.map(() => hostile),
  };
}

function hostileMeasurement(measured: LoadMeasurement, hostile: string): LoadMeasurement {
  const counts = (some: Readonly<Record<string, number>>): Readonly<Record<string, number>> =>
    Object.keys(some).length === 0 ? {} : { [hostile]: 7 };
  return {
    ...measured,
    lost: counts(measured.lost),
    statuses: counts(measured.statuses),
    operations: measured.operations.map((operation) => ({ ...operation, name: hostile })),
    invalid: measured.invalid.map(() => hostile),
  };
}
