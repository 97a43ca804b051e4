import { Command } from 'commander';
import { expect, test } from 'vitest';

import { collect } from './command.ts';
import { refuseMissingValues } from './missing-values.ts';

/** Reads words as a command does that has options of each kind. */
function read(words: readonly string[]): void {
  new Command()
    .argument('[TARGET]')
    .option('--json <file>')
    .option('--live [port]')
    .option('--key <key>', 'repeatable', collect)
    .option('--quiet')
    .hook('preAction', (_, command) => refuseMissingValues(command))
    .action(() => undefined)
    .parse([...words], { from: 'user' });
}

test.each([
  ['--json is empty', ['--json', '']],
  ['--json is empty', ['--json= ']],
  ['--live is empty', ['--live=']],
  ['--key is empty', ['--key', 'a', '--key', '']],
  ['TARGET is empty', ['']],
  ['--json lacks its value: --quiet, which follows it, is another option', ['--json', '--quiet']],
  ['--key lacks its value: --json, which', ['--key', '--json=SECRET']],
])('%s', (message, words) => {
  expect(() => read(words)).toThrow(message);
});

test.each([[['t', '--json', '-', '--live', '--quiet']], [['--key', '--not-an-option', '--live', '0']], [[]]])(
  '%j lacks nothing',
  (words) => {
    expect(() => read(words)).not.toThrow();
  },
);
