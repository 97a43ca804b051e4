import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { Command } from 'commander';
import { describe, expect, test } from 'vitest';

import { ConfigurationError } from '../../../contract/configuration-error.ts';
import { temporaryDirectory } from '../../run-binary.test-data.ts';
import { collect } from './command.ts';
import { readKeySources } from './key-sources.ts';

/** What a command that takes keys is given, and the warnings. */
function read(words: readonly string[], stdin = '') {
  const program = new Command();
  let warnings: readonly string[] = [];
  program
    .option('--key <key>', 'repeatable', collect)
    .option('--revoked-key <key>', 'repeatable', collect)
    .option('--json <file>')
    .hook('preAction', (_, command) => {
      warnings = readKeySources(command, () => stdin);
    })
    .action(() => undefined)
    .parse([...words], { from: 'user' });
  return { ...program.opts(), warnings };
}

function fileWith(text: string): string {
  const path = join(temporaryDirectory(), 'keys');
  writeFileSync(path, text);
  return path;
}

describe('keys', () => {
  test('come from files and from stdin, one in each line or between commas, and nobody is warned', () => {
    const path = fileWith('\uFEFFk1\r\nk2, k3@5000/500000\n\n');
    expect(read(['--key', `free=@${path}`, '--key', 'pro=-', '--revoked-key', `@${path}`], ' p1\n')).toEqual({
      key: ['free=k1,k2,k3@5000/500000', 'pro=p1'],
      revokedKey: ['k1,k2,k3@5000/500000'],
      warnings: [],
    });
  });

  test.each([
    [['--key', 'free=SECRET', '--key', 'pro=SECRET@5/6']],
    [['--revoked-key', 'SECRET', '--key', 'free=-']],
    [['--key', 'free=SECRET', '--revoked-key', 'SECRET']],
  ])('that stand on the command line are warned of once: %s', (words) => {
    const { warnings } = read(words, 'k1');
    expect(warnings).toEqual([expect.stringMatching(/^other users of this machine can read .*@FILE/)]);
    expect(warnings.join()).not.toContain('SECRET');
  });

  test('of other options are left alone', () => {
    expect(read(['--json', '-'])).toEqual({ json: '-', warnings: [] });
    expect(read(['--key', 'SECRET'])).toEqual({ key: ['SECRET'], warnings: [] });
  });
});

test.each([
  ['--key free=@/no/such/file: there is no such file', ['--key', 'free=@/no/such/file']],
  ['--key free=- holds no key', ['--key', 'free=-']],
  ['--key free=- and --revoked-key - would both read stdin', ['--key', 'free=-', '--revoked-key', '-'], 'k1'],
])('%s', (message, words, stdin = '') => {
  expect(() => read(words, stdin)).toThrow(ConfigurationError);
  expect(() => read(words, stdin)).toThrow(message);
});
