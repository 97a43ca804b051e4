import { spawn } from 'node:child_process';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { describe, expect, test } from 'vitest';

import { isJsonObject, parseJson } from '../../contract/json/index.ts';
import type { TargetDescription } from '../../suites/target/index.ts';
import { BINARY, endOfBinary, temporaryDirectory, type BinaryResult } from '../run-binary.test-data.ts';
import { alterationOf, startTarget } from './run.test-data.ts';

const EXAMPLES = fileURLToPath(new URL('../../examples', import.meta.url));
const BINDING = join(dirname(BINARY), '..', 'dist', 'vitest.js');
const VITEST = join(fileURLToPath(new URL('.', import.meta.resolve('vitest/package.json'))), 'vitest.mjs');

/** Runs the example in a vitest of its own, against another target than the one that it names. */
async function runExample(
  changes: Partial<TargetDescription>,
  options = '',
): Promise<BinaryResult & { readonly output: string }> {
  const directory = temporaryDirectory();
  cpSync(EXAMPLES, directory, { recursive: true });
  const config = join(directory, 'stockcheck.config.json');
  const described = parseJson(readFileSync(config, 'utf8'));
  writeFileSync(
    config,
    JSON.stringify({ ...(isJsonObject(described) ? described : {}), control: undefined, ...changes }),
  );
  const file = join(directory, 'vitest', 'conformance.test.ts');
  writeFileSync(
    file,
    readFileSync(file, 'utf8').replace('conformance(target)', `conformance(target${options})`),
  );
  // What an installed package resolves by itself.
  writeFileSync(
    join(directory, 'vitest.config.mjs'),
    `export default { resolve: { alias: { 'stockcheck/vitest': ${JSON.stringify(BINDING)} } } };`,
  );
  const words = [VITEST, 'run', '--root', directory, '--dir', dirname(file)];
  const child = spawn(
    process.execPath,
    [...words, ...'--reporter verbose --no-color --no-cache'.split(' ')],
    { cwd: directory, env: { ...process.env, NO_COLOR: '1' }, stdio: ['ignore', 'pipe', 'pipe'] },
  );
  const ended = await endOfBinary(child);
  return { ...ended, output: ended.stdout + ended.stderr };
}

function pick({ target, control }: TargetDescription): Partial<TargetDescription> {
  return control === undefined ? { target } : { target, control };
}

describe('the example in a vitest of its own', () => {
  test('has three lines', () => {
    const source = readFileSync(join(EXAMPLES, 'vitest', 'conformance.test.ts'), 'utf8');
    expect(source.trim().split('\n')).toHaveLength(3);
  });

  test('fails if the server does not conform, with what was seen, the clause and a curl line', async () => {
    const { description } = await startTarget({ alterations: [alterationOf('quantity-as-string-once')] });
    const { exitCode, output } = await runExample({ ...pick(description), profile: 'safe' });
    expect(exitCode).toBe(1);
    expect(output).toMatch(/FAIL .*item-quantity/);
    expect(output).toContain('clause: Resources and their fields, InventoryItem');
    expect(output).toMatch(/curl .*\/v1\/inventory/);
    expect(output).not.toContain('free-Amber-Otter-q7RtVx2LkM');
  });

  test('is green with a test for each requirement that is asked for, and a should decides only with level should', async () => {
    const { description } = await startTarget({ alterations: [alterationOf('challenge-empty')] });
    const only = "only: ['list', 'errors', 'www-authenticate']";
    const [must, should] = await Promise.all(
      [`, { ${only} }`, `, { ${only}, level: 'should' }`].map((options) =>
        runExample({ ...pick(description), profile: 'safe' }, options),
      ),
    );
    expect(must?.exitCode).toBe(0);
    expect(must?.output).toMatch(/✓ .*item-quantity/);
    expect(must?.output).toMatch(/✓ .*error-code/);
    expect(must?.output).not.toContain('ban-ends');
    expect(should?.exitCode).toBe(1);
    expect(should?.output).toMatch(/FAIL .*www-authenticate/);
  });

  test('if nothing answers, every test fails and none is green', async () => {
    const { exitCode, output } = await runExample({ target: 'http://127.0.0.1:9/v1', profile: 'safe' });
    expect(exitCode).toBe(1);
    expect(output).not.toContain('✓');
    expect(output).toContain('inconclusive: ');
  });
});
