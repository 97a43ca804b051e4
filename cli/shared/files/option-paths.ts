import { X509Certificate } from 'node:crypto';
import { statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

import { ConfigurationError } from '../../../contract/configuration-error.ts';
import { readTextFile } from './json-file.ts';
import { STDOUT } from '../output/text-output.ts';
import { whyNoFile, whyNoFolder } from './writable.ts';

/** What a relative path starts from. */
interface Place {
  readonly directory: string;
}

/**
 * @param path `-` stands for stdout
 * @throws {ConfigurationError} if no file can be written at that path, before a run rather than after it
 */
export function checkOutputFile(path: string, option: string, { directory }: Place): string {
  if (path === STDOUT) {
    return path;
  }
  if (path === '') {
    throw new ConfigurationError(`${option}: the name of the file is empty`);
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

/** @throws {ConfigurationError} if there is no directory at that path and none can be made, or nothing can be written into it */
export function checkOutputDirectory(path: string, option: string, { directory }: Place): string {
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

/** @throws {ConfigurationError} if the file cannot be read */
export function checkInputFile(path: string, option: string, { directory }: Place): string {
  readTextFile(resolve(directory, path), `${option} ${path}`);
  return path;
}

/**
 * The text of a PEM file of certificates.
 * @throws {ConfigurationError} if the file cannot be read or holds none
 */
export function readCertificates(path: string, option: string, { directory }: Place): string {
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
