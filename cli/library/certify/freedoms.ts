import { FREEDOMS, type Freedom, type Variant, VARIANTS } from '../../../reference-server/index.ts';
import type { CertifyReport, ReportedFreedom } from '../../../reports/index.ts';
import {
  certifyClient,
  type ClientScenario,
  type JudgedRecord,
  sideBySide,
} from '../../../suites/certify/index.ts';
import { createDriver, STARTS } from './client-driver.ts';
import { startCounterparty } from './counterparty.ts';
import type { JudgeClientOptions } from './judge-client.ts';
import { openScenarioProbe } from './touched-scenarios.ts';

/**
 * What a client cannot see, what its HTTP library bounds by itself, and what would take from a scenario the inventory, the
 * clock or the pace that it is made of.
 */
const NOT_TRIED: ReadonlySet<Freedom> = new Set([
  'store at start',
  'form of issued keys',
  'size of the header section',
  'clock',
  'latency',
]);

/** The permitted choices of a service that a client is tried with. */
const TRIED_VARIANTS: readonly Variant[] = VARIANTS.filter(({ freedom }) => !NOT_TRIED.has(freedom));

/** Some services answer late, and nothing else keeps a probe from going on. */
const PROBES_AT_ONCE = 16;

export interface FreedomsListener {
  /** Before the client runs: how often it will. */
  readonly onPlan?: (runs: number) => void;
  readonly onRun?: () => void;
}

/**
 * Plays each scenario that a client passed again with every permitted choice of the service that changes what is answered in
 * it, one choice at a time. Scenarios that it failed tell nothing more. What fails is played once more, and counts if it fails
 * again.
 * @returns what was tried, in the order of the freedoms
 */
export async function certifyFreedoms(
  options: JudgeClientOptions,
  report: Pick<CertifyReport, 'scenarios'>,
  { onPlan, onRun }: FreedomsListener = {},
): Promise<readonly ReportedFreedom[]> {
  const {
    driver: name,
    command,
    environment,
    scenarios,
    host,
    signal,
    finish,
    jobs,
    jobsAgain = jobs,
    patienceSeconds,
  } = options;
  const passed = new Set(report.scenarios.flatMap(({ id, outcome }) => (outcome === 'pass' ? [id] : [])));
  const trials = await planTrials(
    scenarios.filter(({ id }) => passed.has(id)),
    host,
    signal,
  );
  onPlan?.(trials.size);
  if (trials.size === 0 || signal.aborted) {
    return [];
  }
  const driver = createDriver(name, { command, environment });
  try {
    const play = async (again: readonly ClientScenario[]): Promise<readonly JudgedRecord[]> => {
      const { records } = await certifyClient({
        scenarios: again,
        driver,
        start: (scenario) => {
          const variant = trials.get(scenario);
          return startCounterparty(scenario, host, variant === undefined ? [] : [variant.alter]);
        },
        jobs: jobsAgain,
        patienceSeconds,
        starts: STARTS[name],
        signal,
        finish,
        listener: { onScenarioEnd: () => onRun?.() },
      });
      return records;
    };
    const records = await play([...trials.keys()]);
    const suspects = records.filter(hasFailed).map(({ scenario }) => scenario);
    const failed = (suspects.length === 0 ? [] : await play(suspects)).filter(hasFailed);
    return rowsOf(records, failed, trials);
  } finally {
    await driver.close();
  }
}

/** A row for each choice that was tried. */
function rowsOf(
  records: readonly JudgedRecord[],
  failed: readonly JudgedRecord[],
  trials: ReadonlyMap<ClientScenario, Variant>,
): readonly ReportedFreedom[] {
  const byVariant = (list: readonly JudgedRecord[]): ReadonlyMap<Variant | undefined, JudgedRecord[]> =>
    Map.groupBy(list, ({ scenario }) => trials.get(scenario));
  const tried = byVariant(records);
  const failures = byVariant(failed);
  return FREEDOMS.flatMap((freedom) =>
    TRIED_VARIANTS.filter((variant) => variant.freedom === freedom),
  ).flatMap((variant) => {
    const scenarios = tried.get(variant)?.length ?? 0;
    const { id, title, freedom } = variant;
    const own = (failures.get(variant) ?? []).map(({ scenario, judgement }) => ({
      scenario: scenario.id,
      failures: judgement.failures,
    }));
    return scenarios === 0 ? [] : [{ variant: id, title, freedom, scenarios, failed: own }];
  });
}

function hasFailed({ judgement }: JudgedRecord): boolean {
  return judgement.outcome === 'fail';
}

/** A scenario of its own for each choice that changes it. */
async function planTrials(
  scenarios: readonly ClientScenario[],
  host: string,
  signal: AbortSignal,
): Promise<ReadonlyMap<ClientScenario, Variant>> {
  const { isTouched } = openScenarioProbe(host);
  const pairs = TRIED_VARIANTS.flatMap((variant) => scenarios.map((scenario) => ({ scenario, variant })));
  const touched = new Set<(typeof pairs)[number]>();
  await sideBySide(pairs, PROBES_AT_ONCE, signal, async (pair) => {
    if (await isTouched(pair.scenario, pair.variant.alter)) {
      touched.add(pair);
    }
  });
  return new Map(
    pairs.filter((pair) => touched.has(pair)).map(({ scenario, variant }) => [{ ...scenario }, variant]),
  );
}
