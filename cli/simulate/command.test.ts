import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, test } from 'vitest';

import { directoryOfFile } from '../../contract/temporary-directory.test-data.ts';
import { SAMPLE_LOAD_REPORT } from '../../reports/model/sample-load-report.test-data.ts';
import { SAMPLE_REPORT } from '../../reports/model/sample-report.test-data.ts';
import { refusalOf, usageErrorOf } from '../refusal.test-data.ts';
import { readSimulateOptions, type SimulateFlags } from './command.ts';

const directory = directoryOfFile();

function written(name: string, value: unknown): string {
  const path = join(directory, name);
  writeFileSync(path, JSON.stringify(value));
  return path;
}

const LOAD = written('load.json', SAMPLE_LOAD_REPORT);
const VERIFY = written('verify.json', SAMPLE_REPORT);

function read(flags: SimulateFlags) {
  return readSimulateOptions(flags, { environment: {}, directory });
}

function sharesIn(...client: readonly string[]): readonly (readonly [string, number])[] {
  return read({ client }).storm.shares.map(({ policy, share }) => [policy.name, share]);
}

describe('without options', () => {
  test('a thousand exact clients of the Free plan come against 2000 requests a second', () => {
    const { storm, setting } = read({});
    expect(storm).toMatchObject({
      clients: 1_000,
      requestsEach: 70,
      limits: { perMinute: 60, perDay: 1_000 },
      service: { workers: 20, serviceSeconds: 0.01, refusalShare: 0.5, queue: null },
    });
    expect(setting.service.capacity).toBe(2_000);
    expect(sharesIn()).toEqual([['exact', 1]]);
  });

  test('the storm begins at a whole minute, and the seed is another each time', () => {
    expect(read({}).storm.startUnixSeconds % 60).toBe(0);
    expect(read({ phase: '15s' }).storm.startUnixSeconds % 60).toBe(15);
    expect(read({}).storm.seed).not.toBe(read({}).storm.seed);
    expect(read({ seed: '7' }).storm.seed).toBe(7);
  });
});

test('policies that say no share divide what the others leave', () => {
  expect(sharesIn('exact@70%', 'jitter:5s', 'ignores')).toEqual([
    ['exact', 0.7],
    ['jitter:5s', expect.closeTo(0.15)],
    ['ignores', expect.closeTo(0.15)],
  ]);
  expect(sharesIn('jitter', 'exponential:0.5s@0.25', 'gives-up@25%').map(([name]) => name)).toEqual([
    'jitter:50%',
    'exponential:0.5s',
    'gives-up',
  ]);
});

test('limits come from variants or a report of verify', () => {
  const { storm, setting } = read({
    variant: ['aligned-minute,ban-after-one', 'retry-after-as-date'],
  });
  expect(storm.server.alterations).toHaveLength(3);
  expect(setting.server).toContain('Retry-After is an HTTP-date');
  expect(read({ like: VERIFY }).setting.server[0]).toBe(`like the service of ${VERIFY}`);
});

test.each<[SimulateFlags, string]>([
  [{ client: ['exat'] }, '--client exat: there is no such policy. Did you mean exact?'],
  [{ client: ['exact:5s'] }, '--client exact:5s: exact has no parameter'],
  [{ client: ['exact@60%', 'ignores@60%'] }, '--client: the shares add up to 120%, not to 100%'],
  [{ client: ['exact@60%'] }, '--client: the shares add up to 60%, not to 100%'],
  [{ client: ['jitter:much'] }, '--client jitter:much must be a number from 0 to 1, not "much"'],
  [{ like: LOAD }, 'this is a report of load'],
  [{ limit: '60' }, '--limit must be requests a minute and a day, such as 100/5000, not "60"'],
  [{ limit: '60/1000', plan: 'pro' }, '--limit and --plan exclude each other'],
  [{ like: VERIFY, variant: ['no-ban'] }, '--like and --variant exclude each other'],
  [{ clients: '0' }, '--clients must be a whole number from 1 to 1000000, not "0"'],
  [{ capacity: '100000', serviceTime: '10' }, 'at most 100000 can be simulated'],
])('bad usage: %o', (flags, message) => {
  expect(usageErrorOf(() => read(flags))).toContain(message);
});

test('a mistake ends with exit code 2 and one line', async () => {
  const { text, exitCode } = await refusalOf(['simulate', '--clients', 'many']);
  expect(exitCode).toBe(2);
  expect(text).toContain('--clients must be a whole number');
});
