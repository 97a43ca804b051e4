import { promisify } from 'node:util';
import { gunzipSync, gzip } from 'node:zlib';

import { isJsonObject, parseIfJson, stringifyJson, type JsonObject } from '../../../contract/json/index.ts';

const BLOCK_CHARACTERS = 1 << 20;
// Beside the thread that writes, which may be one that puts load on a target.
const pack = promisify(gzip);

/** Takes lines of JSON and keeps them compressed. */
export function openLineFile() {
  const blocks: Promise<Buffer>[] = [];
  let pending: string[] = [];
  let characters = 0;
  const flush = (): void => {
    if (pending.length > 0) {
      blocks.push(pack(pending.join('')));
      pending = [];
      characters = 0;
    }
  };
  return {
    write: (line: JsonObject): void => {
      const text = `${stringifyJson(line)}\n`;
      pending.push(text);
      characters += text.length;
      if (characters >= BLOCK_CHARACTERS) {
        flush();
      }
    },
    /** The whole file, whose first line is this one. */
    finish: async (first: JsonObject): Promise<Buffer> => {
      flush();
      return Buffer.concat(await Promise.all([pack(`${stringifyJson(first)}\n`), ...blocks]));
    },
  };
}

/** What a file of lines may unpack to. */
const MOST_BYTES = 1 << 29;

/**
 * The lines of a file, in gzip form or as plain text.
 * @throws {SyntaxError} that says what is wrong with it
 */
export function readLineFile(file: Buffer): readonly JsonObject[] {
  const text = unpack(file);
  if (!text.endsWith('\n')) {
    throw new SyntaxError('it ends in the middle of a line');
  }
  return text
    .slice(0, -1)
    .split('\n')
    .map((line, index) => {
      const value = parseIfJson(line);
      if (!isJsonObject(value)) {
        throw new SyntaxError(`line ${index + 1} is no JSON object`);
      }
      return value;
    });
}

/**
 * What is read from a line.
 * @param index its place among the lines behind the first one
 * @throws {SyntaxError} that names it, counted from the first one
 */
export function atLine<Read>(index: number, read: () => Read): Read {
  try {
    return read();
  } catch (error) {
    throw error instanceof SyntaxError
      ? new SyntaxError(`line ${index + 2}: ${error.message}`, { cause: error })
      : error;
  }
}

/** Whether a file is in gzip form (RFC 1952, section 2.3.1). */
export function isPacked(file: Buffer): boolean {
  return file[0] === 0x1f && file[1] === 0x8b;
}

function unpack(file: Buffer): string {
  if (!isPacked(file)) {
    return file.toString();
  }
  try {
    return gunzipSync(file, { maxOutputLength: MOST_BYTES }).toString();
  } catch (error) {
    throw new SyntaxError(
      error instanceof RangeError
        ? `it holds more than ${MOST_BYTES / 2 ** 20} MiB`
        : 'it is no whole file in gzip form',
      { cause: error },
    );
  }
}
