import { setTimeout as pause } from 'node:timers/promises';

import { Redis } from 'ioredis';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';

import { engineObstacle, startRedis, type RunningRedis } from '../../fixtures/container-engine.test-data.ts';
import { never } from '../engine/engine.test-data.ts';
import { connectFleet, type ConnectedFleet } from './coordinator.ts';
import { COORDINATOR, IDLE, jobOf, presenceOf, SILENCE_MILLISECONDS, WORKERS } from './fleet-protocol.ts';
import { dividedLoadFor, measurementIn, SECRET, startCounter } from '../shards/divided-load.test-data.ts';
import { startFleetWorker } from './worker.ts';

const obstacle = await engineObstacle();
if (obstacle !== null) {
  console.warn(`Skipped: the load fleet. ${obstacle}`);
}

const TAKING = {
  option: '--fleet',
  version: '1',
  signal: never(),
  patienceMilliseconds: 100,
} as const;

// A worker that is starved for six seconds is lost, as it should be; a busy machine does that once, and not twice.
describe.skipIf(obstacle !== null)('a fleet', () => {
  let redis: RunningRedis;
  let look: Redis;

  beforeAll(async () => {
    redis = await startRedis();
    look = new Redis(redis.url);
    // One test stops Redis.
    look.on('error', () => {});
  });

  beforeEach(async () => {
    await look.flushall();
  });

  afterAll(async () => {
    look.disconnect();
    await redis.close();
  });

  test('of three sends exactly what was scheduled, begins together, and leaves nothing behind', async () => {
    // Every fourth request is granted and not counted, yet each worker sees Remaining fall by more than it sent. One
    // of 200 responses cannot be read.
    const { url, count } = await startCounter((number) => ({
      'X-RateLimit-Remaining': `${100_000 - Math.ceil((3 * number) / 4)}`,
      ...(number === 90 ? { 'X-RateLimit-Limit': 'many' } : {}),
    }));
    for (const name of ['a', 'b', 'c']) {
      await startWorker(redis.url, name);
    }
    const fleet = await takeFleet(redis.url, 3);
    const seconds: number[] = [];
    const fleetLoad = dividedLoadFor(
      url,
      { rate: 100, seconds: 2 },
      { onSecond: ({ scheduled }) => seconds.push(scheduled) },
    );
    const run = await fleet.run(fleetLoad);
    expect(run.runs.map(({ recording }) => recording.scheduled)).toEqual([67, 67, 66]);
    expect(measurementIn(run)).toMatchObject({
      scheduled: 200,
      sent: 200,
      statuses: { '200': 200 },
    });
    expect(run.invalid.filter((reason) => !reason.includes('apart'))).toEqual([]);
    expect([run.spent, count()]).toEqual([200, 200]);
    expect(seconds[0]).toBe(100);
    expect(run.notes).toEqual([expect.stringMatching(/^3 workers \(a, b, c\) began within \d+\.\d+ ms/)]);
    // It is judged as one generator's, also what no worker sees by itself, and what their monitors saw is known here.
    const { judgements } = fleetLoad.client;
    const messages = judgements.judgementOf('remaining-falls').findings.map(({ message }) => message);
    expect(messages).toEqual([expect.stringContaining('X-RateLimit-Remaining')]);
    const { findings } = judgements.judgementOf('header-limit');
    expect(findings.map(({ message }) => message)).toEqual([expect.stringContaining('is "many"')]);
    expect(findings[0]?.curl).toContain('enterprise#load1');
    expect(JSON.stringify(findings)).not.toContain(SECRET);
    const kept = await look.keys('*');
    expect(kept.filter((name) => /:run:.*:(?:to|from):|:job$/.test(name))).toEqual([]);
    await fleet.close();
    expect(await look.get(COORDINATOR)).toBeNull();
  });

  test('has a worker again that Redis has forgotten', async () => {
    await startWorker(redis.url, 'a');
    await look.del(WORKERS);
    await until(async () => (await look.exists(WORKERS)) === 1);
    expect(await look.smembers(WORKERS)).toEqual(['a']);
  });

  test('counts a shard once that is delivered twice', async () => {
    const { url, count } = await startCounter();
    const workers = [await startWorker(redis.url, 'a'), await startWorker(redis.url, 'b')];
    const fleet = await takeFleet(redis.url, 1);
    const running = fleet.run(dividedLoadFor(url, { rate: 50, seconds: 3 }));
    const run = await soleRun(look);
    await look.set(jobOf('b'), JSON.stringify({ run, measurement: 1, shard: 0, of: 1, version: '1' }));
    const told = await running;
    expect(measurementIn(told)).toMatchObject({ scheduled: 150, sent: 150 });
    expect([told.spent, count()]).toEqual([150, 150]);
    expect(workers.flatMap(({ lines }) => lines)).toContainEqual(
      expect.stringContaining('shard 1 of 1 was delivered a second time'),
    );
  });

  test('holds secrets only in what a worker has still to read, which expires, and never in a result', async () => {
    const { url, count } = await startCounter();
    await startWorker(redis.url, 'a');
    const running = (await takeFleet(redis.url, 1)).run(dividedLoadFor(url, { rate: 20, seconds: 2 }));
    await until(() => count() > 0);
    expect(await holding(look)).toEqual([]);
    expect(JSON.stringify(await running)).not.toContain(SECRET);
  });

  test('whose worker does not read what it is told leaves no secret behind', async () => {
    const { url } = await startCounter();
    await look.sadd(WORKERS, 'deaf');
    await look.set(presenceOf('deaf'), IDLE);
    const interruption = new AbortController();
    const fleet = await takeFleet(redis.url, 1);
    const running = fleet.run(dividedLoadFor(url, { rate: 20, seconds: 2 }, { signal: interruption.signal }));
    await until(async () => (await holding(look)).length > 0);
    const names = await holding(look);
    expect(names).toEqual([expect.stringMatching(/:run:.*:to:0$/)]);
    expect(await look.pttl(names[0] ?? '')).toBeGreaterThan(0);
    interruption.abort();
    expect(await running).toMatchObject({ runs: [], spent: 0, invalid: [] });
    expect(await holding(look)).toEqual([]);
  });

  test('stops when its coordinator is gone, and what it left expires', async () => {
    const { url, count } = await startCounter();
    const worker = await startWorker(redis.url, 'a');
    const fleet = await takeFleet(redis.url, 1);
    const running = fleet.run(dividedLoadFor(url, { rate: 50, seconds: 600 }));
    await until(() => count() > 10);
    // As it is when nobody keeps it alive any more.
    await look.del(COORDINATOR);
    const told = await running;
    expect(told.invalid.join(' ')).toContain('Worker a, which had shard 1 of 1, 100 % of the load,');
    expect(told.invalid.join(' ')).toContain('lost its coordinator');
    expect(fleet.lost.aborted).toBe(true);
    expect(worker.lines.at(-1)).toContain('given up');
    for (const name of await look.keys('stockcheck:fleet:run:*')) {
      expect(await look.pttl(name)).toBeGreaterThan(0);
    }
    const sent = count();
    await pause(300);
    expect(count()).toBe(sent);
  });

  test('ends early when it is told to, with what was measured until then', async () => {
    const { url, count } = await startCounter();
    await startWorker(redis.url, 'a');
    await startWorker(redis.url, 'b');
    const fleet = await takeFleet(redis.url, 2);
    const interruption = new AbortController();
    const running = fleet.run(
      dividedLoadFor(url, { rate: 50, seconds: 600 }, { signal: interruption.signal }),
    );
    await until(() => count() > 20);
    interruption.abort();
    const told = await running;
    expect(measurementIn(told).sent).toBe(count());
    expect(fleet.lost.aborted).toBe(false);
  });

  test('is not there for two runs at a time', async () => {
    await startWorker(redis.url, 'a');
    await takeFleet(redis.url, 1);
    await expect(connectFleet({ ...TAKING, url: redis.url, workers: 1 })).rejects.toThrow(
      /^--fleet: the fleet at 127\.0\.0\.1:\d+ is busy with another run\.$/,
    );
  });

  test('that has too few workers says who is there, and how to start more', async () => {
    await startWorker(redis.url, 'a');
    await expect(connectFleet({ ...TAKING, url: redis.url, workers: 3 })).rejects.toThrow(
      /^--fleet-workers 3: only a is connected to 127\.0\.0\.1:\d+ and free after 0\.1 s\. Start workers with: stockcheck worker --redis redis:/,
    );
    expect(await look.get(COORDINATOR)).toBeNull();
  });

  test('does not work with workers of another version', async () => {
    const { url, count } = await startCounter();
    await startWorker(redis.url, 'old', { version: '0' });
    const fleet = await takeFleet(redis.url, 1);
    const told = await fleet.run(dividedLoadFor(url, { rate: 50, seconds: 1 }));
    expect(told.invalid.join(' ')).toContain('Worker old');
    expect(told.invalid.join(' ')).toContain('is version 0, and the coordinator 1');
    expect([told.runs, count()]).toEqual([[], 0]);
  });

  test('sends nothing to a host that its worker was not allowed', async () => {
    const { url, count } = await startCounter();
    const worker = await startWorker(redis.url, 'careful', { allowedTargets: ['other.example'] });
    const fleet = await takeFleet(redis.url);
    const fleetLoad = dividedLoadFor(url, { rate: 10, seconds: 1 });
    const target = { ...fleetLoad.target, origin: 'http://staging.example:1' };
    const run = await fleet.run({ ...fleetLoad, target });
    expect(run.invalid.join(' ')).toContain('--allow-target staging.example');
    expect(worker.lines.join(' ')).toContain('may not send requests to staging.example');
    expect([run.spent, count()]).toEqual([0, 0]);
  });

  test('lets nobody in under a name that is taken', async () => {
    await startWorker(redis.url, 'a');
    await expect(startWorker(redis.url, 'a')).rejects.toThrow('give another --name');
  });

  test('whose Redis is lost tells nothing of the load', async () => {
    const { url, count } = await startCounter();
    await startWorker(redis.url, 'a');
    const fleet = await takeFleet(redis.url, 1);
    const running = fleet.run(dividedLoadFor(url, { rate: 50, seconds: 600 }));
    await until(() => count() > 10);
    await redis.stop();
    const told = await running;
    expect(told.runs).toEqual([]);
    expect(told.invalid).toEqual([expect.stringMatching(/^Redis at 127\.0\.0\.1:\d+ was lost/)]);
    await until(async () => {
      const sent = count();
      await pause(SILENCE_MILLISECONDS / 10);
      return count() === sent;
    });
    await redis.start();
  });
});

