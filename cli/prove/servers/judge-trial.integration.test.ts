import { expect, test } from 'vitest';

import { type Fault, changeResponses, type Variant, withHeader } from '../../../reference-server/index.ts';
import type { Profile } from '../../../contract/verdict.ts';
import { judgeTrial, type Extent } from './judge-trial.ts';

const NEVER = new AbortController().signal;
const WHOLE: Extent = {
  profile: null,
  realTimeKeys: null,
  bail: false,
  by: 'checks',
  exploration: { requests: 200, seed: 1 },
};

const negativeRemaining = {
  id: 'negative-remaining',
  title: 'Remaining is -1',
  alter: changeResponses((response) => withHeader(response, 'X-RateLimit-Remaining', '-1')),
} as const;

function judge(fault: Fault, profile: Profile | null = null) {
  return judgeTrial({ variants: [], fault }, { ...WHOLE, profile }, NEVER);
}

test('a fault is caught by the requirement that it breaks', async () => {
  const result = await judge({ ...negativeRemaining, breaks: 'remaining-in-range' });
  expect(result).toMatchObject({ profile: 'safe', outcome: 'caught', verdict: 'nonconformant' });
  expect(result.failed.find(({ id }) => id === 'remaining-in-range')?.message).toContain('-1');
});

test('a fault that shows in a larger profile only is judged in that', async () => {
  const fault: Fault = {
    id: 'negative-remaining-of-updates',
    title: 'Remaining is -1 after an update',
    breaks: 'remaining-in-range',
    alter: changeResponses((response, request) =>
      request.method === 'PATCH' ? withHeader(response, 'X-RateLimit-Remaining', '-1') : response,
    ),
  };
  expect(await judge(fault)).toMatchObject({ profile: 'standard', outcome: 'caught' });
  expect(await judge(fault, 'safe')).toMatchObject({ profile: 'safe', outcome: 'missed' });
  const inFull = await judgeTrial({ variants: [], fault }, { ...WHOLE, profile: 'full', bail: true }, NEVER);
  expect(inFull).toMatchObject({ profile: 'full', outcome: 'caught' });
});

test.each([
  ['only another requirement notices is not caught', negativeRemaining.alter, 'elsewhere', 'nonconformant'],
  ['nothing notices is missed', {}, 'missed', 'conformant'],
] as const)('a fault that %s', async (_what, alter, outcome, verdict) => {
  const result = await judge({ ...negativeRemaining, alter, breaks: 'update-sets' }, 'safe');
  const nothing = { failed: [], first: null, undeclared: [], undecided: [] };
  expect(result).toMatchObject({
    profile: 'safe',
    outcome,
    verdict,
    ...(outcome === 'missed' ? nothing : {}),
  });
});

test('random sequences catch a fault, and say how few requests show it', async () => {
  const trial = { variants: [], fault: { ...negativeRemaining, breaks: 'remaining-in-range' } as const };
  const explored = await judgeTrial(trial, { ...WHOLE, by: 'explore' }, NEVER);
  expect(explored).toMatchObject({
    outcome: 'caught',
    shownBy: expect.arrayContaining(['explore']),
    shrunkTo: 1,
  });
});

test('a variant that is no freedom is a false alarm, and the reference is none', async () => {
  const variant: Variant = { ...negativeRemaining, freedom: 'minute window' };
  const [accused, clean] = await Promise.all(
    [[variant], []].map((variants) =>
      judgeTrial({ variants, fault: null }, { ...WHOLE, profile: 'safe' }, NEVER),
    ),
  );
  expect(accused?.outcome).toBe('accused');
  expect(clean?.outcome).toBe('clean');
});
