import { X509Certificate, randomUUID } from 'node:crypto';
import { existsSync, statSync, accessSync, constants, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, resolve, join } from 'node:path';

import { ConfigurationError } from '../../../contract/configuration-error.ts';
import { isFolder, readTextFile } from './json-file.ts';
import type { Surroundings } from '../options/option-rows.ts';
import { STDOUT } from '../output/text-output.ts';
import { errorCode } from '../../../contract/error-text.ts';

/** What a relative path starts from. */
type Place = Pick<Surroundings, 'directory'>;

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
  refuseUnreachable(absolute, option, path);
  if (isFolder(absolute)) {
    throw new ConfigurationError(`${option} ${path}: this is a directory, not a file`);
  }
  if (!isFolder(dirname(absolute))) {
    throw new ConfigurationError(`${option} ${path}: the directory ${dirname(path)} does not exist`);
  }
  refuse(option, path, whyNoFile(absolute));
  return path;
}

/** @throws {ConfigurationError} if there is no directory at that path and none can be made, or nothing can be written into it */
export function checkOutputDirectory(path: string, option: string, { directory }: Place): string {
  const absolute = resolve(directory, path);
  refuseUnreachable(absolute, option, path);
  if (existsSync(absolute) && !isFolder(absolute)) {
    throw new ConfigurationError(`${option} ${path}: this is a file, not a directory`);
  }
  refuse(option, path, whyNoFolder(absolute));
  return path;
}

function refuse(option: string, path: string, reason: string | null): void {
  if (reason !== null) {
    throw new ConfigurationError(`${option} ${path}: ${reason}`);
  }
}

/** Refuses a path of which nobody can tell what is there, such as a circle of symbolic links. */
function refuseUnreachable(absolute: string, option: string, path: string): void {
  refuse(
    option,
    path,
    reasonAgainst(absolute, () => statSync(absolute, { throwIfNoEntry: false })),
  );
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

/** Why nothing can be written into that folder, or into one that is to be made there; `null` if it can. */
export function whyNoFolder(path: string): string | null {
  const entry = statSync(path, { throwIfNoEntry: false });
  if (entry === undefined) {
    return dirname(path) === path ? 'there is no such directory' : whyNoFolder(dirname(path));
  }
  if (!entry.isDirectory()) {
    return `${path} is not a directory`;
  }
  // Some file systems, such as /proc, grant what they then refuse.
  return reasonAgainst(path, () => {
    const probe = join(path, `.stockcheck-${randomUUID()}`);
    writeFileSync(probe, '\n', { flag: 'wx' });
    rmSync(probe);
  });
}

/** Whether what is written there replaces what was there: a device or a pipe is written to. */
export function isReplaced(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? true;
}

/** Why that file cannot be written in place of one that is there or not, or `null` if it can. */
export function whyNoFile(path: string): string | null {
  const entry = statSync(path, { throwIfNoEntry: false });
  if (entry === undefined) {
    return whyNoFolder(dirname(path));
  }
  return isReplaced(path)
    ? whyNoFolder(dirname(realpathSync(path)))
    : reasonAgainst(path, () => accessSync(path, constants.W_OK));
}

function reasonAgainst(path: string, attempt: () => unknown): string | null {
  try {
    attempt();
    return null;
  } catch (error) {
    switch (errorCode(error)) {
      case 'EACCES':
      case 'EPERM':
      case 'EROFS':
        return `${path} may not be written to`;
      case 'ENOSPC':
      case 'EDQUOT':
        return `no space is left at ${path}`;
      default:
        return `nothing can be written to ${path} (${errorCode(error) ?? 'unknown error'})`;
    }
  }
}
