import { writeFile } from 'node:fs/promises';

import { messageOf } from '../../contract/error-text.ts';
import { EXIT_UNWRITABLE } from '../shared/exit-codes.ts';
import { STDOUT } from '../shared/output/text-output.ts';

/**
 * Writes a value of `prove` that is no report of a run.
 * @param path a file, or `-` for stdout
 * @returns the exit code: 0, or that of what could not be written
 */
export async function writeAsJson(path: string, value: object): Promise<number> {
  const text = `${JSON.stringify(value, undefined, 2)}\n`;
  if (path === STDOUT) {
    process.stdout.write(text);
    return 0;
  }
  try {
    await writeFile(path, text);
    return 0;
  } catch (error) {
    process.stderr.write(`stockcheck: --json ${path} could not be written: ${messageOf(error)}\n`);
    return EXIT_UNWRITABLE;
  }
}
