import { X509Certificate } from 'node:crypto';
import { statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

import { ConfigurationError } from '../../../contract/configuration-error.ts';
import { readTextFile } from './json-file.ts';
import { STDOUT } from '../output/text-output.ts';
import { whyNoFile, whyNoFolder } from './writable.ts';

/**
 * @param path `-` stands for stdout
 * @throws {ConfigurationError} where no file can be written at that path, before a run rather than after it
 */
export function checkOutputFile(option: string, path: string, directory: string): string {
  if (path === STDOUT) {
    return path;
  }
  const absolute = resolve(directory, path);
  if (kindOf(absolute) === 'directory') {
    throw new ConfigurationError(`${option} ${path}: this is a directory, not a file`);
  }
  if (kindOf(dirname(absolute)) !== 'directory') {
    throw new ConfigurationError(`${option} ${path}: the directory ${dirname(path)} does not exist`);
  }
  refuse(option, path, whyNoFile(absolute));
  return path;
}

/**
 * The path of `--json [file]`, where nothing stands for stdout as `-` does.
 * @throws {ConfigurationError} where no file can be written there
 */
export function readJsonPath(value: string | true, directory: string): string {
  return value === true ? STDOUT : checkOutputFile('--json', value, directory);
}

/** @throws {ConfigurationError} where no directory is at that path or can be made there, or nothing written into it */
export function checkOutputDirectory(option: string, path: string, directory: string): string {
  if (kindOf(resolve(directory, path)) === 'file') {
    throw new ConfigurationError(`${option} ${path}: this is a file, not a directory`);
  }
  refuse(option, path, whyNoFolder(resolve(directory, path)));
  return path;
}

function refuse(option: string, path: string, reason: string | null): void {
  if (reason !== null) {
    throw new ConfigurationError(`${option} ${path}: ${reason}`);
  }
}

/** @throws {ConfigurationError} where the file can't be read */
export function checkInputFile(option: string, path: string, directory: string): string {
  readTextFile(resolve(directory, path), `${option} ${path}`);
  return path;
}

/**
 * The text of a PEM file of certificates.
 * @throws {ConfigurationError} where the file can't be read or holds none
 */
export function readCertificates(option: string, path: string, directory: string): string {
  const text = readTextFile(resolve(directory, path), `${option} ${path}`);
  if (!holdsCertificate(text)) {
    throw new ConfigurationError(`${option} ${path}: the file holds no certificate in PEM form`);
  }
  return text;
}

function holdsCertificate(text: string): boolean {
  try {
    return new X509Certificate(text).subject !== undefined;
  } catch {
    return false;
  }
}

function kindOf(path: string): 'file' | 'directory' | undefined {
  const entry = statSync(path, { throwIfNoEntry: false });
  if (entry === undefined) {
    return undefined;
  }
  return entry.isDirectory() ? 'directory' : 'file';
}
