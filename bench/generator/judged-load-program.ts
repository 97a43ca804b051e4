import {
  followKeys,
  measurementOf,
  openLoadThreads,
  startEngine,
  type LoadRequest,
} from '../../load/index.ts';
import { createTargetClient } from '../../suites/target/index.ts';
import { newUsage } from '../../suites/oracle/index.ts';
import { PER_DAY, PER_MINUTE } from '../servers/protocol.ts';
import { tellResult } from './tell-result.ts';

// Loads a URL as a scenario of `stockcheck load` does, every response judged, and prints how many requests were answered in
// how many seconds, and the CPU time of this process meanwhile.
const [url = '', authorization = '', ...numbers] = process.argv.slice(2);
const [connections = 1, seconds = 1, threads = 1] = numbers.map(Number);
const { origin, pathname: path } = new URL(url);
const target = {
  origin,
  basePath: '',
  headers: [],
  timeoutMilliseconds: 10_000,
  insecure: false,
  certificateAuthority: null,
};
const LIST = { operation: 'listInventory', method: 'GET', path, headers: [], body: null } as const;
const { signal } = new AbortController();
const KEYS = 2;
const WARM_UP_SECONDS = 3;
const MOST = 1_000_000;

function newMix(run: string): readonly LoadRequest[] {
  return Array.from({ length: KEYS }, (_, index): LoadRequest => {
    const label = `${run}#${index}`;
    const limits = { perMinute: PER_MINUTE, perDay: PER_DAY };
    const fresh = { issued: true, usedToday: 0, usage: newUsage() };
    const key = { label, secret: label, plan: 'enterprise', limits, ...fresh } as const;
    return {
      message: LIST,
      key,
      authorization: [`${authorization} ${label} ${process.pid}`],
      operation: 'GET /inventory',
    };
  });
}

const pool = openLoadThreads();

async function load(run: string, lasts: number) {
  const client = createTargetClient(target, { signal });
  const plan = {
    model: 'closed',
    source: 'mix',
    connections,
    seconds: lasts,
    maxRate: MOST,
    mix: newMix(run),
    behaviour: { keepsAlive: true, sendsContentLength: true },
  } as const;
  const common = { target, client, warmUpMilliseconds: 0, movesClock: false, signal };
  const startsAt = performance.now() + 50;
  const engine = {
    ...common,
    share: { index: 0, of: 1 },
    startsAt,
    spend: () => true,
    history: followKeys(client, false),
  };
  const divided = {
    ...common,
    load: plan,
    expectsRefusals: false,
    budget: Number.MAX_SAFE_INTEGER,
    onSecond: () => {},
  };
  const runs =
    threads === 1
      ? [await startEngine(plan, engine).ended]
      : (await pool.generators(threads).run(divided)).runs;
  const measured = measurementOf(
    runs.map(({ recording }) => recording),
    {
      model: plan.model,
      milliseconds: Math.max(...runs.map(({ milliseconds }) => milliseconds)),
      invalid: [],
    },
  );
  const { outcome, findings } = client.judgements.judgementOf('remaining-falls');
  if (outcome !== 'pass' || measured.statuses['200'] !== measured.answered) {
    throw new Error(`${outcome}: ${findings[0]?.message}; statuses ${JSON.stringify(measured.statuses)}`);
  }
  return measured;
}

await load('warm-up', WARM_UP_SECONDS);
const before = process.cpuUsage();
const { answered, durationSeconds } = await load('measured', seconds);
tellResult(answered, durationSeconds, before);
await pool.close();
