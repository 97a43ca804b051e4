import { once } from 'node:events';
import { request as beginRequest, type IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';

import { messageOf } from '../../../contract/error-text.ts';
import { fieldsOf } from '../../../contract/field-names.ts';
import {
  type Alteration,
  FREEDOMS,
  type Freedom,
  type Variant,
  VARIANTS,
} from '../../../reference-server/index.ts';
import type { CertifyReport, ReportedFreedom } from '../../../reports/index.ts';
import {
  certifyClient,
  type ClientScenario,
  type ClientTask,
  type Counterparty,
  type JudgedRecord,
  requestOfTask,
  sideBySide,
} from '../../../suites/certify/index.ts';
import { createDriver, type JudgeClientOptions } from './judge-client.ts';
import { startCounterparty } from './counterparty.ts';

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
  const { scenarios, host, signal, jobs, jobsAgain = jobs } = options;
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
  const driver = createDriver(options);
  try {
    const play = async (again: readonly ClientScenario[]): Promise<readonly JudgedRecord[]> => {
      const { records } = await certifyClient({
        ...options,
        herd: null,
        scenarios: again,
        driver,
        start: (scenario) => {
          const variant = trials.get(scenario);
          return startCounterparty(scenario, host, variant === undefined ? [] : [variant.alter]);
        },
        jobs: jobsAgain,
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
  const isTouched = touchedOn(host);
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

/** Enough to meet what a script answers first, and the service's own answer after it. */
const PROBES = 3;

/** Fields that depend on the moment, or on a port that happens to be free. */
const FLEETING = /^(?:date|retry-after|x-ratelimit-reset|location)$/i;

/** Tells whether a choice of the service changes what a client is answered in a scenario. */
function touchedOn(host: string): (scenario: ClientScenario, choice: Alteration) => Promise<boolean> {
  const usual = new Map<ClientScenario, Promise<string>>();
  return async (scenario, choice) => {
    const answers = usual.get(scenario) ?? probe(scenario, host, []);
    usual.set(scenario, answers);
    return (await probe(scenario, host, [choice])) !== (await answers);
  };
}

/** What the counterparty answers to the first requests of a scenario, without what depends on the moment. */
async function probe(
  scenario: ClientScenario,
  host: string,
  choices: readonly Alteration[],
): Promise<string> {
  // Only the time of an answer is its own, and nobody waits for it here.
  const traits = scenario.traits?.filter((trait) => trait !== 'slow') ?? [];
  const counterparty = await startCounterparty({ ...scenario, traits }, host, choices);
  try {
    const answers: string[] = [];
    for (let turn = 0; turn < PROBES; turn += 1) {
      answers.push(await answerTo(counterparty, scenario.task));
    }
    return answers.join('\n\n');
  } finally {
    await counterparty.close();
  }
}

async function answerTo({ baseUrl, apiKey }: Counterparty, task: ClientTask): Promise<string> {
  const { method, path, content } = requestOfTask(task);
  const headers = {
    Authorization: `Bearer ${apiKey}`,
    'Accept-Encoding': 'gzip',
    ...(content === null ? {} : { 'Content-Type': 'application/json', 'Content-Length': content.length }),
  };
  const sent = beginRequest(baseUrl + path, { method, agent: false, headers }).end(content ?? '');
  // Without a listener a failure after the response would end this process.
  sent.on('error', () => undefined);
  try {
    const response: IncomingMessage = (await once(sent, 'response'))[0];
    const lines = fieldsOf(response.rawHeaders).map(
      ([name, value]) => `${name}: ${FLEETING.test(name) ? value.replaceAll(/\w/g, '0') : value}`,
    );
    const body = await buffer(response);
    return [String(response.statusCode), ...lines, body.toString('latin1')].join('\n');
  } catch (error) {
    // A service that drops the connection answers that.
    return messageOf(error);
  }
}
