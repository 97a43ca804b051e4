import {
  createRecorder,
  measurementOf,
  openLoadThreads,
  runEngine,
  type LoadRequest,
} from '../../load/index.ts';
import { newUsage, type Key } from '../../suites/oracle/index.ts';
import { createTargetClient } from '../../suites/target/index.ts';
import { PER_DAY, PER_MINUTE } from '../servers/protocol.ts';
import { targetAt } from './target-at.ts';

// Loads a URL as a scenario of `stockcheck load` does, every response judged, and prints how many requests were answered in
// how many seconds, and the CPU time of this process meanwhile. A rate of 0 is a closed loop.
const [url = '', ...numbers] = process.argv.slice(2);
const [keyCount = 1, connections = 1, seconds = 1, threads = 1, rate = 0] = numbers.map(Number);
const { target, path } = targetAt(url);
const { signal } = new AbortController();
const WARM_UP_SECONDS = 3;
const MOST = 1_000_000;

/** New keys, each of which has all of its limit left. */
function newMix(run: string): readonly LoadRequest[] {
  return Array.from({ length: keyCount }, (_, index): LoadRequest => {
    const label = `${run}#${index}`;
    const limits = { perMinute: PER_MINUTE, perDay: PER_DAY };
    const key: Key = {
      label,
      secret: label,
      plan: 'enterprise',
      limits,
      issued: true,
      usedToday: 0,
      usage: newUsage(),
    };
    const authorization = [`Bearer ${label} ${process.pid}`];
    const message = { operation: 'listInventory', method: 'GET', path, headers: [], body: null } as const;
    return { message, key, authorization, operation: 'GET /inventory' };
  });
}

const pool = openLoadThreads();

async function load(run: string, lasts: number) {
  const mix = newMix(run);
  const client = createTargetClient(target, { signal });
  const plan =
    rate > 0
      ? ({
          model: 'open',
          stages: [{ from: rate, to: rate, seconds: lasts }],
          process: 'constant',
          seed: 1,
          connections,
          mix,
        } as const)
      : ({
          model: 'closed',
          source: 'mix',
          connections,
          seconds: lasts,
          maxRate: MOST,
          mix,
          behaviour: { keepsAlive: true, sendsContentLength: true },
        } as const);
  const common = { target, client, movesClock: false, signal };
  const startsAt = performance.now() + 50;
  const runs =
    threads === 1
      ? [
          await runEngine(plan, {
            ...common,
            share: { index: 0, of: 1 },
            startsAt,
            warmUpMilliseconds: 0,
            recorder: createRecorder({ startsAt, model: plan.model }),
            breaker: { response: () => {}, loss: () => {} },
            spend: () => true,
          }),
        ]
      : await pool
          .generators(threads)
          .run({
            ...common,
            load: plan,
            warmUpMilliseconds: 0,
            expectsRefusals: false,
            budget: Number.MAX_SAFE_INTEGER,
            onSecond: () => {},
          })
          .then((divided) => divided.runs);
  const milliseconds = Math.max(...runs.map((one) => one.milliseconds));
  const recordings = runs.map(({ recording }) => recording);
  const measured = measurementOf(recordings, { model: plan.model, milliseconds, invalid: [] });
  const { outcome, findings } = client.judgements.judgementOf('remaining-falls');
  if (outcome !== 'pass' || measured.statuses['200'] !== measured.answered) {
    throw new Error(`${outcome}: ${findings[0]?.message}; statuses ${JSON.stringify(measured.statuses)}`);
  }
  return measured;
}

await load('warm-up', WARM_UP_SECONDS);
const before = process.cpuUsage();
const { answered, durationSeconds } = await load('measured', seconds);
const { user, system } = process.cpuUsage(before);
await pool.close();
process.stdout.write(
  JSON.stringify({ requests: answered, seconds: durationSeconds, cpuMicroseconds: user + system }),
);
