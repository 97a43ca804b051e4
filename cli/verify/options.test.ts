import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { beforeEach, describe, expect, test } from 'vitest';

import { LATEST_SET } from '../../contract/requirements/index.ts';
import { temporaryDirectory } from '../run-binary.test-data.ts';
import { usageErrorOf } from '../refusal.test-data.ts';
import { readVerifyOptions, type VerifyFlags, type VerifyOptions } from './options.ts';

let directory = '';

beforeEach(() => {
  directory = temporaryDirectory();
  writeFileSync(join(directory, 'file.txt'), 'no certificate');
});

function read(flags: Partial<VerifyFlags>, target?: string): VerifyOptions {
  const defaults = { level: 'must', requirements: LATEST_SET, timeout: '10', banWait: '120' };
  return readVerifyOptions(target, { ...defaults, ...flags }, { environment: {}, directory });
}

test('every option arrives', () => {
  writeFileSync(join(directory, 'known.json'), '{"expectedFailures": {"ban-ends": "ticket 7"}}');
  const asGiven = {
    json: 'out.json',
    report: 'report',
    quiet: true,
    only: ['limit-*', 'ban'],
    level: 'should',
    long: true,
    bail: true,
    dryRun: true,
    insecure: true,
    profile: 'safe',
  };
  const header = ['X-Tenant: a b', 'x-empty:'];
  const others = { key: ['free=k1'], baseline: 'known.json', timeout: '0.5', banWait: '0', header };
  expect(read({ ...asGiven, ...others }, 'https://host.example/v1')).toMatchObject({
    ...asGiven,
    config: { target: 'https://host.example/v1', profile: 'safe' },
    baseline: new Map([['ban-ends', 'ticket 7']]),
    ca: null,
    timeout: 0.5,
    banWait: 0,
    header: [
      ['X-Tenant', 'a b'],
      ['x-empty', ''],
    ],
  });
});

describe('--image', () => {
  const image = 'shop/inventory';

  test('is a target on this machine, judged in full, whatever else is configured', () => {
    writeFileSync(
      join(directory, 'elsewhere.json'),
      JSON.stringify({
        target: 'https://host.example/v1',
        keys: { free: ['k1'] },
        control: 'https://host.example:9090',
      }),
    );
    expect(read({ image, config: 'elsewhere.json' })).toMatchObject({
      image: { name: image, port: 8080, controlPort: null },
      config: { profile: 'full', control: null, keys: [{ label: 'free#1' }] },
    });
  });

  test('needs a key or a control port', () => {
    expect(usageErrorOf(() => read({ image }))).toContain('--key: keys must hold at least one API key');
    writeFileSync(
      join(directory, 'without-keys.json'),
      JSON.stringify({ target: 'http://127.0.0.1:1/v1', control: 'http://127.0.0.1:2' }),
    );
    expect(usageErrorOf(() => read({ image, config: 'without-keys.json' }))).toContain(
      '--key: --image needs at least one API key, or --image-control-port',
    );
    expect(read({ image, imageControlPort: '9090' })).toMatchObject({
      image: { controlPort: 9090 },
      config: { keys: [] },
    });
  });

  test.each<[string, Partial<VerifyFlags>, string?]>([
    ['--self', { self: true }],
    ['--control', { control: 'http://h' }],
    ['TARGET', {}, 'http://127.0.0.1:1/v1'],
  ])('excludes %s', (rival, flags, target) => {
    const refusal = usageErrorOf(() => read({ image, key: ['free=k1'], ...flags }, target));
    expect(refusal).toContain(`${rival} and --image exclude each other`);
  });
});

describe('a bad value names its option', () => {
  test.each<[string, Partial<VerifyFlags>]>([
    ['--timeout must be a number of seconds from 0.1 to 600, not "0"', { timeout: '0' }],
    ['--timeout must be', { timeout: '10s' }],
    ['--level must be must or should, not "may"', { level: 'may' }],
    ['--only must hold a pattern', { only: ['limit-*', ' '] }],
    ['--json none/out.json: the directory none does not exist', { json: 'none/out.json' }],
    ['--json .: this is a directory', { json: '.' }],
    ['--report file.txt: this is a file', { report: 'file.txt' }],
    ['--baseline none.json: there is no such file', { baseline: 'none.json' }],
    ['--ca none.pem: there is no such file', { ca: 'none.pem' }],
    ['--ca file.txt: the file holds no certificate in PEM form', { ca: 'file.txt' }],
    ['--header Authorization is refused', { header: ['Authorization: Bearer SECRET'] }],
    ['--header X-RateLimit-Limit is refused', { header: ['X-RateLimit-Limit: 1'] }],
    ['--header must have the form', { header: ['SECRET'] }],
    ['--header must have the form', { header: ['X Y: SECRET'] }],
    ['--header must have the form', { header: ['X: SECRET\r\nY: 1'] }],
  ])('%s', (message, flags) => {
    const found = usageErrorOf(() => read(flags));
    expect(found).toContain(message);
    expect(found).not.toContain('SECRET');
  });
});

test.each<[string, VerifyFlags]>([
  ['--json and --format sarif exclude each other on stdout', { json: '-', format: ['sarif'] }],
  ['--format har and --format ctrf exclude each other on stdout', { format: ['har', 'ctrf'] }],
  ['--json and --format html would both write x: ', { json: 'x', format: ['html=x'] }],
  ['--events and --history would both write x: ', { events: './x', history: 'x' }],
  ['--format must be json, html', { format: ['openmetrics'] }],
  ['--format sarif', { format: ['sarif=missing/out.sarif'] }],
])('is bad usage: %s', (message, flags) => {
  expect(usageErrorOf(() => read(flags))).toContain(message);
});

test('several reports may go to what takes one after the other', () => {
  expect(usageErrorOf(() => read({ json: '/dev/null', history: '/dev/null' }))).not.toContain('would both');
});
