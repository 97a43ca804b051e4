import { expect, test } from 'vitest';

import { SAMPLE_CERTIFY_REPORT } from '../model/sample-certify-report.test-data.ts';
import { SAMPLE_KILL_MATRIX } from '../model/sample-kill-matrix.test-data.ts';
import { SAMPLE_LOAD_REPORT } from '../model/sample-load-report.test-data.ts';
import { SAMPLE_REPORT } from '../model/sample-report.test-data.ts';
import { formatNames, renderFiles } from './index.ts';

const RUN_FILES = [
  ['report.json', '{'],
  ['report.html', '<!doctype html>'],
  ['report.md', '# '],
  ['junit.xml', '<?xml'],
  ['ctrf-report.json', '{'],
  ['report.sarif', '{'],
  ['gl-code-quality-report.json', '['],
  ['findings.har', '{'],
  ['badge.svg', '<svg '],
  ['badge.json', '{'],
] as const;

const FILES = {
  verify: { report: SAMPLE_REPORT, files: RUN_FILES },
  certify: { report: SAMPLE_CERTIFY_REPORT, files: RUN_FILES },
  load: {
    report: SAMPLE_LOAD_REPORT,
    files: [...RUN_FILES, ['metrics.txt', '# TYPE stockcheck_load info\n']],
  },
  prove: {
    report: SAMPLE_KILL_MATRIX,
    files: [
      ['kill-matrix.json', '{'],
      ['kill-matrix.html', '<!doctype html>'],
      ['kill-matrix.md', '| Area'],
    ],
  },
} as const;

test.each(Object.values(FILES).map(({ report, files }) => [report.kind, report, files] as const))(
  'a report of %s has a file for each format that help names',
  async (kind, report, files) => {
    const texts = await renderFiles(report);
    expect([...texts.keys()].toSorted()).toEqual(files.map(([name]) => name).toSorted());
    expect(texts.size).toBe(formatNames(kind).split(/, | and /).length);
    for (const [name, start] of files) {
      expect(texts.get(name)?.slice(0, start.length)).toBe(start);
    }
  },
);

test('formats are named by the kind of report', () => {
  expect(formatNames('load')).toBe(
    'JSON, HTML, Markdown, JUnit XML, CTRF, SARIF, Code Quality, HAR, OpenMetrics, Badge and Endpoint Badge',
  );
  expect(formatNames('prove')).toBe('JSON, HTML and Markdown');
});