/** Starts a worker in this process; it leaves at the end of the test. */
async function startWorker(
  url: string,
  name: string,
  changes: { readonly version?: string; readonly allowedTargets?: readonly string[] } = {},
) {
  const lines: string[] = [];
  const worker = await startFleetWorker({
    url,
    option: '--redis',
    name,
    version: '1',
    allowedTargets: [],
    say: (line) => lines.push(line),
    warn: (line) => lines.push(line),
    ...changes,
  });
  onTestFinished(worker.close);
  return { ...worker, lines };
}

/** Takes the fleet until the test ends. */
async function takeFleet(url: string, workers: number | null = null): Promise<ConnectedFleet> {
  const fleet = await connectFleet({ url, option: '--fleet', workers, version: '1', signal: never() });
  onTestFinished(fleet.close);
  return fleet;
}

/** The names of all keys in Redis that hold the secret of the load. */
async function holding(look: Redis): Promise<readonly string[]> {
  const found: string[] = [];
  for (const name of await look.keys('*')) {
    const text = JSON.stringify(await dump(look, name, await look.type(name)));
    if (text.includes(SECRET)) {
      found.push(name);
    }
  }
  return found;
}

/** The id of the run of which a shard has been taken. */
async function soleRun(look: Redis): Promise<string> {
  let run = '';
  await until(async () => {
    const [claim = ''] = await look.keys('stockcheck:fleet:run:*:claim:0');
    run = claim.split(':')[3] ?? '';
    return run !== '';
  });
  return run;
}

async function dump(look: Redis, name: string, type: string): Promise<unknown> {
  switch (type) {
    case 'string':
      return look.get(name);
    case 'hash':
      return look.hgetall(name);
    case 'set':
      return look.smembers(name);
    default:
      throw new TypeError(`${name} is a ${type}`);
  }
}

/** Ends with the timeout of the test if it never holds. */
async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) {
    await pause(20);
  }
}
