import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { isJsonObject, parseJson, type JsonValue } from '../contract/json/index.ts';

export interface GeneratorOptions {
  readonly url: string;
  readonly authorization: string;
  readonly connections: number;
  /** Whole seconds. */
  readonly seconds: number;
}

interface LoadResult {
  /** Requests that were answered. */
  readonly requests: number;
  readonly seconds: number;
  /** CPU time of the generator, but for its start; `null` if it is not known. */
  readonly cpuMicroseconds: number | null;
}

export interface LoadGenerator {
  readonly name: string;
  /** @throws if a response was not 2xx or a connection failed */
  readonly run: (options: GeneratorOptions) => Promise<LoadResult>;
}

const execute = promisify(execFile);

/** Stock autocannon, in a process of its own. */
export const AUTOCANNON: LoadGenerator = { name: 'autocannon', run: runAutocannon };

/** Keys that the requests of `ROTATING_KEYS` bear in turn. */
export const KEY_COUNT = 8;

/** The closed model of `stockcheck load` with several keys, in a process of its own as the other generators are. */
export const ROTATING_KEYS: LoadGenerator = ownGenerator(
  new URL('generator/rotating-keys-program.ts', import.meta.url),
  KEY_COUNT,
);

/** A scenario of `stockcheck load` that has every response judged. */
export const judgedLoad = (threads: number): LoadGenerator =>
  ownGenerator(new URL('generator/judged-load-program.ts', import.meta.url), threads);

/** @param program loads a URL, and prints its result as JSON */
function ownGenerator(program: URL, number: number): LoadGenerator {
  return {
    name: 'stockcheck',
    run: async ({ url, authorization, connections, seconds }) => {
      const numbers = [number, connections, seconds].map(String);
      const { stdout } = await execute(process.execPath, [
        fileURLToPath(program),
        url,
        authorization,
        ...numbers,
      ]);
      const result = parseJson(stdout);
      const [requests, lasted, cpuMicroseconds] = ['requests', 'seconds', 'cpuMicroseconds'].map((name) =>
        member(result, name),
      );
      if (typeof requests !== 'number' || typeof lasted !== 'number' || typeof cpuMicroseconds !== 'number') {
        throw new TypeError(`stockcheck on ${url}: ${stdout}`);
      }
      return { requests, seconds: lasted, cpuMicroseconds };
    },
  };
}

/** wrk with one thread, in a process of its own; `null` if it is not on the PATH. */
export async function findWrk(): Promise<LoadGenerator | null> {
  try {
    await execute('sh', ['-c', 'command -v wrk']);
    return { name: 'wrk', run: runWrk };
  } catch {
    return null;
  }
}

async function runWrk({ url, authorization, connections, seconds }: GeneratorOptions): Promise<LoadResult> {
  const header = `Authorization: ${authorization}`;
  const parameters = ['--threads', '1', '--connections', `${connections}`, '--duration', `${seconds}s`];
  const { stdout } = await execute('wrk', [...parameters, '--header', header, url]);
  const total = /(\d+) requests in ([\d.]+)(m?s)/.exec(stdout);
  if (total === null || /Non-2xx|Socket errors/.test(stdout)) {
    throw new Error(`wrk on ${url}: ${stdout}`);
  }
  const [, requests, duration, unit] = total;
  return {
    requests: Number(requests),
    seconds: Number(duration) / (unit === 'ms' ? 1_000 : 1),
    cpuMicroseconds: null,
  };
}

async function runAutocannon({
  url,
  authorization,
  connections,
  seconds,
}: GeneratorOptions): Promise<LoadResult> {
  const parameters = ['--json', '--connections', `${connections}`, '--duration', `${seconds}`];
  const header = `Authorization=${authorization}`;
  // CPU time until it would send.
  autocannonStart ??= executeAutocannon('--help').then(({ cpuMicroseconds }) => cpuMicroseconds);
  const start = await autocannonStart;
  const { stdout, cpuMicroseconds } = await executeAutocannon(...parameters, '--headers', header, url);
  const result = parseJson(stdout);
  const [requests, duration] = [member(member(result, 'requests'), 'total'), member(result, 'duration')];
  const failures = [member(result, 'non2xx'), member(result, 'errors')];
  if (typeof requests !== 'number' || typeof duration !== 'number' || failures.some((count) => count !== 0)) {
    throw new Error(`autocannon on ${url}: ${stdout}`);
  }
  return { requests, seconds: duration, cpuMicroseconds: cpuMicroseconds - start };
}

let autocannonStart: Promise<number> | undefined;

async function executeAutocannon(...parameters: readonly string[]) {
  const program = fileURLToPath(import.meta.resolve('autocannon'));
  const teller = fileURLToPath(new URL('generator/tell-cpu-time.ts', import.meta.url));
  const words = ['--import', teller, program, ...parameters];
  const { stdout, stderr } = await execute(process.execPath, words);
  return { stdout, cpuMicroseconds: Number(/^cpu (\d+)$/m.exec(stderr)?.[1]) };
}

function member(value: JsonValue | undefined, name: string): JsonValue | undefined {
  return isJsonObject(value) ? value[name] : undefined;
}
