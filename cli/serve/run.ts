import { once } from 'node:events';
import cluster, { type Worker } from 'node:cluster';

import { nextSignal, ENDING_SIGNALS } from '../shared/interruption.ts';
import type { CommandCall } from '../shared/options/command.ts';
import { readServeOptions, type ServeOptions } from './options.ts';
import { describeServer, startServer } from './start-server.ts';
import { isServerAddress, type ServerAddress } from '../library/embedded/embedded-target.ts';
import { ConfigurationError } from '../../contract/configuration-error.ts';

/**
 * Runs the reference server until SIGINT or SIGTERM; a second signal ends the process at once.
 * @returns the exit code
 * @throws {ConfigurationError} if it cannot listen, or cannot use its store
 */
export async function runServe({ flags, surroundings }: CommandCall): Promise<number> {
  const options = readServeOptions(flags, surroundings);
  if (options.workers !== null) {
    return cluster.isPrimary ? lead(options, options.workers) : work(options);
  }
  const interrupted = nextSignal();
  const server = await startServer(options);
  process.stdout.write(describeServer(server, options));
  await interrupted;
  await server.close();
  return 0;
}

const STOP = 'stop';
const PATIENCE_MILLISECONDS = 10_000;
const FAILED = 3;

/**
 * Runs the reference server in several processes on one port, until SIGINT or SIGTERM. This process serves nothing: it
 * starts the others and ends them all as soon as one of them has ended.
 * @returns the exit code
 * @throws {ConfigurationError} if they cannot listen, or cannot use their store
 */
async function lead(options: ServeOptions, count: number): Promise<number> {
  const interrupted = nextSignal();
  cluster.setupPrimary({ args: process.argv.slice(2) });
  const workers = Array.from({ length: count }, () => cluster.fork());
  const ends = workers.map(nextEnd);
  const anyEnd = Promise.race(ends);
  try {
    const first = await Promise.race([Promise.all(workers.map(nextAddress)), anyEnd, interrupted]);
    const [address] = Array.isArray(first) ? first : [];
    if (address !== undefined) {
      process.stdout.write(describeServer(address, options));
    }
    const end = Array.isArray(first) ? await Promise.race([anyEnd, interrupted]) : first;
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

/** @throws {ConfigurationError} if the worker says, in place of its address, why it could not start */
async function nextAddress(worker: Worker): Promise<ServerAddress> {
  const [message]: readonly unknown[] = await once(worker, 'message');
  if (isServerAddress(message)) {
    return message;
  }
  throw new ConfigurationError(String(message));
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
  const stopped = once(process, 'message');
  try {
    const { url, controlUrl, close } = await startServer(options);
    process.send?.({ url, controlUrl });
    await stopped;
    await close();
  } catch (error) {
    if (!(error instanceof ConfigurationError)) {
      throw error;
    }
    process.send?.(error.message);
    await stopped;
  }
  process.disconnect();
  return 0;
}
