import { expect, onTestFinished, test } from 'vitest';

import { LOAD_FAULTS, startReferenceServer } from '../../reference-server/index.ts';
import type { LoadReport } from '../../reports/index.ts';
import { describeReferenceServer } from '../library/embedded/embedded-target.ts';
import { CONNECTIONS_MEASURED, SEEN_UNDER_LOAD } from '../library/load/measure-target.ts';
import { loadInProcess } from './run.test-data.ts';
import type { LoadFlags } from './load-options.ts';
import { startServeProcess } from '../serve/serve-process.test-data.ts';

// On a starved machine few requests are in flight at once, so that fewer than usual meet an error.
const ERRORS = { usual: 'errors < 0.1%', here: 'errors < 0.01%' };

/** The scenarios, in the short; a threshold of time would judge the machine that this runs on. */
const SHORT = {
  throughput: { threshold: [ERRORS.here] },
  fairness: { threshold: [ERRORS.here], rampUp: '0.1' },
  mixed: { threshold: [ERRORS.here], connections: `${CONNECTIONS_MEASURED.mixed}` },
  'bad-keys': { threshold: [ERRORS.here] },
  'limit-accuracy': {},
} as const satisfies Readonly<Record<string, Partial<LoadFlags>>>;

type ScenarioId = keyof typeof SHORT;

type Target = Parameters<typeof loadInProcess>[0];

function run(target: Target, scenario: ScenarioId, seconds: number): Promise<LoadReport> {
  const duration = scenario === 'limit-accuracy' ? {} : { duration: `${seconds}` };
  return loadInProcess(target, { scenario: [scenario], ...SHORT[scenario], ...duration });
}

/** Faults that take requests of many keys at once, and by what else each may be named: that goes by what was seen before. */
const OF_MANY_KEYS: Readonly<Record<string, readonly string[]>> = {
  'keys-forgotten-when-many-are-active': ['remaining-falls'],
};

/**
 * A faulty server on the thread of the generator, which reads the requests of all keys before it answers the first. A process
 * of its own answers some before a starved generator has sent the others.
 */
async function startBeside(fault: string): Promise<Target> {
  const alterations = LOAD_FAULTS.filter(({ id }) => id === fault).map(({ alter }) => alter);
  const server = await startReferenceServer({ alterations, graceMilliseconds: 0 });
  onTestFinished(() => server.close());
  return describeReferenceServer(server);
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

test.each(Object.entries(SEEN_UNDER_LOAD))('%s is caught by %j', async (fault, [scenario, by]) => {
  if (!isScenarioId(scenario)) {
    throw new Error(`${scenario} is not among those in the short`);
  }
  const others = OF_MANY_KEYS[fault];
  const target = await (others === undefined ? startServeProcess(['--fault', fault]) : startBeside(fault));
  const signs = new Set([by === ERRORS.usual ? ERRORS.here : by, ...(others ?? [])]);
  const isSeen = (): boolean => wrongIn(report).some((wrong) => signs.has(wrong));
  let report = await run(target, scenario, 0.6);
  // A starved machine may not have had forty requests under way; more time gives it more chances.
  for (let seconds = 2; seconds <= 8 && !isSeen(); seconds *= 2) {
    report = await run(target, scenario, seconds);
  }
  expect({ isSeen: isSeen(), wrong: wrongIn(report) }).toMatchObject({ isSeen: true });
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
