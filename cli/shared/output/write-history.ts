import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';

import { ConfigurationError } from '../../../contract/configuration-error.ts';
import { messageOf } from '../../../contract/error-text.ts';

/**
 * Writes a history, and names it on stderr.
 * @param path packed if it ends in `.gz`
 * @param file its lines, in gzip form
 * @throws {ConfigurationError} if it cannot be written
 */
export async function writeHistory(
  path: string,
  file: Buffer,
  { quiet }: { readonly quiet: boolean },
): Promise<void> {
  // What is cut short is no history.
  const unfinished = `${path}.${process.pid}.part`;
  try {
    const unpacking = path.endsWith('.gz') ? [] : [createGunzip()];
    await pipeline([Readable.from([file]), ...unpacking, createWriteStream(unfinished)]);
    await rename(unfinished, path);
  } catch (error) {
    await rm(unfinished, { force: true });
    throw new ConfigurationError(`--history ${path}: ${messageOf(error)}`, { cause: error });
  }
  if (!quiet) {
    process.stderr.write(`History: ${path}\n`);
  }
}
