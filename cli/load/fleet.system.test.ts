import { createInterface } from 'node:readline';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { Redis } from 'ioredis';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';

import { endOfBinary, startBinary, readReport, temporaryDirectory } from '../run-binary.test-data.ts';
import { engineObstacle, startRedis, type RunningRedis } from '../../fixtures/container-engine.test-data.ts';
import { loadTarget } from './run.test-data.ts';
import { startTarget, writeJson, type TestTarget } from '../verify/run.test-data.ts';

export interface WorkerProcess {
  /** What it printed since `forget`. */
  readonly lines: readonly string[];
  /** Resolves with the first of these lines that holds the text. */
  readonly told: (text: string) => Promise<string>;
  readonly forget: () => void;
  readonly kill: (signal: NodeJS.Signals) => void;
  /** Resolves with the exit code. */
  readonly ended: Promise<number | null>;
}

/** Starts `stockcheck worker` as a process of its own, and waits until it is in the fleet. */
export async function startWorkerProcess(redis: string, name: string): Promise<WorkerProcess> {
  const child = startBinary(['worker', '--redis', redis, '--name', name], tmpdir());
  const ended = Promise.withResolvers<number | null>();
  child.once('close', (code) => ended.resolve(code));
  const lines: string[] = [];
  const waiting = new Map<string, (line: string) => void>();
  for (const input of [child.stdout, child.stderr]) {
    createInterface({ input }).on('line', (line) => {
      lines.push(line);
      for (const [text, resolve] of waiting) {
        if (line.includes(text)) {
          waiting.delete(text);
          resolve(line);
        }
      }
    });
  }
  const told = (text: string): Promise<string> => {
    const known = lines.find((line) => line.includes(text));
    const { promise, resolve } = Promise.withResolvers<string>();
    if (known === undefined) {
      waiting.set(text, resolve);
    } else {
      resolve(known);
    }
    return promise;
  };
  await told('is in the fleet');
  const forget = (): void => void lines.splice(0);
  return { lines, told, forget, kill: (signal) => void child.kill(signal), ended: ended.promise };
}

const obstacle = await engineObstacle();
if (obstacle !== null) {
  console.warn(`Skipped: load by a fleet. ${obstacle}`);
}

const LATENCY = ['--scenario', 'latency', '--ramp-up', '0'];
const SEARCH = ['--scenario', 'throughput,capacity', '--duration', '1s', '--ramp-up', '0', '--rate', '40'];
const CEILINGS = ['--connections', '8', '--max-rate', '40', '--threshold', 'p99<5s'];
const PREFLIGHT = 1;
/** Requests that show whether connections are kept. */
const PROBES = 10;

/** A folder whose configuration describes the target, and the words that name both and the fleet. */
function aimAt({ description }: TestTarget, redis: string): readonly [string, readonly string[]] {
  const directory = temporaryDirectory();
  writeJson(directory, 'config.json', description);
  return [directory, ['--config', 'config.json', '--fleet', redis]];
}

