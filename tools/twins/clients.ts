import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';

import { createDriver, STARTS } from '../../cli/library/certify/client-driver.ts';
import { twinAlterations, twinOf } from '../../cli/library/twin/twin.ts';
import { isPetStatus } from '../../contract/inventory.ts';
import { PLANS } from '../../contract/plans.ts';
import { parseRetryAfter } from '../../contract/retry-after.ts';
import { MEASURED_CLIENTS, SAMPLE_CLIENTS } from '../../fixtures/clients/index.ts';
import { INDEPENDENT_TARGETS, type IndependentTarget } from '../../fixtures/targets/index.ts';
import keyList from '../../fixtures/targets/keys.json' with { type: 'json' };
import petList from '../../fixtures/targets/pets.json' with { type: 'json' };
import { type Alteration, startReferenceServer } from '../../reference-server/index.ts';
import { parseReport } from '../../reports/index.ts';
import { certifyClient, sideBySide } from '../../suites/certify/index.ts';
import { passThrough, type ReachedService, UNSCRIPTED_SCENARIOS } from './pass-through.ts';

/** Each waits for a window of a minute, and does little else. */
const PATIENCE_SECONDS = 90;
/** So that a client meets the same long wait at both, however late the machine starts it. */
const FEWEST_SECONDS_LEFT = 50;
/** Clients at once, each at the service and at the twin. */
const JOBS = 4;
/** What is measured of the client's own pace, which differs from start to start. */
const MEASURED = /\.(?:backoff-factor|waits) \(seen\)$/;

type Client = (typeof MEASURED_CLIENTS)[number];

const { values, positionals } = parseArgs({
  options: {
    client: {
      type: 'string',
      default:
        'fetch.ts,got.ts,undici by default,python.py,curl.sh,faulty never-retries,faulty ignores-retry-after',
    },
  },
  allowPositionals: true,
});
const wanted = new Set(values.client.split(','));
const clients: readonly Client[] = [
  ...new Map([...MEASURED_CLIENTS, ...SAMPLE_CLIENTS].map((client) => [client.id, client])).values(),
].filter(({ id }) => wanted.has(id));
if (positionals.length === 0) {
  throw new Error('usage: node tools/twins/clients.ts TARGET=REPORT.json …, such as express=express.json');
}

for (const named of positionals) {
  if ((await compareClients(named)) > 0) {
    process.exitCode = 1;
  }
}

/**
 * Has each client meet a service and its twin. What differs is played once more, and counts if it differs again.
 * @returns how many were judged otherwise
 */
async function compareClients(named: string): Promise<number> {
  const [name = '', path = ''] = named.split('=');
  const target = INDEPENDENT_TARGETS.find(({ id }) => id === `${name} conformant`);
  const report = parseReport(readFileSync(path, 'utf8'));
  if (target === undefined || report.kind !== 'verify') {
    throw new Error(`${named}: there is no such target, or that is no report of verify`);
  }
  const alterations = twinAlterations(twinOf(report));
  const differences = new Map<Client, readonly string[]>();
  const compare = async (client: Client): Promise<readonly string[]> => {
    const [service, twin] = await Promise.all([
      judgeAt(client, () => startForeign(target)),
      judgeAt(client, () => startTwin(alterations)),
    ]);
    return [...new Set([...Object.keys(service), ...Object.keys(twin)])]
      .filter((row) => service[row] !== twin[row] && !MEASURED.test(row))
      .map((row) => `${row}: ${service[row] ?? 'none'} → ${twin[row] ?? 'none'}`);
  };
  await sideBySide(clients, JOBS, new AbortController().signal, async (client) => {
    const first = await compare(client);
    differences.set(client, first.length === 0 ? first : await compare(client));
  });
  for (const [{ id }, own] of differences) {
    process.stdout.write(`${own.length === 0 ? '✓' : '✗'} ${name}: ${id}\n`);
    process.stdout.write(own.map((difference) => `    ${difference}\n`).join(''));
  }
  return [...differences.values()].filter((own) => own.length > 0).length;
}

/** What is judged and observed of a client at a service, by name. */
async function judgeAt(
  { driver: name, command }: Client,
  start: () => Promise<ReachedService>,
): Promise<Readonly<Record<string, string>>> {
  const service = await start();
  const driver = createDriver(name, { command, environment: process.env });
  const never = new AbortController().signal;
  try {
    const { judgements, observations, records } = await certifyClient({
      scenarios: UNSCRIPTED_SCENARIOS,
      driver,
      start: (scenario) =>
        passThrough(service, UNSCRIPTED_SCENARIOS.find(({ id }) => id === scenario.id)?.key ?? 'fresh'),
      jobs: UNSCRIPTED_SCENARIOS.length,
      patienceSeconds: PATIENCE_SECONDS,
      starts: STARTS[name],
      signal: never,
      finish: never,
      listener: {},
    });
    return Object.fromEntries([
      ...judgements.map(({ id, outcome }) => [id, outcome] as const),
      ...Object.entries(observations).map(([id, value]) => [`${id} (seen)`, JSON.stringify(value)] as const),
      ...records.map(({ scenario, judgement }) => [scenario.id, judgement.outcome] as const),
    ]);
  } finally {
    await driver.close();
    await service.close();
  }
}

async function startForeign(target: IndependentTarget): Promise<ReachedService> {
  const [program, ...words] = target.command(0);
  const child = spawn(program, words, { stdio: ['ignore', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const first = await lines.next();
  child.stdout.resume();
  return reached(String(first.value), async () => {
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    await ended;
  });
}

async function startTwin(alterations: readonly Alteration[]): Promise<ReachedService> {
  const revoked = keyList.revoked.map((key) => ({ key, plan: 'free' as const, revoked: true }));
  const keys = keyList.keys.flatMap(({ key, plan: name, perMinute, perDay }) => {
    const plan = PLANS.find((known) => known === name);
    return plan === undefined ? [] : [{ key, plan, perMinute, perDay }];
  });
  const server = await startReferenceServer({
    control: false,
    graceMilliseconds: 0,
    keys: [...keys, ...revoked],
    inventory: petList.flatMap(({ petId, quantity, status }) =>
      isPetStatus(status) ? [{ petId: BigInt(petId), quantity, status }] : [],
    ),
    alterations,
  });
  return reached(server.url, server.close);
}

function reached(url: string, close: () => Promise<void>): ReachedService {
  const [fresh = '', usedUp = ''] = keyList.keys.filter(({ plan }) => plan === 'free').map(({ key }) => key);
  return {
    url,
    keys: { fresh, usedUp, revoked: keyList.revoked[0] ?? '' },
    useUp: () => useUp(url, usedUp),
    close,
  };
}

async function useUp(url: string, key: string): Promise<void> {
  for (;;) {
    const { status, headers } = await list(url, key);
    if (status === 200) {
      continue;
    }
    const retryAfter = parseRetryAfter(headers.get('retry-after') ?? '');
    const left =
      retryAfter?.form === 'delta-seconds'
        ? retryAfter.seconds
        : (retryAfter?.unixSeconds ?? Infinity) - Date.now() / 1_000;
    if (left >= FEWEST_SECONDS_LEFT) {
      return;
    }
    await delay((left + 1) * 1_000);
  }
}

async function list(url: string, key: string): Promise<Response> {
  const send = (): Promise<Response> =>
    fetch(`${url}/inventory`, { headers: { authorization: `Bearer ${key}` } });
  // A kept connection may close under a request.
  const response = await send().catch(send);
  await response.arrayBuffer();
  return response;
}
