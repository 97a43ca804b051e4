import { expect, test } from 'vitest';
import type { Finding, Tally } from '../../contract/verdict.ts';
import { attention } from './attention.ts';
import type { ReportedRequirement } from './report.ts';
import { SAMPLE_REPORT, listedTimes, sampleTrail, withRequirements } from './sample-report.test-data.ts';

function failed(id: string, tally: Tally, finding: Partial<Finding>): ReportedRequirement {
  const { findings: _, ...row } = SAMPLE_REPORT.requirements[0] ?? { findings: [] };
  return {
    area: 'list',
    clause: 'Endpoints',
    title: 'A requirement.',
    evidence: 0,
    checks: [],
    ...row,
    id,
    level: 'must',
    outcome: 'fail',
    tally,
    findings: [{ message: 'Seen.', ...finding }],
  };
}

test('failures are listed with the likely cause first', () => {
  const once: Tally = { violated: 1, judged: 1, of: 'judgements' };
  const rows = [
    failed('burst', once, { trail: sampleTrail([listedTimes(60), listedTimes(1)]) }),
    failed('write-and-list', once, { trail: sampleTrail([listedTimes(1)], [listedTimes(1)]) }),
    failed('one-response-in-fifteen', { violated: 4, judged: 60, of: 'responses' }, {}),
    failed('one-request', once, {}),
    failed('every-response', { violated: 60, judged: 60, of: 'responses' }, {}),
    failed('another-request', once, {}),
  ];
  expect(attention(withRequirements(SAMPLE_REPORT, rows)).failures.map(({ root }) => root.id)).toEqual([
    'every-response',
    'one-response-in-fifteen',
    'one-request',
    'another-request',
    'write-and-list',
    'burst',
  ]);
});
