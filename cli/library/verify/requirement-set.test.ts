import { XMLParser } from 'fast-xml-parser';
import { afterAll, beforeAll, expect, test } from 'vitest';

import type { RequirementSet } from '../../../contract/requirements/index.ts';
import { renderFiles, renderFormat } from '../../../reports/formats/index.ts';
import {
  renderGithubAnnotations,
  renderTerminal,
  runDocument,
  validateReport,
} from '../../../reports/index.ts';
import { startReferenceServer, verify, type ReferenceServer, type VerifyReport } from '../index.ts';

let server: ReferenceServer;
beforeAll(async () => {
  server = await startReferenceServer({ faults: ['error-code-empty'] });
});
afterAll(() => server.close());

/** Judges a server that violates one requirement, which came with set 1.1. */
function judge(requirements: RequirementSet, level: 'must' | 'should' = 'should'): Promise<VerifyReport> {
  const { target, keys = {} } = server.target;
  const only = ['error-texts', 'missing-key'];
  return verify({ target, keys, profile: 'safe' }, { requirements, level, only });
}

const TITLE = 'Newer than requirement set 1.0, so not scored';

test('what is newer than the set of the run fails nobody, and is shown', async () => {
  const strict = await judge('1.1');
  expect(strict).toMatchObject({ verdict: 'nonconformant', requirementSet: '1.1' });
  // It is a should, which decides only if it is asked to.
  expect(await judge('1.1', 'must')).toMatchObject({ verdict: 'conformant' });

  const stable = await judge('1.0');
  validateReport(stable);
  expect(stable).toMatchObject({ verdict: 'conformant', requirementSet: '1.0', causes: [] });
  expect(stable.scope).toContain(', by requirement set 1.0');
  expect(stable.requirements.find(({ id }) => id === 'error-texts')).toMatchObject({
    outcome: 'fail',
    since: '1.1',
    newer: true,
  });

  expect(renderTerminal(runDocument(stable), false)).toMatch(
    new RegExp(`^${TITLE} \\(1\\)\\n  . error-texts `, 'm'),
  );
  expect(renderGithubAnnotations(stable)).toBe('');
  const files = await renderFiles(stable);
  expect(files.get('report.md')).toContain(`## ${TITLE}`);
  expect(files.get('report.html')).toContain(TITLE);
  const { runs } = JSON.parse(await renderFormat(stable, 'sarif'));
  expect(runs[0].results).toMatchObject([
    { ruleId: 'error-texts', suppressions: [{ justification: `${TITLE}.` }] },
  ]);
  const parser = new XMLParser({ ignoreAttributes: false, attributeNamePrefix: '' });
  const { testsuites } = parser.parse(files.get('junit.xml') ?? '');
  expect(testsuites).toMatchObject({ failures: '0', errors: '0' });
  expect(files.get('junit.xml')).toContain(`<skipped message="${TITLE}: `);
});
