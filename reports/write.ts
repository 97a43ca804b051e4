import { randomUUID } from 'node:crypto';
import type { Stats } from 'node:fs';
import { mkdir, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { getSystemErrorMessage } from 'node:util';
import { renderHtml } from './html/render-html.ts';
import { renderJson, renderKillMatrixJson } from './json/render-json.ts';
import { renderJUnit } from './junit/render-junit.ts';
import type { KillMatrix } from './model/kill-matrix.ts';
import { renderKillMatrixHtml } from './kill-matrix/html.ts';
import { renderKillMatrixMarkdown } from './kill-matrix/markdown.ts';
import { renderMarkdown } from './markdown/render-markdown.ts';
import { renderOpenMetrics } from './openmetrics/render-openmetrics.ts';
import type { Report } from './model/report.ts';

/** Writes the report as JSON. Throws an Error that names the path and the reason where it can't be written. */
export async function writeReportFile(path: string, report: Report): Promise<void> {
  await writeText(path, renderJson(report));
}

/**
 * Writes report.json, report.html, report.md and junit.xml into the folder, of load also metrics.txt
 * (OpenMetrics). The folder is made where it is missing. Returns the paths. Throws an Error that names the path and the reason where one can't be written.
 */
export async function writeReportDirectory(directory: string, report: Report): Promise<string[]> {
  return writeFiles(directory, {
    'report.json': renderJson(report),
    'report.html': await renderHtml(report),
    'report.md': renderMarkdown(report),
    'junit.xml': renderJUnit(report),
    ...(report.kind === 'load' ? { 'metrics.txt': renderOpenMetrics(report) } : {}),
  });
}

/** Writes the kill matrix as JSON. Throws an Error that names the path and the reason where it can't be written. */
export async function writeKillMatrixFile(path: string, matrix: KillMatrix): Promise<void> {
  await writeText(path, renderKillMatrixJson(matrix));
}

/** Writes kill-matrix.json, kill-matrix.html and kill-matrix.md into the folder, as `writeReportDirectory` does. */
export async function writeKillMatrixDirectory(directory: string, matrix: KillMatrix): Promise<string[]> {
  return writeFiles(directory, {
    'kill-matrix.json': renderKillMatrixJson(matrix),
    'kill-matrix.html': renderKillMatrixHtml(matrix),
    'kill-matrix.md': renderKillMatrixMarkdown(matrix),
  });
}

async function writeFiles(directory: string, files: Readonly<Record<string, string>>): Promise<string[]> {
  const paths: string[] = [];
  for (const [name, text] of Object.entries(files)) {
    const path = join(directory, name);
    await writeText(path, text);
    paths.push(path);
  }
  return paths;
}

async function writeText(path: string, text: string): Promise<void> {
  try {
    // mkdir would call a file in the folder's place "already exists".
    await makeFolder(dirname(path));
    const existing = await stats(path);
    if (existing === undefined) {
      await replaceFile(path, text);
    } else if (existing.isFile()) {
      await replaceFile(await realpath(path), text);
    } else {
      // A device or a pipe such as /dev/stdout is written to, never replaced.
      await writeFile(path, text);
    }
  } catch (error) {
    throw new Error(`Cannot write the report to ${path}: ${reasonOf(error)}`, { cause: error });
  }
}

/** Makes a folder and those it lies in. `mkdir` with `recursive` never returns where the system makes none, as in /proc. */
async function makeFolder(path: string): Promise<void> {
  if ((await stats(path)) === undefined) {
    await makeFolder(dirname(path));
    await mkdir(path).catch(async (error: unknown) => {
      // Another run may have made it at the same moment.
      if ((await stats(path)) === undefined) {
        throw error;
      }
    });
  }
}

async function stats(path: string): Promise<Stats | undefined> {
  return stat(path).catch(() => undefined);
}

/** A reader sees the old file or the new one, never half of it. */
async function replaceFile(path: string, text: string): Promise<void> {
  const temporary = join(dirname(path), `.${basename(path)}.${randomUUID()}.tmp`);
  try {
    await writeFile(temporary, text, { flag: 'wx' });
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof Error && 'errno' in error && typeof error.errno === 'number') {
    return getSystemErrorMessage(error.errno);
  }
  return String(error);
}
