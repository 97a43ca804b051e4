import { describe, expect, test } from 'vitest';

import type { Plan, PlanLimits } from '../../contract/plans.ts';
import type { Key } from '../../suites/oracle/index.ts';
import { ceilingOf, keysForLoad, type KeySource } from './load-mix.ts';
import { sampleKey } from '../engine/engine.test-data.ts';
import { NotPossible } from '../scenario.ts';

function own(plan: Plan, label: string, limits: PlanLimits | null = null): Key {
  return sampleKey({ plan, label, limits, issued: false });
}

const NO_CONTROL = {
  issues: false,
  issue: () => Promise.reject(new Error('Nothing is issued')),
  config: { profile: 'full' } as const,
  isResting: () => false,
  shownLimit: null,
};
const SPARING = { profile: 'standard' } as const;

async function labelsOf(keys: readonly Key[], perMinute: number, changes: Partial<KeySource> = {}) {
  const { cycle, areAmple } = await keysForLoad({ ...NO_CONTROL, keys, ...changes }, perMinute);
  return { labels: cycle.map(({ label }) => label), areAmple };
}

test('keys that are issued are ample, and no two have the same limits', async () => {
  const issued: (readonly [Plan, PlanLimits | null])[] = [];
  const issue: KeySource['issue'] = (plan, limits) => {
    issued.push([plan, limits]);
    return Promise.resolve(sampleKey({ plan, limits, label: `${plan}#load${issued.length}` }));
  };
  const { labels, areAmple } = await labelsOf([own('free', 'free#1')], 1_000_000, { issues: true, issue });
  expect(labels).toEqual(issued.map((_, index) => `enterprise#load${index + 1}`));
  expect(areAmple).toBe(true);
  expect(issued.length).toBeGreaterThan(1);
  for (const name of ['perMinute', 'perDay'] as const) {
    const limits = issued.map(([, limits]) => limits?.[name] ?? 0);
    expect(new Set(limits).size).toBe(limits.length);
    expect(Math.min(...limits)).toBeGreaterThanOrEqual(1_000_000);
  }
});

describe('of configured keys', () => {
  test('those that have met their limit carry nothing', async () => {
    const keys = [own('pro', 'pro#1'), own('pro', 'pro#2')];
    expect(await labelsOf(keys, 300, { isResting: ({ label }) => label !== 'pro#2' })).toEqual({
      labels: ['pro#2'],
      areAmple: true,
    });
    await expect(labelsOf(keys, 300, { isResting: () => true })).rejects.toThrow('after a 429');
  });

  test('only those of the largest plan carry the load', async () => {
    const keys = [own('free', 'free#1'), own('business', 'business#1'), own('pro', 'pro#1')];
    expect(await labelsOf(keys, 1_000)).toEqual({ labels: ['business#1'], areAmple: true });
    expect(await labelsOf(keys, 1_001)).toEqual({ labels: ['business#1'], areAmple: false });
  });

  test('each carries as much as its limit is part of the whole, and equal ones lie apart', async () => {
    const keys = [
      own('enterprise', 'small', { perMinute: 100, perDay: 10_000 }),
      own('enterprise', 'large', { perMinute: 300, perDay: 30_000 }),
    ];
    const { labels, areAmple } = await labelsOf(keys, 400);
    expect(areAmple).toBe(true);
    expect(labels.toSorted()).toEqual(['large', 'large', 'large', 'small']);
    const twice = await labelsOf([own('pro', 'a'), own('pro', 'b')], 600);
    expect(twice).toEqual({ labels: ['a', 'b'], areAmple: true });
  });

  test('a limit that the target has shown counts if it is more than was given', async () => {
    const keys = [own('enterprise', 'enterprise#1')];
    expect((await labelsOf(keys, 5_000)).areAmple).toBe(false);
    expect((await labelsOf(keys, 5_000, { shownLimit: 5_000 })).areAmple).toBe(true);
  });

  test('too small ones are refused unless the profile exhausts limits, with what would help', async () => {
    const keys = [own('free', 'free#1')];
    await expect(labelsOf(keys, 61, { config: SPARING })).rejects.toThrow(NotPossible);
    await expect(labelsOf(keys, 61, { config: SPARING })).rejects.toThrow(
      /^The keys allow 60 requests a minute, and this takes 61; .*--rate\.$/,
    );
    const session = { ...NO_CONTROL, keys: [...keys, own('free', 'free#2')] };
    expect(ceilingOf({ ...session, config: SPARING }, 100)).toBeCloseTo(1.6);
    expect(ceilingOf({ ...session, config: SPARING }, 100, 'one')).toBeCloseTo(0.8);
    expect(ceilingOf(session, 100)).toBe(100);
    expect(await labelsOf(keys, 60, { config: SPARING })).toEqual({ labels: ['free#1'], areAmple: true });
  });
});
