import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import { defineProgram } from './program.ts';
import { refusalOf } from './refusal.test-data.ts';
import { temporaryDirectory } from './run-binary.test-data.ts';

test.each([
  ['http://h/v1', 'a target follows a command: stockcheck verify http://h/v1'],
  ['verify --kye=free=SECRET', "unknown option '--kye' (see --help)"],
  ['load --live=8080', '--live is gone: follow the run in the terminal, or with --events FILE'],
  [
    'verify --watch',
    '--watch is gone: have a program that watches files start it, such as watchexec -- npx stockcheck verify TARGET',
  ],
  ['verify --kye free=SECRET', "unknown option '--kye' (Did you mean --key?) (see --help)"],
  [
    'verify http://h/v1 SECRET',
    "too many arguments for 'verify'. Expected 1 argument but got 2 (see --help)",
  ],
  [
    'verify http://h/v1 --quiet --only list SECRET',
    "too many arguments for 'verify'. Expected 1 argument but got 2, the last of which stands behind --only (see --help)",
  ],
  [
    'watch',
    '--upstream is missing: it names the base URL of the service whose traffic is to be judged, such as https://staging.example/v1',
  ],
  [
    'watch --upstream ftp://a',
    '--upstream: target must be an http or https URL without query, fragment or credentials',
  ],
  [
    'watch --upstream http://h/v1 --for soon',
    '--for must be a number of seconds from 1 to 2678400, or a time such as 90s, 5m or 1h, not "soon"',
  ],
  ['watch --upstream http://h/v1 --sample 0', '--sample must be above 0: with none, nothing is judged'],
  ['prove --clients --bail', '--bail has no meaning beside --clients'],
  [
    'certify node c.js --quiet',
    '--quiet may be meant for stockcheck or for node: options of stockcheck come first, then --, then the client, as in stockcheck certify --quiet -- node client.js',
  ],
  ['verify --timeout', "option '--timeout <seconds>' argument missing"],
  ['check-certificate', "missing required argument 'FILE' (see --help)"],
  ['help verfy', "unknown command 'verfy' (see --help)"],
])('bad usage is exit code 2 with one message: %s', async (line, message) => {
  expect(await refusalOf(line.split(' '))).toEqual({ exitCode: 2, text: `stockcheck: ${message}\n` });
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
  const names =
    'verify certify replay watch load worker simulate serve compare check-certificate keygen explain prove init';
  expect(program.commands.map((command) => command.name())).toEqual(names.split(' '));
  for (const command of program.commands) {
    let text = '';
    command.configureOutput({ writeOut: (part) => (text += part) }).outputHelp();
    expect(text).toContain(`$ stockcheck ${command.name()}`);
  }
});
