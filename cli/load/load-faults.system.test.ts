import { expect, test } from 'vitest';

import type { RequirementId } from '../../contract/requirements/index.ts';
import { LOAD_FAULTS } from '../../reference-server/index.ts';
import type { LoadReport } from '../../reports/index.ts';
import { loadInProcess } from './load-in-process.test-data.ts';
import type { LoadFlags } from './load-options.ts';
import { startServeProcess } from '../serve/serve-process.test-data.ts';

/** The scenarios, in the short; a threshold of time would judge the machine that this runs on. */
const SHORT = {
  throughput: { threshold: ['errors<0.1%'] },
  fairness: { threshold: ['errors<0.1%'], rampUp: '0.1' },
  mixed: { threshold: ['errors<0.1%'], connections: '100' },
  'bad-keys': { threshold: ['errors<0.1%'] },
  'limit-accuracy': {},
} as const satisfies Readonly<Record<string, Partial<LoadFlags>>>;

type ScenarioId = keyof typeof SHORT;

/** What catches each fault: a scenario, and the requirement that it then finds violated or the threshold crossed. */
const CAUGHT: Readonly<Record<string, readonly [scenario: ScenarioId, by: RequirementId | 'errors < 0.1%']>> =
  {
    'server-error-when-busy': ['throughput', 'errors < 0.1%'],
    'headers-of-another-key-when-busy': ['throughput', 'limit-of-plan'],
    'remaining-repeats-when-busy': ['throughput', 'remaining-falls'],
    'remaining-missing-when-busy': ['throughput', 'header-remaining'],
    'valid-key-refused-when-busy': ['throughput', 'valid-key-accepted'],
    'charged-to-another-key-when-busy': ['fairness', 'remaining-falls'],
    'hammered-key-halts-others': ['fairness', 'keys-independent-at-limit'],
    'unknown-key-accepted-when-many-are-tried': ['bad-keys', 'unknown-key'],
    'race-when-busy': ['limit-accuracy', 'limit-under-concurrency'],
    'keys-forgotten-when-many-are-active': ['limit-accuracy', 'minute-limit-enterprise'],
    'retry-after-short-when-busy': ['limit-accuracy', 'retry-after-honoured'],
    'update-lost-when-busy': ['mixed', 'update-persists'],
    'list-stale-when-busy': ['mixed', 'update-persists'],
    'update-answers-mixed-when-busy': ['mixed', 'update-exact-pet'],
  };

type Target = Parameters<typeof loadInProcess>[0];

function run(target: Target, scenario: ScenarioId, seconds: number): Promise<LoadReport> {
  const duration = scenario === 'limit-accuracy' ? {} : { duration: `${seconds}` };
  return loadInProcess(target, { scenario: [scenario], ...SHORT[scenario], ...duration });
}

/** Requirements found violated and thresholds crossed. */
function wrongIn({ requirements, scenarios }: LoadReport): readonly string[] {
  return [
    ...requirements.filter(({ outcome }) => outcome === 'fail').map(({ id }) => id),
    ...scenarios
      .flatMap(({ thresholds }) => thresholds)
      .filter(({ outcome }) => outcome === 'fail')
      .map(({ expression }) => expression),
  ];
}

test('there is a scenario for each fault', () => {
  expect(Object.keys(CAUGHT).toSorted()).toEqual(LOAD_FAULTS.map(({ id }) => id).toSorted());
});

test.each(Object.entries(CAUGHT))('%s is caught by %j', async (fault, [scenario, by]) => {
  const target = await startServeProcess(['--fault', fault]);
  let report = await run(target, scenario, 0.6);
  // A starved machine may not have had forty requests under way; more time gives it more chances.
  for (let seconds = 2; seconds <= 8 && !wrongIn(report).includes(by); seconds *= 2) {
    report = await run(target, scenario, seconds);
  }
  expect(wrongIn(report)).toContain(by);
  expect(report).toMatchObject({ verdict: 'nonconformant', scenarios: [{ outcome: 'fail' }] });
});

test.each(Object.keys(SHORT).filter(isScenarioId))('a server without a fault: %s', async (scenario) => {
  const report = await run(await startServeProcess(), scenario, 1);
  expect(wrongIn(report)).toEqual([]);
  expect(report.scenarios.map(({ findings }) => findings)).toEqual([[]]);
  // A starved machine may leave it open, but the answers were there to be judged.
  expect(['conformant', 'inconclusive']).toContain(report.verdict);
  expect(report.budget.spent).toBeGreaterThan(100);
});

function isScenarioId(id: string): id is ScenarioId {
  return id in SHORT;
}
