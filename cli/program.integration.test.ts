import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { beforeEach, describe, expect, test } from 'vitest';

import { runBinary, startBinary, temporaryDirectory } from './run-binary.test-data.ts';

let directory = '';

beforeEach(() => {
  directory = temporaryDirectory();
  const target = 'http://127.0.0.1:1/v1';
  writeFileSync(
    join(directory, 'two-problems.json'),
    JSON.stringify({ taget: target, keys: { free: ['k1'] } }),
  );
});

test.each(['20.1.0', '22.18.9', '23.11.1'])(
  'Node %s gets one line that says what is needed',
  async (node) => {
    const script = encodeURIComponent(
      `Object.defineProperty(process, 'versions', { value: { node: '${node}' } })`,
    );
    const { exitCode, stdout, stderr } = await runBinary(['--version'], directory, {
      NODE_OPTIONS: `--import=data:text/javascript,${script}`,
    });
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr.split('\n')).toHaveLength(2);
    expect(stderr).toContain(
      `stockcheck: Node ${node} cannot run it; use Node 22.19 or later of 22, or Node 24 or later`,
    );
  },
);

describe('help', () => {
  test('lists the commands that exist', async () => {
    const { exitCode, stdout, stderr } = await runBinary(['--help'], directory);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect([...stdout.matchAll(/^ {2}(\w+) \[/gm)].map(([, command]) => command)).toEqual([
      'verify',
      'certify',
      'load',
      'worker',
      'serve',
      'compare',
      'explain',
      'prove',
      'help',
    ]);
  });

  test.each(['verify', 'certify', 'load', 'worker', 'serve', 'compare', 'explain', 'prove'])(
    'of %s has examples',
    async (command) => {
      const { exitCode, stdout } = await runBinary([command, '--help'], directory);
      expect(exitCode).toBe(0);
      expect(stdout).toContain(`$ stockcheck ${command}`);
    },
  );

  test('is shown if no command is given, which is bad usage', async () => {
    const { exitCode, stdout, stderr } = await runBinary([], directory);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toContain('Usage: stockcheck');
  });
});

test('the version is that of the package', async () => {
  const manifest = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
  const { exitCode, stdout } = await runBinary(['--version'], directory);
  expect(exitCode).toBe(0);
  expect(manifest).toContain(`"version": "${stdout.trim()}"`);
});

test('a reader that goes away changes nothing', async () => {
  const child = startBinary(['verify', '--help'], directory);
  const closed = once(child, 'close');
  child.stdout.destroy();
  expect(await closed).toEqual([0, null]);
});

describe('bad usage is exit code 2 with one message on stderr', () => {
  test.each<[string, readonly string[]]>([
    ["unknown command 'verfy' (Did you mean verify?) (see --help)", ['verfy']],
    ['a target follows a command: stockcheck verify http://h/v1', ['http://h/v1']],
    ["unknown option '--kye' (see --help)", ['verify', '--kye=free=SECRET']],
    ["unknown option '--kye' (Did you mean --key?) (see --help)", ['verify', '--kye', 'free=SECRET']],
    [
      "too many arguments for 'verify'. Expected 1 argument but got 2 (see --help)",
      ['verify', 'http://h/v1', 'SECRET'],
    ],
    [
      '--json lacks its value: --quiet, which follows it, is another option (see --help)',
      ['verify', '--json', '--quiet'],
    ],
    ['--fault is empty; it takes at least one item', ['prove', '--fault', ',']],
    [
      '--quiet may be meant for stockcheck or for node: options of stockcheck come first, then --, then the client, as in stockcheck certify --quiet -- node client.js',
      ['certify', 'node', 'c.js', '--quiet'],
    ],
    ["option '--timeout <seconds>' argument missing", ['verify', '--timeout']],
    [
      '--key must have the form plan=key, such as free=KEY, where plan is free, pro, business or enterprise',
      ['verify', 'http://127.0.0.1:1/v1', '--key', 'SECRET'],
    ],
    [
      '--key: keys must hold at least one API key, unless there is a control URL',
      ['verify', 'http://127.0.0.1:1/v1'],
    ],
  ])('%s', async (message, words) => {
    expect(await runBinary(words, directory)).toEqual({
      exitCode: 2,
      stdout: '',
      stderr: `stockcheck: ${message}\n`,
    });
  });

  test('and one line for each problem of a file', async () => {
    const { exitCode, stderr } = await runBinary(['verify', '--config', 'two-problems.json'], directory);
    expect(exitCode).toBe(2);
    expect(stderr.trim().split('\n').toSorted()).toEqual([
      'stockcheck: --config two-problems.json: taget is not a known field; did you mean target?',
      'stockcheck: --config two-problems.json: target is missing',
    ]);
  });

  test('and names a variable', async () => {
    const { exitCode, stderr } = await runBinary(['verify'], directory, {
      STOCKCHECK_TARGET: 'localhost:8080/v1',
      STOCKCHECK_KEY_FREE: 'k1',
    });
    expect(exitCode).toBe(2);
    expect(stderr).toContain('STOCKCHECK_TARGET: target must be an http or https URL');
    expect(stderr).toContain('did you mean http://localhost:8080/v1?');
  });
});
