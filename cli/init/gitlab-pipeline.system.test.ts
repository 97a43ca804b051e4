import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { expect, test } from 'vitest';

import { temporaryDirectory } from '../run-binary.test-data.ts';
import { GITLAB } from './pipelines.ts';

const READER = fileURLToPath(import.meta.resolve('gitlab-ci-local'));

/** What a reader of such files makes of one, after it has validated it by the schema of GitLab. */
function jobsOf(text: string): unknown {
  const directory = temporaryDirectory();
  writeFileSync(join(directory, GITLAB.path), text);
  execFileSync('git', ['init', '--quiet', directory]);
  const options = { cwd: directory, encoding: 'utf8', stdio: 'pipe' } as const;
  return JSON.parse(execFileSync(process.execPath, [READER, '--list-json', '--home', directory], options));
}

const FILE = GITLAB.render({
  variables: ['KEY'],
  configuration: 'a b.json',
  major: '0',
  requirementSet: '1.0',
  isLocal: true,
});

test('the file for GitLab fits the schema of GitLab, and is one job', () => {
  expect(jobsOf(FILE)).toMatchObject([{ name: 'conformance', stage: 'test' }]);
  expect(() => jobsOf(FILE.replace('when: always', 'when: sometimes'))).toThrow(/sometimes|must be equal/);
});
