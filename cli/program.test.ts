import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, test } from 'vitest';

import { defineProgram } from './program.ts';
import { refusalOf } from './refusal.test-data.ts';
import { temporaryDirectory } from './run-binary.test-data.ts';

describe('bad usage is exit code 2 with one message', () => {
  test.each<[string, readonly string[]]>([
    ['a target follows a command: stockcheck verify http://h/v1', ['http://h/v1']],
    ["unknown option '--kye' (see --help)", ['verify', '--kye=free=SECRET']],
    ['--live is gone: follow the run in the terminal, or with --events FILE', ['load', '--live=8080']],
    [
      '--watch is gone: have a program that watches files start it, such as watchexec -- npx stockcheck verify TARGET',
      ['verify', '--watch'],
    ],
    ["unknown option '--kye' (Did you mean --key?) (see --help)", ['verify', '--kye', 'free=SECRET']],
    [
      "too many arguments for 'verify'. Expected 1 argument but got 2 (see --help)",
      ['verify', 'http://h/v1', 'SECRET'],
    ],
    [
      '--json lacks its value: --quiet, which follows it, is another option (see --help)',
      ['verify', '--json', '--quiet'],
    ],
    [
      '--upstream is missing: it names the base URL of the service whose traffic is to be judged, such as https://staging.example/v1',
      ['watch'],
    ],
    [
      '--upstream: target must be an http or https URL without query, fragment or credentials',
      ['watch', '--upstream', 'ftp://a'],
    ],
    [
      '--for must be a time such as 90s, 10m or 2h, not soon',
      ['watch', '--upstream', 'http://127.0.0.1:1/v1', '--for', 'soon'],
    ],
    [
      '--sample must be above 0: with none, nothing is judged',
      ['watch', '--upstream', 'http://127.0.0.1:1/v1', '--sample', '0'],
    ],
    ['--seed has no meaning beside --clients', ['prove', '--clients', '--seed', '1']],
    ['--fault is empty; it takes at least one item', ['prove', '--fault', ',']],
    [
      '--quiet may be meant for stockcheck or for node: options of stockcheck come first, then --, then the client, as in stockcheck certify --quiet -- node client.js',
      ['certify', 'node', 'c.js', '--quiet'],
    ],
    ["option '--timeout <seconds>' argument missing", ['verify', '--timeout']],
    ["missing required argument 'FILE' (see --help)", ['check-certificate']],
    [
      'there is no requirement, check or area "retry-after-valdi". Did you mean retry-after-valid? `stockcheck explain` lists them.',
      ['explain', 'retry-after-valdi'],
    ],
    ["unknown command 'verfy' (see --help)", ['help', 'verfy']],
    [
      '--key must have the form plan=key, such as free=KEY, where plan is free, pro, business or enterprise',
      ['verify', 'http://127.0.0.1:1/v1', '--key', 'SECRET'],
    ],
    [
      '--only item-quantty matches no requirement, no check and no area. Did you mean item-quantity? `stockcheck explain` lists them.',
      ['verify', 'http://127.0.0.1:1/v1', '--key', 'free=k1', '--only', 'item-quantty'],
    ],
    [
      '--key: keys must hold at least one API key, unless there is a control URL',
      ['verify', 'http://127.0.0.1:1/v1'],
    ],
  ])('%s', async (message, words) => {
    expect(await refusalOf(words)).toEqual({ exitCode: 2, text: `stockcheck: ${message}\n` });
  });
});

test('a file with several problems is refused with a line for each', async () => {
  const path = join(temporaryDirectory(), 'config.json');
  writeFileSync(path, '{"taget": "http://127.0.0.1:1/v1", "keys": {"free": ["k1"]}}');
  const { exitCode, text } = await refusalOf(['verify', '--config', path]);
  expect(exitCode).toBe(2);
  expect(text.trim().split('\n').toSorted()).toEqual([
    `stockcheck: --config ${path}: taget is not a known field; did you mean target?`,
    `stockcheck: --config ${path}: target is missing`,
  ]);
});

test('all commands stand in the help, and the help of each has examples', async () => {
  const program = await defineProgram([], () => {});
  expect(program.commands.map((command) => command.name())).toEqual([
    'verify',
    'certify',
    'replay',
    'watch',
    'load',
    'worker',
    'simulate',
    'serve',
    'compare',
    'check-certificate',
    'keygen',
    'explain',
    'prove',
    'init',
  ]);
  for (const command of program.commands) {
    let text = '';
    command.configureOutput({ writeOut: (part) => (text += part) }).outputHelp();
    expect(text).toContain(`$ stockcheck ${command.name()}`);
  }
});
