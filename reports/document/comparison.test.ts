import { expect, test } from 'vitest';
import { renderPage } from '../html/page.ts';
import { attributeValues } from '../html/structure.test-data.ts';
import { renderMarkdown } from '../markdown/document.ts';
import { layOut } from '../model/report-matrix.ts';
import type { Report } from '../model/report.ts';
import { REPORT_WITH_CAUSES, SAMPLE_REPORT } from '../model/sample-report.test-data.ts';
import { renderTerminal } from '../terminal/document.ts';
import { matrixDocument } from './comparison.ts';

const OTHER_SILENCES: Report = {
  ...SAMPLE_REPORT,
  observations: { ...SAMPLE_REPORT.observations, 'retry-after-format': 'HTTP-date' },
};

const REPORTS = [
  { name: 'stable', report: SAMPLE_REPORT },
  { name: 'next', report: REPORT_WITH_CAUSES },
  { name: 'other', report: OTHER_SILENCES },
];

const MATRIX = layOut('verify', REPORTS);

test('what the reports differ in comes first, and nothing is lost', () => {
  const [first, ...others] = MATRIX.requirements;
  expect(first).toMatchObject({
    id: 'list-succeeds',
    differs: true,
    cells: [
      { outcome: 'pass' },
      { outcome: 'fail', message: 'The list is not a JSON array.' },
      { outcome: 'pass' },
    ],
  });
  expect(others.filter(({ differs }) => differs)).toEqual([]);
  const judged = SAMPLE_REPORT.requirements.filter(({ level }) => level !== 'observe');
  expect(MATRIX.requirements).toHaveLength(judged.length);
  expect(MATRIX.observations).toEqual([
    { name: 'retry-after-format', values: ['delta-seconds', 'delta-seconds', 'HTTP-date'] },
  ]);
});

test('a requirement that one report lacks differs', () => {
  const less = { ...SAMPLE_REPORT, requirements: SAMPLE_REPORT.requirements.slice(1) };
  const { requirements } = layOut(
    'verify',
    [REPORTS[0], { name: 'less', report: less }].filter((one) => one !== undefined),
  );
  expect(requirements[0]).toMatchObject({ id: SAMPLE_REPORT.requirements[0]?.id, cells: [{}, null] });
});

test('the terminal has a column for each report, in what differs', () => {
  const text = renderTerminal(matrixDocument(MATRIX, REPORTS), false);
  expect(text).toContain('  next    ✗ ');
  expect(text).toMatch(
    /Requirements that differ \(1\)\n {2}Requirement +Level +stable +next +other .*\n {2}list-succeeds +must +pass +fail +pass /,
  );
  expect(text).toMatch(/retry-after-format +delta-seconds +delta-seconds +HTTP-date/);
  expect(text).not.toContain('list-complete');
});

test('Markdown has a column for each report', () => {
  const markdown = renderMarkdown(matrixDocument(MATRIX, REPORTS));
  expect(markdown).toContain('| list-succeeds | must | ✓ pass | ✗ fail | ✓ pass |');
  expect(markdown).toContain('## Silences that differ');
});

test('each cell of the page that did not pass leads to what was seen', async () => {
  const page = await renderPage(matrixDocument(MATRIX, REPORTS));
  expect(attributeValues(page, 'href')).toContain('#finding-1-list-succeeds');
});
