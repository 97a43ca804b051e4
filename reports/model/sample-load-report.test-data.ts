import type { LoadScenarioResult } from '../../contract/load-result.ts';
import { SERVER_REQUIREMENTS } from '../../contract/requirements/index.ts';
import type { LoadReport } from './report.ts';
import { countOutcomes } from './requirement-groups.ts';
import { OVER_GRANTED, SAMPLE_LOAD_SCENARIOS } from './sample-load-scenarios.test-data.ts';
import { SAMPLE_CERTIFY_REPORT } from './sample-certify-report.test-data.ts';
import { reportedAs, SAMPLE_REPORT, type SampleDeparture } from './sample-report.test-data.ts';

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

const UNJUDGED: SampleDeparture = {
  outcome: 'skipped',
  reason: 'No load scenario judges it; stockcheck verify does.',
  evidence: 0,
};

const REQUIREMENTS_FOUND = SERVER_REQUIREMENTS.map((row) => {
  const failed: SampleDeparture =
    row.id === 'limit-under-concurrency' ? { outcome: 'fail', findings: [OVER_GRANTED] } : {};
  return reportedAs(
    row,
    JUDGED.has(row.id) ? { evidence: 4480, checks: ['limit-accuracy'], ...failed } : UNJUDGED,
  );
});

function total(of: (scenario: LoadScenarioResult) => number): number {
  return SAMPLE_LOAD_SCENARIOS.reduce((sum, scenario) => sum + of(scenario), 0);
}

/** A nonconformant run with every outcome of a scenario. */
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
};

/** A report of each kind by what it is on. */
export const SAMPLES = [
  ['target', SAMPLE_REPORT],
  ['client', SAMPLE_CERTIFY_REPORT],
  ['target under load', SAMPLE_LOAD_REPORT],
] as const;
