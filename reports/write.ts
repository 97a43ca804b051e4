import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { chmod, readdir, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { getSystemErrorMessage } from 'node:util';
import { makeFolder } from '../contract/make-folder.ts';
import { renderFiles, renderFindings, type AnyReport } from './formats/index.ts';

/**
 * Writes the report into the folder for people, programs and CI servers, and makes the folder if there is none.
 * Returns the paths. @throws {Error} that names the path and the reason if one cannot be written
 */
export async function writeReportDirectory(directory: string, report: AnyReport): Promise<string[]> {
  const paths: string[] = [];
  for (const [name, text] of await renderFiles(report)) {
    const path = join(directory, name);
    await writeReportText(path, text);
    paths.push(path);
  }
  await writeFindings(join(directory, 'findings'), report);
  return paths;
}

// What an earlier run left, whose findings may be gone.
const FINDING_FILE = /^(?:[a-z\d-]+-\d+\.(?:sh|har)|whole-run\.sh)$/;

/** Writes a script for each finding that can be sent again. */
async function writeFindings(directory: string, report: AnyReport): Promise<void> {
  const files = await renderFindings(report);
  const old = await readdir(directory).catch(() => []);
  for (const name of old.filter((one) => FINDING_FILE.test(one) && !files.has(one))) {
    await rm(join(directory, name), { force: true });
  }
  for (const [name, text] of files) {
    const path = join(directory, name);
    await writeReportText(path, text);
    await chmod(path, 0o755);
  }
}

type Content = string | Uint8Array | AsyncIterable<Uint8Array>;

/** Writes a text to a file, whose folder is made if there is none. @throws {Error} that names the path and the reason */
export async function writeReportText(path: string, text: Content): Promise<void> {
  try {
    // mkdir would call a file in the folder's place "already exists".
    makeFolder(dirname(path));
    const existing = await stat(path).catch(() => undefined);
    if (existing === undefined) {
      await replaceFile(path, text);
    } else if (existing.isFile()) {
      await replaceFile(await realpath(path), text, existing.mode);
    } else {
      // A device or a pipe such as /dev/stdout is written to, never replaced.
      await writeFile(path, text);
    }
  } catch (error) {
    throw new Error(`Cannot write to ${path}: ${reasonOf(error)}`, { cause: error });
  }
}

/** A reader sees the old file or the new one, never half of it. @param mode that of the old one */
async function replaceFile(path: string, text: Content, mode?: number): Promise<void> {
  const temporary = join(dirname(path), `.${basename(path)}.${randomUUID()}.tmp`);
  const drop = (): void => rmSync(temporary, { force: true });
  // A process may be ended in the middle of this.
  process.once('exit', drop);
  try {
    await writeFile(temporary, text, { flag: 'wx' });
    if (mode !== undefined) {
      await chmod(temporary, mode);
    }
    await rename(temporary, path);
  } catch (error) {
    drop();
    throw error;
  } finally {
    process.off('exit', drop);
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof Error && 'errno' in error && typeof error.errno === 'number') {
    return getSystemErrorMessage(error.errno);
  }
  return String(error);
}
