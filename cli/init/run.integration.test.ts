import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { Ajv2020 } from 'ajv/dist/2020.js';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';

import { startReferenceServer } from '../../reference-server/index.ts';
import { TARGET_CONFIG_SCHEMA } from '../../suites/target/configuration/target-config-schema.ts';
import { seedKey, startFaulty } from '../verify/run.test-data.ts';
import { runBinary, runLines, temporaryDirectory } from '../run-binary.test-data.ts';
import {
  CTRL_C,
  CTRL_U,
  HAS_TERMINAL,
  startAtTerminal,
  type TerminalSession,
} from '../terminal.test-data.ts';

const KEY = seedKey('free');
const ENVIRONMENT = { FREE_KEY: KEY };

let directory = '';
let target = '';

beforeEach(async () => {
  directory = temporaryDirectory();
  const server = await startReferenceServer({ control: false, graceMilliseconds: 0 });
  onTestFinished(() => server.close());
  target = server.url;
});

const init = (...words: readonly string[]) => runBinary(['init', ...words], directory, ENVIRONMENT);
const read = (path: string): string => readFileSync(join(directory, path), 'utf8');
const filesThere = (): readonly string[] =>
  globSync('**', { cwd: directory, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => name)
    .concat(readdirSync(directory).filter((name) => name.startsWith('.')));

describe('with every answer as an option', () => {
  test('the configuration fits its schema, verify runs with it, and so does the line of the pipeline', async () => {
    const words = `${target} --key-variable free=FREE_KEY --profile safe --pipeline gitlab`;
    const { exitCode, stdout, stderr } = await init(...words.split(' '));
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(stdout).toMatch(/^conformant in profile safe: \d+ of \d+ MUSTs judged$/m);
    expect(stdout).toContain('Wrote stockcheck.config.json\nWrote .gitlab-ci.yml\n');
    expect(stdout).toContain('GitLab CI needs FREE_KEY.');

    const text = read('stockcheck.config.json');
    const written: unknown = JSON.parse(text);
    expect(written).toEqual({
      $schema: expect.stringMatching(/config\.schema\.json$/),
      target,
      keys: { free: ['$FREE_KEY'] },
      profile: 'safe',
    });
    expect(new Ajv2020({ strict: false }).validate(TARGET_CONFIG_SCHEMA, written)).toBe(true);

    const { script }: { readonly script: readonly string[] } = parse(read('.gitlab-ci.yml')).conformance;
    const ran = await runLines(script.join('\n'), directory, ENVIRONMENT);
    expect(ran.stdout).toMatch(/^✓ conformant in profile safe/m);
    expect(ran.exitCode).toBe(0);
    expect(existsSync(join(directory, 'stockcheck-report', 'junit.xml'))).toBe(true);
    expect(text + stdout + ran.stdout).not.toContain(KEY);
  });

  test('what was found is said, and is no reason not to write', async () => {
    const { url } = await startFaulty('list-wrapped-in-items');
    const { exitCode, stdout } = await init(url, '--key-variable', 'free=FREE_KEY');
    expect(stdout).toMatch(/^nonconformant in profile safe.*\nlist-succeeds: The list is not a JSON array/m);
    expect({ exitCode, files: filesThere() }).toEqual({ exitCode: 0, files: ['stockcheck.config.json'] });
  });
});

test('a target that is not there ends it with 3, and nothing is written', async () => {
  const { exitCode, stdout } = await init('http://127.0.0.1:1/v1', '--key-variable', 'free=FREE_KEY');
  expect(stdout).toContain('the connection is refused');
  expect({ exitCode, files: filesThere() }).toEqual({ exitCode: 3, files: [] });
});

test('a key that is refused is named by its variable', async () => {
  const environment = { FREE_KEY: KEY, OLD_KEY: 'not-a-key-of-anybody' };
  const words = ['init', target, '--key-variable', 'free=OLD_KEY'];
  const { exitCode, stdout } = await runBinary(words, directory, environment);
  expect(stdout).toContain('The target refuses the key free#1 (401).');
  expect(stdout).toContain('free#1 is the key in OLD_KEY.');
  expect(exitCode).toBe(3);
});

const start = (...words: readonly string[]): TerminalSession =>
  startAtTerminal(['init', ...words], directory, ENVIRONMENT);

describe.runIf(HAS_TERMINAL)('at a terminal', () => {
  const ADDRESS = 'What is the base address';
  const VARIABLES = 'Which environment variables hold your API keys?';

  test('what is wrong with an answer is said, and it is asked again', async () => {
    const session = start();
    const { see, type } = session;
    await see(ADDRESS);
    type(`${target.replace('http://', '')}\r`);
    await see(`did you mean ${target}?`);
    type(`${CTRL_U}${target}\r`);
    await see('What is the control URL');
    type('nowhere\r');
    await see('control must be an http or https URL');
    type(`${CTRL_U}\r`);
    await see(VARIABLES);
    await see('free=FREE_KEY');
    type(`${CTRL_U}free=${KEY}\r`);
    await see('A key does not go into the file');
    type(`${CTRL_U}free=FREE_KEY pro=NO_KEY\r`);
    await see('pro: the environment variable NO_KEY is not set');
    type(`${CTRL_U}free=FREE_KEY, FREE_KEY\r`);
    await see('keys.free[1] is the same as keys.free[0]');
    type(`${CTRL_U}free=FREE_KEY\r`);
    await see('conformant in profile safe');
    await see('Which pipeline');
    type('j\r');
    await see('Wrote stockcheck.config.json');
    await see('Wrote .gitlab-ci.yml');
    expect(await session.ended).toBe(0);
    expect(JSON.parse(read('stockcheck.config.json'))).toMatchObject({
      target,
      keys: { free: ['$FREE_KEY'] },
    });
  });

  test('questions are asked at a terminal that does not know its size', async () => {
    const { see, type, ended } = startAtTerminal(['init'], directory, ENVIRONMENT, 0);
    await see(ADDRESS);
    type('nonsense\r');
    await see('target must be an http or https URL');
    type(CTRL_C);
    expect(await ended).toBe(130);
  });

  test('Ctrl-C at the trial leaves nothing behind', async () => {
    const session = start(target, '--key-variable', 'free=FREE_KEY');
    await session.see('Trying it');
    session.type(CTRL_C);
    expect(await session.ended).toBe(130);
    expect(session.screen()).toContain('Nothing was written.');
    expect(session.screen()).not.toContain('What is the base address');
    expect(filesThere()).toEqual([]);
  });
});