describe.skipIf(obstacle !== null)('load by a fleet', () => {
  let redis: RunningRedis;
  let workers: readonly WorkerProcess[] = [];

  beforeAll(async () => {
    redis = await startRedis();
    workers = await Promise.all(['w1', 'w2', 'w3'].map((name) => startWorkerProcess(redis.url, name)));
  });

  beforeEach(() => workers.forEach(({ forget }) => forget()));

  afterAll(async () => {
    workers.forEach(({ kill }) => kill('SIGKILL'));
    await Promise.all(workers.map(({ ended }) => ended));
    await redis.close();
  });

  test('runs throughput and a search for the capacity', async () => {
    const target = await startTarget();
    const [directory, words] = aimAt(target, redis.url);
    const { report } = await loadTarget([...words, ...SEARCH, ...CEILINGS], directory);
    const [throughput, capacity] = report?.scenarios ?? [];
    expect([throughput?.id, capacity?.id]).toEqual(['throughput', 'capacity']);
    expect(throughput?.spent).toBeLessThanOrEqual(throughput?.announced ?? 0);
    expect(throughput?.measurements[0]).toMatchObject({ model: 'closed', lost: {} });
    // Never above the ceiling, however many workers there are: 40/s for a second, where the first is due at once, and probes.
    expect(throughput?.spent).toBeLessThanOrEqual(40 + workers.length + PROBES);
    expect(throughput?.measurements[0]?.answered).toBeGreaterThan(0);
    expect(capacity?.capacitySteps.map(({ rate }) => rate)).toEqual(expect.arrayContaining([40]));
  });

  test('is interrupted with all its workers, and leaves nothing in Redis', async () => {
    const target = await startTarget();
    const [directory, words] = aimAt(target, redis.url);
    const shape = ['--rate', '60', '--duration', '600s', '--fleet-workers', '3'];
    const child = startBinary(['load', '--json', 'out.json', ...words, ...LATENCY, ...shape], directory);
    onTestFinished(() => void child.kill('SIGKILL'));
    const ended = endOfBinary(child);
    await Promise.all(workers.map(({ told }) => told('begins on')));
    child.kill('SIGINT');
    const { exitCode, stderr } = await ended;
    expect(exitCode).toBe(130);
    expect(stderr).toContain('Fleet of 3 of 3 workers: w1, w2, w3');
    await Promise.all(workers.map(({ told }) => told('ended:')));
    for (const { lines } of workers) {
      expect(lines).toContainEqual(
        expect.stringMatching(/^shard \d of 3 begins on w\d: http\S+, up to 20\/s of 60\/s for 600 s\.$/),
      );
    }
    const report = readReport(join(directory, 'out.json'), 'load');
    const [latency] = report?.scenarios ?? [];
    const [measured] = latency?.measurements ?? [];
    expect(latency?.notes).toContainEqual(expect.stringMatching(/began within \S+ ms of each other/));
    expect(measured?.invalid).toContainEqual(expect.stringContaining('interrupted'));
    expect(latency?.spent).toBeGreaterThanOrEqual(measured?.sent ?? Infinity);
    // All that was sent is counted, and nothing more.
    expect(measured?.sent).toBe(target.requests.length - PREFLIGHT);
    const look = new Redis(redis.url);
    onTestFinished(() => look.disconnect());
    const left = (await look.keys('stockcheck:fleet:*')).filter(
      (key) => !/:workers?(?::|$)|:claim:/.test(key),
    );
    expect(left).toEqual([]);
  });

  test('that loses a worker says which, and flatters nobody', async () => {
    const target = await startTarget();
    const [directory, words] = aimAt(target, redis.url);
    const running = loadTarget([...words, ...LATENCY, '--rate', '60', '--duration', '600s'], directory);
    const [first, second] = workers;
    await Promise.all([first?.told('begins on'), second?.told('begins on')]);
    second?.kill('SIGKILL');
    const { exitCode, stdout, report } = await running;
    expect(exitCode).toBe(3);
    const [latency] = report?.scenarios ?? [];
    const sentence =
      /Worker w2, which had shard \d of 3, 33 % of the load, has not been heard from since \d+\.\d s after the start; none of its share is in these figures/;
    expect(latency).toMatchObject({ outcome: 'inconclusive', reason: expect.stringMatching(sentence) });
    expect(latency?.measurements[0]?.invalid).toContainEqual(expect.stringMatching(sentence));
    expect(latency?.thresholds.map(({ outcome }) => outcome)).not.toContain('pass');
    expect(report?.verdict).toBe('inconclusive');
    expect(stdout).toMatch(sentence);
    expect(stdout).not.toContain('interrupted');
    // The others go on in the fleet.
    expect(workers.map(({ lines }) => lines.some((line) => line.includes('ended:')))).toEqual([
      true,
      false,
      true,
    ]);
  });

  test('whose Redis is gone says so, and its workers end when they are told to', async () => {
    const own = await startRedis();
    onTestFinished(own.close);
    const worker = await startWorkerProcess(own.url, 'lonely');
    onTestFinished(() => worker.kill('SIGKILL'));
    await own.stop();
    await worker.told('lonely has lost the connection');
    await own.start();
    await worker.told('lonely is connected');
    worker.forget();
    await own.stop();
    await worker.told('lonely has lost the connection');
    worker.kill('SIGTERM');
    expect(await worker.ended).toBe(0);
    expect(worker.lines).toHaveLength(1);
  });
});
