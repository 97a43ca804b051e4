import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';

import { SEED_KEYS } from '../../fixtures/corpora/index.ts';
import { ConfigurationError } from '../../contract/configuration-error.ts';
import { ENDING_SIGNALS, nextSignal } from '../shared/interruption.ts';
import type { ServeOptions } from './options.ts';
import { describeServer, differences } from './describe-server.ts';
import { startServer } from './start-server.ts';

/** What a worker tells its parent, once. */
type Report =
  | { readonly kind: 'ready'; readonly url: string; readonly controlUrl: string }
  | { readonly kind: 'refused'; readonly message: string };

const STOP = 'stop';
const PATIENCE_MILLISECONDS = 10_000;
const FAILED = 3;

/**
 * Runs the reference server in several processes on one port, until SIGINT or SIGTERM. This process serves nothing: it
 * starts the others and ends them all as soon as one of them has ended.
 * @returns the exit code
 * @throws {ConfigurationError} if they cannot listen, or cannot use their store
 */
export async function runServeWorkers(options: ServeOptions, count: number): Promise<number> {
  return cluster.isPrimary ? lead(options, count) : work(options);
}

async function lead(options: ServeOptions, count: number): Promise<number> {
  const interrupted = nextSignal();
  cluster.setupPrimary({ args: process.argv.slice(2) });
  const workers = Array.from({ length: count }, () => cluster.fork());
  const ends = workers.map(nextEnd);
  const anyEnd = Promise.race(ends);
  try {
    const reports = await Promise.race([Promise.all(workers.map(nextReport)), anyEnd, interrupted]);
    if (Array.isArray(reports)) {
      const [address] = reports.map(asAddress);
      const keys = options.keys ?? SEED_KEYS;
      process.stdout.write(
        describeServer(address?.url ?? '', address?.controlUrl ?? '', keys, differences(options)),
      );
    }
    const end = Array.isArray(reports) ? await Promise.race([anyEnd, interrupted]) : reports;
    if (typeof end !== 'string') {
      return 0;
    }
    process.stderr.write(`stockcheck: ${end}; none is started in its place, so the server ends\n`);
    return FAILED;
  } finally {
    await stop(workers, ends);
  }
}

/** Resolves with a sentence when a worker has ended. */
async function nextEnd(worker: Worker): Promise<string> {
  const [code, signal]: readonly unknown[] = await once(worker, 'exit');
  return `process ${worker.process.pid} of the server has ended ${typeof signal === 'string' ? `by ${signal}` : `with code ${String(code)}`}`;
}

async function nextReport(worker: Worker): Promise<Report> {
  const [message]: readonly unknown[] = await once(worker, 'message');
  if (typeof message === 'object' && message !== null) {
    if ('message' in message && typeof message.message === 'string') {
      return { kind: 'refused', message: message.message };
    }
    if (
      'url' in message &&
      'controlUrl' in message &&
      typeof message.url === 'string' &&
      typeof message.controlUrl === 'string'
    ) {
      return { kind: 'ready', url: message.url, controlUrl: message.controlUrl };
    }
  }
  throw new TypeError('A process of the server has told something unknown');
}

/** @throws {ConfigurationError} if the worker could not start */
function asAddress(report: Report): { readonly url: string; readonly controlUrl: string } {
  if (report.kind === 'refused') {
    throw new ConfigurationError(report.message);
  }
  return report;
}

async function stop(workers: readonly Worker[], ends: readonly Promise<string>[]): Promise<void> {
  for (const worker of workers) {
    if (worker.isConnected()) {
      worker.send(STOP);
    }
  }
  const timer = setTimeout(
    () => workers.forEach((worker) => worker.process.kill('SIGKILL')),
    PATIENCE_MILLISECONDS,
  );
  await Promise.all(ends);
  clearTimeout(timer);
}

async function work(options: ServeOptions): Promise<number> {
  // The parent hears them, too, and says when to stop.
  ENDING_SIGNALS.forEach((name) => process.on(name, () => undefined));
  const stopped = nextStop();
  try {
    const { url, controlUrl, close } = await startServer(options);
    tell({ kind: 'ready', url, controlUrl });
    await stopped;
    await close();
  } catch (error) {
    if (!(error instanceof ConfigurationError)) {
      throw error;
    }
    tell({ kind: 'refused', message: error.message });
    await stopped;
  }
  process.disconnect();
  return 0;
}

function tell(report: Report): void {
  process.send?.(report);
}

async function nextStop(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  process.on('message', (message) => {
    if (message === STOP) {
      resolve();
    }
  });
  await promise;
}
