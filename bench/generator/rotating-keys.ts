import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { isJsonObject, parseJson } from '../../contract/json/index.ts';
import type { LoadGenerator, GeneratorOptions } from '../load-generator.ts';

/** Keys that the requests bear in turn. */
export const KEY_COUNT = 8;

const execute = promisify(execFile);
const PROGRAM = fileURLToPath(new URL('rotating-keys-program.ts', import.meta.url));

/** The closed model of `stockcheck load` with several keys, in a process of its own as the other generators are. */
export const ROTATING_KEYS: LoadGenerator = {
  name: 'stockcheck',
  run: async ({ url, authorization, connections, seconds }: GeneratorOptions) => {
    const { stdout } = await execute(process.execPath, [
      PROGRAM,
      url,
      authorization,
      ...[KEY_COUNT, connections, seconds].map(String),
    ]);
    const result = parseJson(stdout);
    const { requests, seconds: lasted, cpuMicroseconds } = isJsonObject(result) ? result : {};
    if (typeof requests !== 'number' || typeof lasted !== 'number' || typeof cpuMicroseconds !== 'number') {
      throw new TypeError(`stockcheck on ${url}: ${stdout}`);
    }
    return { requests, seconds: lasted, cpuMicroseconds };
  },
};
