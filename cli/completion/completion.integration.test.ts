import { execFileSync, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { beforeAll, describe, expect, test } from 'vitest';

import { requirement } from '../../contract/requirements/index.ts';
import { defineProgram } from '../program.ts';
import { runBinary, temporaryDirectory } from '../run-binary.test-data.ts';
import { completedCommands } from './completed-command.ts';
import { COMPLETED_WORDS, SHELLS, wordsFor } from './known-words.ts';
import { completionScript } from './run.ts';

const { commands } = await defineProgram([], () => undefined);
const scripts = new Map<string, string>();

beforeAll(async () => {
  for (const shell of SHELLS) {
    scripts.set(shell, await completionScript(shell));
  }
});

const scriptOf = (shell: string): string => scripts.get(shell) ?? '';
const has = (shell: string): boolean => spawnSync(shell, ['-c', 'exit 0']).status === 0;

test('every script has every command with every option', () => {
  for (const shell of SHELLS) {
    const words = new Set(scriptOf(shell).match(/[\w-]+/g));
    for (const { options } of commands) {
      const longs = options.map(({ long }) => (shell === 'fish' ? long?.slice(2) : long) ?? '');
      expect(longs.filter((long) => !words.has(long))).toEqual([]);
    }
    expect(commands.map((command) => command.name()).filter((name) => !words.has(name))).toEqual([]);
  }
});

test('words are known of options that exist, and not of others', async () => {
  const completed = await completedCommands(await defineProgram([], () => undefined));
  const used = new Set(
    completed.flatMap(({ name, options }) =>
      options.flatMap(({ long }) => [`--${long}`, `${name} --${long}`]),
    ),
  );
  for (const command of commands) {
    command.registeredArguments.forEach((argument) => used.add(`${command.name()} ${argument.name()}`));
  }
  expect(COMPLETED_WORDS.filter((known) => !used.has(known))).toEqual([]);
  expect(await wordsFor('verify', '--only')).toContain(requirement('limit-renews').id);
  expect(await wordsFor('verify', '--timeout')).toBeUndefined();
});

test('the command prints the script, and names the shells that it knows', async () => {
  const directory = temporaryDirectory();
  expect(await runBinary(['completion', 'bash'], directory)).toEqual({
    exitCode: 0,
    stdout: scriptOf('bash'),
    stderr: '',
  });
  const { exitCode, stderr } = await runBinary(['completion', 'ksh'], directory);
  expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: expect.stringContaining('bash, zsh, fish') });
});

/** Command lines, what stands behind the last word, and what a shell makes of them. */
const LINES = [
  ['ver', ['verify']],
  ['verify --profi', ['--profile']],
  ['verify --profile s', ['safe', 'standard']],
  ['verify --only limit-ren', ['limit-renews']],
  ['verify --json FOLDER/repo', ['FOLDER/report.json']],
  ['init --pipeline g', ['github', 'gitlab']],
  ['explain retry-after-h', ['retry-after-honoured']],
  ['completion ', ['bash', 'fish', 'zsh']],
] as const;

function folderWithFile(): string {
  const folder = temporaryDirectory();
  writeFileSync(join(folder, 'report.json'), '{}');
  return folder;
}

function completeInBash(words: readonly string[]): readonly string[] {
  const quoted = words.map((word) => `'${word}'`).join(' ');
  const script = `${scriptOf('bash')}
    COMP_WORDS=(stockcheck ${quoted}); COMP_CWORD=${words.length}; _stockcheck; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const output = execFileSync('bash', ['--norc', '-c', script], { encoding: 'utf8' });
  return output
    .split('\n')
    .filter((line) => line !== '')
    .toSorted();
}

describe('in bash', () => {
  test.each(LINES)('stockcheck %s', (line, expected) => {
    const folder = folderWithFile();
    const at = (text: string): string => text.replace('FOLDER', folder);
    expect(completeInBash(at(line).split(' '))).toEqual(expected.map(at));
  });

  test('a value may stand behind a sign, and a program behind --', () => {
    const folder = folderWithFile();
    expect(completeInBash(['verify', '--profile', '=', 'f'])).toEqual(['full']);
    expect(completeInBash(['verify', '--profile', '='])).toEqual(['full', 'safe', 'standard']);
    expect(completeInBash(['certify', '--', join(folder, 'rep')])).toEqual([join(folder, 'report.json')]);
    expect(completeInBash(['verify', '--timeout', ''])).toEqual([]);
  });
});

describe.runIf(has('fish'))('in fish', () => {
  test.each(LINES)('stockcheck %s', (line, expected) => {
    const folder = folderWithFile();
    const at = (text: string): string => text.replace('FOLDER', folder);
    const script = `${scriptOf('fish')}\ncomplete -C 'stockcheck ${at(line)}'`;
    const output = execFileSync('fish', ['--no-config', '-c', script], { encoding: 'utf8' });
    const offered = output
      .trim()
      .split('\n')
      .map((one) => one.split('\t')[0]);
    expect(new Set(offered)).toEqual(new Set(expected.map(at)));
  });
});

describe.runIf(has('zsh'))('in zsh', () => {
  test('the script is loaded by the completion system', () => {
    const file = join(temporaryDirectory(), 'completion.zsh');
    writeFileSync(file, scriptOf('zsh'));
    const script = `autoload -U compinit; compinit -u -D; source ${file}; print -r -- $_comps[stockcheck]`;
    expect(execFileSync('zsh', ['-f', '-c', script], { encoding: 'utf8' })).toBe('_stockcheck\n');
  });
});
