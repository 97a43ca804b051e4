import { describe, expect, test } from 'vitest';

import type { Check } from '../../stimuli/check.ts';
import { returnEarly } from '../../stimuli/provoking/early-return.ts';
import { smallKeys, useUp } from '../../stimuli/provoking/use-up.ts';
import { listInventory } from '../../target/index.ts';
import { earlyReturn } from '../../stimuli/checks/early-return.ts';
import { judgeScripted } from './judge-scripted.test-data.ts';
import { rewriting, type TargetChange } from './scripted-target.test-data.ts';

/** A refusal says these fields anew each time, as if the window had just begun. */
const anew =
  (...names: readonly string[]): TargetChange =>
  (rules, world) => {
    const values: Readonly<Record<string, string>> = {
      'Retry-After': '60',
      'X-RateLimit-Reset': '',
    };
    return rewriting(
      ({ status }) => status === 429,
      ({ headers }) => ({
        headers: headers.map(([name, value]) =>
          names.includes(name) ? [name, values[name] || `${Math.ceil(world.now + 60)}`] : [name, value],
        ),
      }),
    )(rules, world);
  };

const TARGETS: readonly (readonly [what: string, change: TargetChange, shown: string])[] = [
  ['keeps the end of its window', () => ({}), 'nothing'],
  ['tells the same wait at any moment', anew('Retry-After'), 'Retry-After begins anew'],
  ['moves its reset', anew('X-RateLimit-Reset'), 'X-RateLimit-Reset begins anew'],
  [
    'begins its window anew',
    anew('Retry-After', 'X-RateLimit-Reset'),
    'Retry-After and X-RateLimit-Reset begin anew',
  ],
];

/** What the ban check does before it goes on, without the ban. */
function comingBack(tell: (ban: number | null, continued: number) => void): Check {
  return {
    ...earlyReturn,
    needs: { ...earlyReturn.needs, keys: smallKeys(1, 2) },
    run: async (context) => {
      const key = context.key();
      await useUp(context, key);
      const refusal = await context.send(listInventory(), { key });
      const { ban, continued } = await returnEarly(context, key, refusal);
      tell(ban?.after ?? null, continued);
    },
  };
}

describe.for(TARGETS)('of a service that %s', ([, change, shown]) => {
  test('the check sees it', async () => {
    expect((await judgeScripted([earlyReturn], change)).observations()['early-return']).toBe(shown);
  });

  test('it is seen before a ban is provoked', async () => {
    const told: (number | null)[] = [];
    const check = comingBack((...result) => told.push(...result));
    expect((await judgeScripted([check], change)).observations()['early-return']).toBe(shown);
    expect(told).toEqual([null, shown.startsWith('Retry-After') ? 2 : 1]);
  });
});

test.for([
  ['another status', { after: 1, seconds: 60, status: 403 }],
  ['a longer wait', { after: 1, seconds: 600, status: 429 }],
  ['a wait of a minute', { after: 1, seconds: 60, status: 429 }],
] as const)('what is told of the first continued request that leads to a ban with %s', async ([, ban]) => {
  const told: (number | null)[] = [];
  const judgements = await judgeScripted([comingBack((...result) => told.push(...result))], () => ({ ban }));
  expect(told).toEqual([1, 0]);
  expect(judgements.judgementOf('early-return').outcome).toBe('skipped');
});
