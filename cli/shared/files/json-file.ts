import { readFileSync, statSync, type Stats } from 'node:fs';

import { errorCode } from '../../../contract/error-text.ts';
import { parseJson, type JsonValue } from '../../../contract/json/index.ts';
import { ConfigurationError } from '../../../contract/configuration-error.ts';
import { findJsonSyntaxError } from './json-syntax.ts';

/**
 * Reads a file that an option names.
 * @param named what messages call it, such as `--ca ca.pem`
 * @throws {ConfigurationError} if it cannot be read
 */
export function readBytes(path: string, named: string): Buffer {
  // Some never end.
  if (entryOf(path)?.isCharacterDevice() === true) {
    throw new ConfigurationError(`${named}: this is a device, not a file`);
  }
  try {
    return readFileSync(path);
  } catch (error) {
    throw new ConfigurationError(`${named}: ${describeFileError(error)}`, { cause: error });
  }
}

/** The same of a text, without a mark at its beginning. @throws {ConfigurationError} if it cannot be read */
export function readTextFile(path: string, named: string): string {
  const bytes = readBytes(path, named);
  if (/^(?:\xFF\xFE|\xFE\xFF)/.test(bytes.toString('latin1', 0, 2))) {
    throw new ConfigurationError(`${named} is written in UTF-16; save it in UTF-8`);
  }
  if (bytes.toString('latin1', 0, 4) === 'PK\x03\x04') {
    throw new ConfigurationError(`${named} is a zip archive; unpack it first`);
  }
  return bytes.toString().replace(/^\uFEFF/, '');
}

/**
 * Reads a JSON file that an option names.
 * @throws {ConfigurationError} if it cannot be read or is not JSON, with line and column
 */
export function readJsonFile(path: string, named: string): JsonValue {
  return readJson(readTextFile(path, named), named);
}

/** @throws {ConfigurationError} if the text is not JSON, with line and column */
export function readJson(
  text: string,
  named: string,
  parse: (text: string) => JsonValue = parseJson,
): JsonValue {
  if (text.trim() === '') {
    throw new ConfigurationError(`${named} is empty`);
  }
  try {
    return parse(text);
  } catch {
    // The engine's own message quotes the text, which may hold keys, so it is no cause either.
    const found = findJsonSyntaxError(text);
    const where = found === undefined ? '' : `, line ${found.line}, column ${found.column}: ${found.message}`;
    throw new ConfigurationError(`${named} is not JSON${where}`);
  }
}

function describeFileError(error: unknown): string {
  switch (errorCode(error)) {
    case 'ENOENT':
      return 'there is no such file';
    case 'EACCES':
      return 'the file may not be read';
    case 'ELOOP':
      return 'its symbolic links lead in a circle';
    case 'ENAMETOOLONG':
      return 'the name is too long';
    case 'EISDIR':
      return 'this is a directory, not a file';
    default:
      return `the file cannot be read (${errorCode(error) ?? 'unknown error'})`;
  }
}

/** What is there; `undefined` if nothing is, or if that cannot be told, as opening it then tells. */
export function entryOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

/** Whether a folder is there. */
export function isFolder(path: string): boolean {
  return entryOf(path)?.isDirectory() === true;
}
