import { expect, test } from 'vitest';

import { SAMPLE_KILL_MATRIX } from '../model/sample-kill-matrix.test-data.ts';
import { SAMPLE_LOAD_REPORT, SAMPLES } from '../model/sample-load-report.test-data.ts';
import { folderFormatNames, formatIds, renderFiles, renderFormat } from './index.ts';

const RUN_FILES = [
  ['report.json', '{'],
  ['report.html', '<!doctype html>'],
  ['report.md', '# '],
  ['junit.xml', '<?xml'],
] as const;

const FURTHER = [
  ['ctrf', '{'],
  ['sarif', '{'],
  ['code-quality', '['],
  ['har', '{'],
  ['badge', '<svg '],
  ['endpoint-badge', '{'],
] as const;

const MATRIX_FILES = [
  ['kill-matrix.json', '{'],
  ['kill-matrix.html', '<!doctype html>'],
  ['kill-matrix.md', '# '],
] as const;

test.each([
  ...SAMPLES.map(([, report]) => [report.kind, report, RUN_FILES] as const),
  ['prove', SAMPLE_KILL_MATRIX, MATRIX_FILES] as const,
])('a report of %s has a file for each format that help names', async (kind, report, files) => {
  const texts = await renderFiles(report);
  expect([...texts.keys()].toSorted()).toEqual(files.map(([name]) => name).toSorted());
  expect(texts.size).toBe(folderFormatNames(kind).split(/, | and /).length);
  for (const [name, start] of files) {
    expect(texts.get(name)?.slice(0, start.length)).toBe(start);
  }
});

test.each([
  ...SAMPLES.map(([, report]) => [report, FURTHER] as const),
  [SAMPLE_LOAD_REPORT, [['openmetrics', '# TYPE stockcheck_load info\n']]] as const,
])('every other format of $kind is rendered by its name', async (report, formats) => {
  for (const [id, start] of formats) {
    expect((await renderFormat(report, id)).slice(0, start.length)).toBe(start);
    expect(formatIds(report.kind)).toContain(id);
  }
});

test('formats are named by the kind of report', () => {
  expect(folderFormatNames('load')).toBe('JSON, HTML, Markdown and JUnit XML');
  expect(folderFormatNames('prove')).toBe('JSON, HTML and Markdown');
  expect(formatIds('prove')).toEqual(['json', 'html', 'markdown']);
});
