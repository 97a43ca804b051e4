import { tmpdir } from 'node:os';

import { describe, expect, test } from 'vitest';

import { LOAD_SCENARIOS } from '../../load/index.ts';
import { refusalOf, usageErrorOf } from '../refusal.test-data.ts';
import { readLoadOptions, type LoadFlags, type LoadOptions } from './load-options.ts';
import { readWorkerOptions } from '../worker/command.ts';

const REDIS = 'redis://127.0.0.1:6379';
const TARGET = 'http://127.0.0.1:8080/v1';
const SURROUNDINGS = { environment: {}, directory: tmpdir() };

function read(flags: Partial<LoadFlags>, target: string | undefined = TARGET): LoadOptions {
  const defaults = { level: 'must', timeout: '10', key: ['free=k1'] };
  return readLoadOptions(target, { ...defaults, ...flags }, SURROUNDINGS);
}

type WorkerFlags = Parameters<typeof readWorkerOptions>[0];

function worker(flags: WorkerFlags): ReturnType<typeof readWorkerOptions> {
  return readWorkerOptions(flags, SURROUNDINGS);
}

describe('a fleet', () => {
  test('runs what can be divided if no scenario is named', () => {
    const { fleet, scenarios } = read({ fleet: REDIS });
    expect(fleet).toEqual({ url: REDIS, workers: null });
    expect(scenarios.map(({ scenario }) => scenario.id)).toEqual(['latency', 'throughput']);
  });

  test('of so many workers has a Redis with a password', () => {
    const url = 'rediss://:SECRET@redis.example:6380/2';
    expect(read({ fleet: url, fleetWorkers: '3' }).fleet).toEqual({ url, workers: 3 });
  });

  test.each<[string, Partial<LoadFlags>]>([
    ['--fleet must be redis://HOST:PORT', { fleet: 'http://:SECRET@host' }],
    ['--fleet-workers has no meaning without --fleet', { fleetWorkers: '3' }],
    [
      '--connections 2 of latency cannot be divided among 3 workers',
      { fleet: REDIS, fleetWorkers: '3', connections: '2', scenario: ['latency'] },
    ],
    ...LOAD_SCENARIOS.filter(({ divisible }) => divisible !== true).map(
      ({ id }): [string, Partial<LoadFlags>] => [
        `--fleet divides only plain load, and ${id} does more than that; run it without --fleet`,
        { fleet: REDIS, scenario: ['latency', id] },
      ],
    ),
    [
      '--fleet divides only plain load, and mixed, ban do more than that; run them without --fleet',
      { fleet: REDIS, scenario: ['ban', 'mixed'] },
    ],
  ])('is refused with %s', (message, flags) => {
    const refusal = usageErrorOf(() => read(flags));
    expect(refusal).toContain(message);
    expect(refusal).not.toContain('SECRET');
  });

  test('takes a target that its workers reach', () => {
    const flags = { level: 'must', timeout: '10', fleet: REDIS, self: true };
    expect(usageErrorOf(() => readLoadOptions(undefined, flags, SURROUNDINGS))).toBe(
      '--fleet needs a TARGET that its workers can reach',
    );
  });
});

describe('a Redis that is not there is exit code 3 and one sentence', () => {
  const NOWHERE = 'redis://127.0.0.1:1';

  test.each<[string, readonly string[]]>([
    ['--redis', ['worker', '--redis', NOWHERE]],
    [
      '--fleet',
      ['load', TARGET, '--control', TARGET, '--fleet', NOWHERE, '--scenario', 'latency', '--quiet'],
    ],
  ])('of %s', async (option, words) => {
    expect(await refusalOf(words)).toEqual({
      exitCode: 3,
      text: `stockcheck: ${option}: Redis at 127.0.0.1:1 cannot be reached (ECONNREFUSED).\n`,
    });
  });
});

describe('a worker', () => {
  test('has a name of its own', () => {
    expect(worker({ redis: REDIS, name: 'w-1.a_B' })).toEqual({
      redis: REDIS,
      name: 'w-1.a_B',
      allowTarget: [],
    });
    expect(worker({ redis: REDIS }).name).toMatch(/-\d+$/);
  });

  test('may be allowed several hosts', () => {
    const allowTarget = ['Staging.Example', '10.0.0.7', '[2001:db8::1]'];
    expect(worker({ redis: REDIS, allowTarget }).allowTarget).toEqual([
      'staging.example',
      '10.0.0.7',
      '[2001:db8::1]',
    ]);
  });

  test.each<[string, WorkerFlags]>([
    ['worker needs --redis redis://HOST:PORT', {}],
    ['--redis must be redis://HOST:PORT', { redis: 'redis://' }],
    ['--name must be 1 to 60', { redis: REDIS, name: 'a b' }],
    ['--name must be 1 to 60', { redis: REDIS, name: '' }],
    ['--allow-target https://a.example is not a host', { redis: REDIS, allowTarget: ['https://a.example'] }],
    ['--allow-target a.example/v1 is not a host', { redis: REDIS, allowTarget: ['a.example/v1'] }],
    ['--allow-target * is not a host', { redis: REDIS, allowTarget: ['*'] }],
    ['--allow-target  is not a host', { redis: REDIS, allowTarget: [''] }],
  ])('is refused with %s', (message, flags) => {
    expect(usageErrorOf(() => worker(flags))).toContain(message);
  });
});
