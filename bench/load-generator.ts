import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

interface GeneratorOptions {
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
  /** CPU time of the generator, but for its start. */
  readonly cpuMicroseconds: number;
}

/** @throws if a response was not 2xx or a connection failed */
export type LoadGenerator = (options: GeneratorOptions) => Promise<GeneratorResult>;

const execute = promisify(execFile);

/** Stock autocannon. */
export const autocannon = programGenerator(new URL('generator/autocannon-program.ts', import.meta.url));

/** A scenario of `stockcheck load` that has every response judged. */
export const judgedLoad = (threads: number): LoadGenerator =>
  programGenerator(new URL('generator/judged-load-program.ts', import.meta.url), threads);

/** @param program loads a URL in a process of its own, and prints its result as JSON */
function programGenerator(program: URL, ...more: readonly number[]): LoadGenerator {
  return async ({ url, authorization, connections, seconds }) => {
    const numbers = [connections, seconds, ...more].map(String);
    const words = [fileURLToPath(program), url, authorization, ...numbers];
    const { stdout } = await execute(process.execPath, words);
    const result: GeneratorResult = JSON.parse(stdout);
    return result;
  };
}
