import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';

import { expect, test } from 'vitest';
import { parse } from 'yaml';

import manifest from '../package.json' with { type: 'json' };
import { answering, seedKey, startFaulty, startTarget } from './verify/run.test-data.ts';
import { runLines, temporaryDirectory } from './run-binary.test-data.ts';

interface Step {
  readonly run?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly with?: Readonly<Record<string, string>>;
}

interface Action {
  readonly inputs: Readonly<Record<string, { readonly default: string }>>;
  readonly outputs: Readonly<Record<string, { readonly value: string }>>;
  readonly runs: { readonly steps: readonly Step[] };
}

const ACTION: Action = parse(readFileSync(new URL('../action.yml', import.meta.url), 'utf8'));

/** Runs the steps of the action as a runner does, but for those that use other actions. */
async function runAction(
  inputs: Readonly<Record<string, string>>,
  environment: Record<string, string>,
  before = '',
) {
  const directory = temporaryDirectory();
  const output = join(directory, 'output');
  const summary = join(directory, 'summary');
  const given = Object.entries(ACTION.inputs).map(([name, input]) => [name, inputs[name] ?? input.default]);
  const values = new Map(given.map(([name = '', value = '']) => [`inputs.${name}`, value]));
  const fill = (text: string): string =>
    text.replaceAll(/\$\{\{ ([\w.]+) \}\}/g, (_whole, name: string) => values.get(name) ?? '');
  const results = [];
  for (const { run, env = {} } of ACTION.runs.steps) {
    if (run !== undefined) {
      const ended = await runLines(`${before}${run}`, directory, {
        GITHUB_ACTIONS: 'true',
        GITHUB_OUTPUT: output,
        GITHUB_STEP_SUMMARY: summary,
        ...environment,
        ...Object.fromEntries(Object.entries(env).map(([name, text]) => [name, fill(text)])),
      });
      results.push(ended);
      for (const line of readFileSync(output, 'utf8').trim().split('\n')) {
        const [name = '', ...rest] = line.split('=');
        values.set(`steps.judge.outputs.${name}`, rest.join('='));
      }
    }
  }
  const outputs = Object.fromEntries(
    Object.entries(ACTION.outputs).map(([name, { value }]) => [name, fill(value)]),
  );
  return {
    outputs,
    exitCode: results.at(-1)?.exitCode,
    stdout: results[0]?.stdout ?? '',
    stderr: results[0]?.stderr ?? '',
    summary: existsSync(summary) ? readFileSync(summary, 'utf8') : '',
  };
}

test('the action judges a target, and gives outputs, a job summary, annotations and reports', async () => {
  const server = await startFaulty('list-wrapped-in-items');
  const report = join(temporaryDirectory(), 'report');
  const { outputs, exitCode, stderr, summary } = await runAction(
    { target: server.url, profile: 'safe', only: 'list\nitem-*', report, arguments: '--quiet' },
    { STOCKCHECK_KEY_FREE: seedKey('free') },
  );
  expect(outputs).toEqual({ verdict: 'nonconformant', failed: '1', first: 'list-succeeds', report });
  expect(exitCode).toBe(1);
  expect(summary).toMatch(/^# ✗ stockcheck: Not conformant\n/);
  expect(stderr).toContain(
    '::error title=list-succeeds (Endpoints%2C GET /inventory)::The list is not a JSON',
  );
  expect(existsSync(join(report, 'junit.xml'))).toBe(true);
});

test('a job that is cancelled puts back what its run had changed', async () => {
  const pid = join(temporaryDirectory(), 'pid');
  let updates = 0;
  let updatesBefore: number | null = null;
  const target = await startTarget({
    alterations: [
      answering((request, service) => {
        updates += Number(request.method === 'PATCH');
        // The first ones may all be refused, and then there is nothing to put back.
        if (updatesBefore === null && updates >= 5 && !isDeepStrictEqual(target.inventory(), before)) {
          updatesBefore = updates;
          process.kill(Number(readFileSync(pid, 'utf8')), 'SIGINT');
        }
        return service.respond(request);
      }),
    ],
  });
  const before = target.inventory();
  const inputs = { target: target.server.url, profile: 'standard', artifact: '' };
  const keys = { STOCKCHECK_KEY_BUSINESS: seedKey('business'), STOCKCHECK_STATE_DIR: temporaryDirectory() };
  const { exitCode } = await runAction(inputs, keys, `echo $$ > '${pid}'\n`);
  expect(exitCode).toBe(130);
  expect(updates).toBeGreaterThan(updatesBefore ?? Infinity);
  expect(target.inventory()).toEqual(before);
});

test('the action takes the version of its own tag', () => {
  expect(ACTION.inputs['version']?.default).toBe(manifest.version.split('.')[0]);
});

test('the action fails with the message of stockcheck if it is used wrongly', async () => {
  const { outputs, exitCode, stderr } = await runAction({ arguments: '--no-such-option' }, {});
  expect(stderr).toContain('--no-such-option');
  expect([outputs['verdict'], exitCode]).toEqual(['', 2]);
});
