import { describe, expect, test } from 'vitest';

import { performGroup, type Check } from '../suites/verify/index.ts';
import { leaseConfiguredKeys, keepTime } from '../suites/target/index.ts';
import type { Key } from '../suites/oracle/index.ts';
import { sampleKey } from './engine/engine.test-data.ts';
import { keysTaken, obstacleOfKeys } from './session.ts';

function keyOf(label: string, perMinute: number): Key {
  return sampleKey({ label, limits: { perMinute, perDay: 1_000_000 }, issued: false });
}

function checkOf(use: Check['needs']['keys'][number]['use']): Check {
  return {
    id: `check-${use}`,
    title: 'A check',
    judges: [],
    needs: {
      profile: 'full',
      keys: [{ plan: 'enterprise', use, requests: ({ perMinute }) => (use === 'share' ? 1 : perMinute) }],
    },
    run: async () => {},
  };
}

function leasesOf(keys: readonly Key[], checks: readonly Check[]) {
  const time = keepTime(null, { learnFromControl: () => {} }, new AbortController().signal);
  return { time, leases: leaseConfiguredKeys(keys, checks, time) };
}

describe('checks under load with configured keys', () => {
  test('get the only key, whether they share it or use it up', async () => {
    const checks = [checkOf('exhaust'), checkOf('share')];
    const { time, leases } = leasesOf([keyOf('enterprise#1', 60)], checks);

    const summaries = await performGroup(checks, leases, (check) =>
      time.participate(async () => {
        const keys = await leases.lease(check.needs.keys);
        keys.forEach((key) => key !== null && leases.release(key));
        return { check, outcome: 'done', durationSeconds: 0, requests: 0 };
      }),
    );

    expect(summaries.map(({ check }) => check.id)).toEqual(['check-share', 'check-exhaust']);
  });

  test('leave the others for the load beside them', () => {
    const all = [keyOf('enterprise#1', 90), keyOf('enterprise#2', 60), keyOf('enterprise#3', 60)];
    const taken = (use: 'exhaust' | 'ban'): readonly string[] =>
      [...keysTaken([checkOf(use)], all, (checks, keys = all) => leasesOf(keys, checks).leases)].map(
        ({ label }) => label,
      );
    expect(taken('exhaust')).toEqual(['enterprise#3']);
    // Nobody knows a ban from a target that is down without a key that stays usable.
    expect(taken('ban')).toEqual(['enterprise#2', 'enterprise#3']);
  });

  test('do not use up a limit that takes more than is announced', () => {
    const check = checkOf('exhaust');
    const { leases } = leasesOf([keyOf('enterprise#1', 20_000)], [check]);

    expect(obstacleOfKeys(check, leases)).toContain('20000 a minute');
  });
});
