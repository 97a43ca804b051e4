import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { isJsonObject, parseJson } from '../../contract/json/index.ts';
import { median } from '../median.ts';
import { measurePairs } from '../pairs.ts';
import { startServerProcess } from '../server-process.ts';

const execute = promisify(execFile);
const PROGRAM = fileURLToPath(new URL('judged-load-program.ts', import.meta.url));
const KEYS = 2;
const THREADS = 2;

/** Prints what it costs to send a load with several threads, in CPU time of the generator, beside one thread. */
export async function compareThreads({
  pairs,
  seconds,
  connections,
}: {
  readonly pairs: number;
  /** Of a window. */
  readonly seconds: number;
  readonly connections: number;
}): Promise<void> {
  const server = await startServerProcess(new URL('../servers/counting.ts', import.meta.url));
  const measure = (threads: number) => () => run(server.url, connections, seconds, threads);
  const measured = await measurePairs(pairs, measure(THREADS), measure(1));
  server.stop();
  const medianOf = (read: (pair: (typeof measured)[number]) => number): string =>
    median(measured.map(read)).toFixed(2);
  process.stdout.write(
    [
      `Closed loop of load, every response judged, ${KEYS} keys, ${connections} connections, Node ${process.versions.node}; `,
      `medians of ${pairs} pairs of ${seconds} s windows.\n\n`,
      '| Threads | requests/s | CPU µs/request |\n| --- | ---: | ---: |\n',
      `| 1 | ${medianOf(({ other }) => other.rate)} | ${medianOf(({ other }) => other.cpu)} |\n`,
      `| ${THREADS} | ${medianOf(({ reference }) => reference.rate)} | ${medianOf(({ reference }) => reference.cpu)} |\n`,
      `| ratio | ${medianOf(({ reference, other }) => reference.rate / other.rate)} `,
      `| ${medianOf(({ reference, other }) => reference.cpu / other.cpu)} |\n`,
    ].join(''),
  );
}

/** Requests a second, and microseconds of CPU time for each. */
async function run(url: string, connections: number, seconds: number, threads: number) {
  const numbers = [KEYS, connections, seconds, threads].map(String);
  const { stdout } = await execute(process.execPath, [PROGRAM, url, ...numbers]);
  const result = parseJson(stdout);
  const { requests, seconds: lasted, cpuMicroseconds } = isJsonObject(result) ? result : {};
  if (typeof requests !== 'number' || typeof lasted !== 'number' || typeof cpuMicroseconds !== 'number') {
    throw new TypeError(`stockcheck on ${url}: ${stdout}`);
  }
  return { rate: requests / lasted, cpu: cpuMicroseconds / requests };
}
