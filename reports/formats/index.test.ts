import { expect, test } from 'vitest';

import type { KillMatrix } from '../model/kill-matrix.ts';
import { SAMPLE_CERTIFY_REPORT } from '../model/sample-certify-report.test-data.ts';
import { SAMPLE_LOAD_REPORT } from '../model/sample-load-report.test-data.ts';
import { SAMPLE_REPORT } from '../model/sample-report.test-data.ts';
import { formatNames, renderFiles } from './index.ts';

const MATRIX: KillMatrix = {
  schemaVersion: 1,
  kind: 'prove',
  verdict: 'proven',
  startedAt: '2026-11-22T12:00:00.000Z',
  durationSeconds: 1,
  suite: { version: '0.1.0', specVersion: '1.0.0' },
  underlying: [],
  seed: null,
  onlyOwn: false,
  trials: [],
  smallest: [],
};

test.each(
  [SAMPLE_REPORT, SAMPLE_CERTIFY_REPORT, SAMPLE_LOAD_REPORT, MATRIX].map(
    (report) => [report.kind, report] as const,
  ),
)('each format that help names for %s has a file of its own', async (kind, report) => {
  const files = await renderFiles(report);
  expect(files.size).toBe(formatNames(kind).split(/, | and /).length);
  expect([...files.values()].filter((text) => text === '')).toEqual([]);
});

test('formats are named by the kind of report', async () => {
  expect(formatNames('verify')).toBe('JSON, HTML, Markdown and JUnit XML');
  expect(formatNames('load')).toBe('JSON, HTML, Markdown, JUnit XML and OpenMetrics');
  expect(formatNames('prove')).toBe('JSON, HTML and Markdown');
  expect([...(await renderFiles(MATRIX)).keys()]).toEqual([
    'kill-matrix.json',
    'kill-matrix.html',
    'kill-matrix.md',
  ]);
});
