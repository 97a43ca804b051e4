import { execFile } from 'node:child_process';
import { chmod, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { beforeEach, describe, expect, test } from 'vitest';
import { temporaryDirectory } from '../contract/temporary-directory.test-data.ts';
import { renderFiles, renderJson, type AnyReport } from './formats/index.ts';
import { SAMPLE_REPORT } from './model/sample-report.test-data.ts';
import { SAMPLES } from './model/sample-load-report.test-data.ts';
import { repeatableFindings } from './model/findings.ts';
import { parseReport } from './model/validate.ts';
import { writeReportDirectory, writeReportText } from './write.ts';

let folder: string;

beforeEach(() => {
  folder = temporaryDirectory();
});

async function writeReportFile(path: string, report: AnyReport): Promise<void> {
  await writeReportText(path, await renderJson(report));
}

async function readReport(path: string): Promise<unknown> {
  return parseReport(await readFile(path, 'utf8'));
}

describe('writing a report', () => {
  test('makes the folders and leaves nothing but the file', async () => {
    const path = join(folder, 'a', 'b', 'out.json');
    await writeReportFile(path, SAMPLE_REPORT);
    await writeReportFile(path, { ...SAMPLE_REPORT, durationSeconds: 1 });
    expect(await readReport(path)).toEqual({ ...SAMPLE_REPORT, durationSeconds: 1 });
    expect(await readdir(join(folder, 'a', 'b'))).toEqual(['out.json']);
  });

  test.each(SAMPLES)('writes one file per format for a %s', async (_subject, report) => {
    const directory = join(folder, 'report');
    const paths = await writeReportDirectory(directory, report);
    const files = await renderFiles(report);
    expect(paths).toEqual([...files.keys()].map((name) => join(directory, name)));
    const scripts = repeatableFindings(report).map(({ id }) => `${id}.sh`);
    const folders = scripts.length === 0 ? [] : ['findings'];
    expect((await readdir(directory)).toSorted()).toEqual([...folders, ...files.keys()].toSorted());
    for (const name of folders) {
      expect(await readdir(join(directory, name))).toEqual(scripts);
    }
    for (const path of paths) {
      expect(await readFile(path, 'utf8')).toBe(files.get(basename(path)));
    }
    expect(await readReport(join(directory, 'report.json'))).toEqual(report);
  });

  test('names the path and the reason if it cannot write', async () => {
    const file = join(folder, 'file');
    await writeFile(file, '');
    const below = join(file, 'out.json');
    await expect(writeReportFile(below, SAMPLE_REPORT)).rejects.toThrow(
      new Error(`Cannot write to ${below}: not a directory`),
    );
    const directory = join(folder, 'directory');
    await mkdir(directory);
    await expect(writeReportFile(directory, SAMPLE_REPORT)).rejects.toThrow(
      new Error(`Cannot write to ${directory}: illegal operation on a directory`),
    );
    await expect(writeReportDirectory(file, SAMPLE_REPORT)).rejects.toThrow(join(file, 'report.json'));
  });

  test.skipIf(process.platform !== 'linux')('ends if the system makes no folder', async () => {
    await expect(writeReportDirectory('/proc/folder/x', SAMPLE_REPORT)).rejects.toThrow(
      new Error('Cannot write to /proc/folder/x/report.json: no such file or directory'),
    );
  });

  test('keeps the old file if the report is not valid', async () => {
    const path = join(folder, 'out.json');
    await writeReportFile(path, SAMPLE_REPORT);
    await expect(writeReportFile(path, { ...SAMPLE_REPORT, durationSeconds: -1 })).rejects.toThrow(
      '/durationSeconds',
    );
    expect(await readReport(path)).toEqual(SAMPLE_REPORT);
  });

  test('leaves nothing behind if the process ends meanwhile', async () => {
    const before = new Set(process.listeners('exit'));
    const names: string[][] = [];
    const content = async function* (): AsyncGenerator<Uint8Array> {
      yield Buffer.from('half');
      names.push(await readdir(folder));
      process
        .listeners('exit')
        .filter((listener) => !before.has(listener))
        .forEach((listener) => listener.call(process, 0));
      names.push(await readdir(folder));
      throw new Error('the process ends');
    };
    await expect(writeReportText(join(folder, 'out.json'), content())).rejects.toThrow('the process ends');
    expect(names).toEqual([[expect.stringContaining('.tmp')], []]);
    expect(process.listeners('exit')).toHaveLength(before.size);
  });

  test('keeps who may read a file that is there', async () => {
    const path = join(folder, 'out.json');
    await writeFile(path, 'old');
    await chmod(path, 0o640);
    await writeReportFile(path, SAMPLE_REPORT);
    expect((await stat(path)).mode & 0o777).toBe(0o640);
  });

  test('writes through a symbolic link and keeps it', async () => {
    const path = join(folder, 'out.json');
    const link = join(folder, 'link.json');
    await writeFile(path, 'old');
    await symlink(path, link);
    await writeReportFile(link, SAMPLE_REPORT);
    expect(await readReport(path)).toEqual(SAMPLE_REPORT);
    expect((await readdir(folder)).toSorted()).toEqual(['link.json', 'out.json']);
  });

  test.skipIf(process.platform === 'win32')('writes to a pipe without replacing it', async () => {
    const pipe = join(folder, 'pipe');
    await promisify(execFile)('mkfifo', [pipe]);
    const [read] = await Promise.all([readReport(pipe), writeReportFile(pipe, SAMPLE_REPORT)]);
    expect(read).toEqual(SAMPLE_REPORT);
    expect((await stat(pipe)).isFIFO()).toBe(true);
  });
});
