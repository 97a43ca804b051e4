import { expect, test } from 'vitest';
import { hostileOf, REPORT_WITH_CAUSES, SAMPLE_REPORT } from '../model/sample-report.test-data.ts';
import { SAMPLE_CERTIFY_REPORT } from '../model/sample-certify-report.test-data.ts';
import { renderGithubAnnotations, renderSummaryLine } from './pipelines.ts';

const HOSTILE = '::error::\r\n% "quoted" \u001b[2J';

test('the summary is one line of pairs, whatever the target says', () => {
  expect(renderSummaryLine(REPORT_WITH_CAUSES)).toMatch(
    /^stockcheck=verify verdict=nonconformant profile=full level=must musts=\d+ judged=\d+ failed=3 causes=2 first=list-succeeds seconds=97\.3 version=0\.1\.0 target=http:\/\/127\.0\.0\.1:8080\/v1\n$/,
  );
  expect(renderSummaryLine(SAMPLE_CERTIFY_REPORT)).toMatch(/ client="node client\.js .*"\n$/);
  expect(renderSummaryLine(hostileOf(SAMPLE_REPORT, HOSTILE))).toMatch(
    /^[^\n\r]*target="[^\n\r]*\\"quoted\\"[^\n\r]*"\n$/,
  );
});

test('an annotation of GitHub stands for each cause, and for what leaves the verdict open', () => {
  const lines = renderGithubAnnotations(REPORT_WITH_CAUSES).split('\n');
  expect(lines[0]).toBe(
    '::error title=list-succeeds (Endpoints%2C GET /inventory)::The list is not a JSON array. (1 more failure probably because of it)',
  );
  expect(lines.filter((line) => line.startsWith('::error title=item-pet-id'))).toEqual([]);
  expect(lines.some((line) => line.startsWith('::error title=limit-renews is inconclusive::'))).toBe(true);
  expect(lines.some((line) => line.startsWith('::warning title=www-authenticate'))).toBe(true);
});

test('nothing that a target says becomes a workflow command', () => {
  const annotations = renderGithubAnnotations(hostileOf(SAMPLE_REPORT, HOSTILE));
  const plain = renderGithubAnnotations(hostileOf(SAMPLE_REPORT, 'plain'));
  expect(annotations.split('\n')).toHaveLength(plain.split('\n').length);
  const lines = annotations.trimEnd().split('\n');
  expect(lines.filter((line) => !/^::(?:error|warning) title=[^:,]+::/.test(line))).toEqual([]);
  expect(annotations).toContain('%25 "quoted"');
});

test('a report without failures has no annotations', () => {
  const requirements = SAMPLE_REPORT.requirements.filter(({ outcome }) => outcome === 'pass');
  expect(renderGithubAnnotations({ ...SAMPLE_REPORT, requirements, problems: [] })).toBe('');
});
