import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

export interface GeneratorOptions {
  readonly url: string;
  readonly authorization: string;
  readonly connections: number;
  /** Whole seconds. */
  readonly seconds: number;
}

export interface GeneratorResult {
  /** Requests that were answered. */
  readonly requests: number;
  readonly seconds: number;
  /** CPU time of the generator, but for its start; `null` if it is not known. */
  readonly cpuMicroseconds: number | null;
}

export interface LoadGenerator {
  readonly name: string;
  /** @throws if a response was not 2xx or a connection failed */
  readonly run: (options: GeneratorOptions) => Promise<GeneratorResult>;
}

const execute = promisify(execFile);

/** Stock autocannon. */
export const AUTOCANNON = programGenerator(
  'autocannon',
  new URL('generator/autocannon-program.ts', import.meta.url),
);

/** Keys that the requests of `ROTATING_KEYS` bear in turn. */
export const KEY_COUNT = 8;

/** The closed model of `stockcheck load` with several keys. */
export const ROTATING_KEYS = programGenerator(
  'stockcheck',
  new URL('generator/rotating-keys-program.ts', import.meta.url),
  KEY_COUNT,
);

/** A scenario of `stockcheck load` that has every response judged. */
export const judgedLoad = (threads: number): LoadGenerator =>
  programGenerator('stockcheck', new URL('generator/judged-load-program.ts', import.meta.url), threads);

/** @param program loads a URL in a process of its own, and prints its result as JSON */
function programGenerator(name: string, program: URL, ...more: readonly number[]): LoadGenerator {
  return {
    name,
    run: async ({ url, authorization, connections, seconds }) => {
      const numbers = [connections, seconds, ...more].map(String);
      const words = [fileURLToPath(program), url, authorization, ...numbers];
      const { stdout } = await execute(process.execPath, words);
      const result: GeneratorResult = JSON.parse(stdout);
      return result;
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

async function runWrk({
  url,
  authorization,
  connections,
  seconds,
}: GeneratorOptions): Promise<GeneratorResult> {
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
