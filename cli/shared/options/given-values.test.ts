import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { Command } from 'commander';
import { describe, expect, test } from 'vitest';

import { ConfigurationError } from '../../../contract/configuration-error.ts';
import { temporaryDirectory } from '../../run-binary.test-data.ts';
import { addCommand, type Subcommand } from './command.ts';
import { readKeySources, refuseMissingValues } from './given-values.ts';

const TEXT: Omit<Subcommand, 'run'> = {
  summary: '',
  description: '',
  arguments: { '[TARGET]': '' },
  options: {
    'Options:': {
      json: { placeholder: '<file>', help: '' },
      live: { placeholder: '[port]', help: '' },
      key: { placeholder: '<key>', help: '', isRepeatable: true },
      revokedKey: { placeholder: '<key>', help: '', isRepeatable: true },
      quiet: { help: '' },
    },
  },
  isPlain: true,
  examples: '',
};

/** What a command with options of each kind is given, and the warnings. */
async function read(words: readonly string[], stdin = '') {
  const program = new Command();
  let warnings: readonly string[] = [];
  let given = {};
  program.hook('preAction', (_, command) => {
    refuseMissingValues(command);
    warnings = readKeySources(command, () => stdin);
  });
  addCommand(program, 'try', TEXT, async ({ flags }) => {
    given = flags;
  });
  await program.parseAsync(['try', ...words], { from: 'user' });
  return { ...given, warnings };
}

function fileWith(text: string): string {
  const path = join(temporaryDirectory(), 'keys');
  writeFileSync(path, text);
  return path;
}

describe('keys', () => {
  test('come from files and from stdin, one in each line or between commas, and nobody is warned', async () => {
    const path = fileWith('\uFEFFk1\r\nk2, k3@5000/500000\n\n');
    expect(
      await read(['--key', `free=@${path}`, '--key', 'pro=-', '--revoked-key', `@${path}`], ' p1\n'),
    ).toEqual({
      key: ['free=k1,k2,k3@5000/500000', 'pro=p1'],
      revokedKey: ['k1,k2,k3@5000/500000'],
      warnings: [],
    });
  });

  test.each([
    [['--key', 'free=SECRET', '--key', 'pro=SECRET@5/6']],
    [['--revoked-key', 'SECRET', '--key', 'free=-']],
    [['--key', 'free=SECRET', '--revoked-key', 'SECRET']],
  ])('that stand on the command line are warned of once: %s', async (words) => {
    const { warnings } = await read(words, 'k1');
    expect(warnings).toEqual([expect.stringMatching(/^other users of this machine can read .*@FILE/)]);
    expect(warnings.join()).not.toContain('SECRET');
  });

  test('of other options are left alone', async () => {
    expect(await read(['--json', '-'])).toEqual({ json: '-', warnings: [] });
    expect(await read(['--key', 'SECRET'])).toEqual({ key: ['SECRET'], warnings: [] });
  });
});

test.each([
  ['--key free=@/no/such/file: there is no such file', ['--key', 'free=@/no/such/file']],
  ['--key free=- holds no key', ['--key', 'free=-']],
  ['--key free=- and --revoked-key - would both read stdin', ['--key', 'free=-', '--revoked-key', '-'], 'k1'],
  ['--json is empty', ['--json', '']],
  ['--json is empty', ['--json= ']],
  ['--live is empty', ['--live=']],
  ['--key is empty', ['--key', 'a', '--key', '']],
  ['TARGET is empty', ['']],
  ['--json lacks its value: --quiet, which follows it, is another option', ['--json', '--quiet']],
  ['--key lacks its value: --json, which', ['--key', '--json=SECRET']],
  [', line 2: a key holds no blanks; each key', ['--key', 'free=-'], 'k1\r\nk2, SECRET key 1234\n'],
])('%s', async (message, words, stdin = '') => {
  const refusal = await read(words, stdin).catch((error: unknown) => error);
  expect(refusal).toBeInstanceOf(ConfigurationError);
  expect(String(refusal)).toContain(message);
  expect(String(refusal)).not.toContain('SECRET');
});

test.each([[['t', '--json', '-', '--live', '--quiet']], [['--key', '--not-an-option', '--live', '0']], [[]]])(
  '%j lacks nothing',
  async (words) => {
    await expect(read(words)).resolves.toHaveProperty('warnings');
  },
);
