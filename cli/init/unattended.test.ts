import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { beforeEach, describe, expect, test } from 'vitest';

import { temporaryDirectory } from '../run-binary.test-data.ts';
import { type InitFlags, runInit } from './run.ts';

const TARGET = 'https://nowhere.invalid/v1';
const SECRET = 'free-Amber-Otter-q7RtVx2LkM';
const environment = { FREE_KEY: SECRET, TWO_KEYS: 'k1,k2', STAGING: 'https://nowhere.invalid' };

let directory = '';
beforeEach(() => {
  directory = temporaryDirectory();
});

/** Nothing is sent: either a refusal comes before, or `--offline` says so. */
async function init(target: string | null, flags: InitFlags): Promise<number> {
  return runInit({
    operands: target === null ? [] : [target],
    flags,
    surroundings: { environment, directory },
  });
}

const read = (path: string): string => readFileSync(join(directory, path), 'utf8');
const keys = { keyVariable: ['free=FREE_KEY'] };

describe('without a terminal', () => {
  test.each<[what: string, flags: InitFlags, message: RegExp, target?: string | null]>([
    ['no target', keys, /^TARGET is missing: /, null],
    ['no keys', {}, /^--key-variable is missing: /],
    ['an unknown plan', { keyVariable: ['gold=FREE_KEY'] }, /^--key-variable must have the form plan=NAME/],
    [
      'a key',
      { keyVariable: [`free=${SECRET}`] },
      /^--key-variable free: this is not the name .* does not go into/,
    ],
    ['a key that could be a name', { keyVariable: ['free=aB3dE5fG7hJ9'] }, /it may be a key/],
    ['such a key, unused', { keyVariable: ['free=aB3dE5fG7hJ9'], offline: true }, /it may be a key/],
    ['a variable that is not set', { keyVariable: ['free=NO_KEY'] }, /NO_KEY is not set, or empty/],
    ['a variable with two keys', { keyVariable: ['free=TWO_KEYS'] }, /TWO_KEYS does not hold one API key/],
    ['no variable', { keyVariable: ['free='] }, /--key-variable free= is empty/],
    ['a bad address', keys, /^TARGET: target must be an http or https URL/, 'ftp://x'],
    ['a bad control URL', { ...keys, control: 'here' }, /^--control: control must be an http or https URL/],
    ['an unset variable in the address', keys, /NOWHERE, which is not set/, '${NOWHERE}/v1'],
    ['an unknown pipeline', { ...keys, pipeline: 'travis' }, /^--pipeline must be github, gitlab or/],
    ['an unknown profile', { ...keys, profile: 'wild' }, /^--profile must be safe, standard or/],
    ['no folder', { ...keys, config: 'stockcheck.config.json/x' }, /does not exist/],
    ['a folder', { ...keys, config: '.' }, /--config \.: this is a directory, not a file/],
  ])(
    '%s is one line that names the option, and nothing is written',
    async (_what, flags, message, target = TARGET) => {
      writeFileSync(join(directory, 'stockcheck.config.json'), '{}');
      const refusal: unknown = await init(target, flags).catch((error: unknown) => error);
      expect(refusal).toMatchObject({ name: 'ConfigurationError', message: expect.stringMatching(message) });
      expect(String(refusal)).not.toMatch(/q7RtVx2LkM|aB3dE5|\n/);
      expect(read('stockcheck.config.json')).toBe('{}');
    },
  );

  test('variables need not be set if nothing is sent', async () => {
    const keyVariable = ['enterprise=STAGING_KEY@5000/500000', 'pro=PRO_KEY, ${PRO_KEY_2}'];
    const flags = { keyVariable, config: 'staging.json', offline: true, pipeline: 'github' };
    expect(await init('${STAGING}/v1', flags)).toBe(0);
    expect(JSON.parse(read('staging.json'))).toEqual({
      $schema: expect.stringMatching(/^https:.*config[.]schema[.]json$/),
      target: '${STAGING}/v1',
      keys: {
        pro: ['$PRO_KEY', '$PRO_KEY_2'],
        enterprise: [{ key: '$STAGING_KEY', perMinute: 5000, perDay: 500_000 }],
      },
    });
    const workflow = read('.github/workflows/conformance.yml');
    for (const name of ['STAGING', 'PRO_KEY', 'PRO_KEY_2', 'STAGING_KEY']) {
      expect(workflow).toContain(`          ${name}: \${{ secrets.${name} }}\n`);
    }
  });

  test('a control URL that issues keys takes their place', async () => {
    expect(await init(TARGET, { control: 'http://127.0.0.1:9090', offline: true })).toBe(0);
    expect(JSON.parse(read('stockcheck.config.json'))).not.toHaveProperty('keys');
  });

  test('a file that is there is replaced with --force only', async () => {
    writeFileSync(join(directory, '.gitlab-ci.yml'), 'mine');
    const flags = { ...keys, offline: true, pipeline: 'gitlab' };
    await expect(init(TARGET, flags)).rejects.toThrow(
      '.gitlab-ci.yml is there already, and nothing was written; --force replaces it',
    );
    expect(read('.gitlab-ci.yml')).toBe('mine');
    expect(existsSync(join(directory, 'stockcheck.config.json'))).toBe(false);
    expect(await init(TARGET, { ...flags, force: true })).toBe(0);
    expect(read('.gitlab-ci.yml')).toContain('npx --yes stockcheck@');
  });
});
