import { expect, test } from 'vitest';

import { judgeScripted } from './judge-scripted.test-data.ts';
import { minuteLimitChecks } from '../../stimuli/checks/minute-limits.ts';
import type { TargetChange } from './scripted-target.test-data.ts';
import { granting, lasting, rewriting } from './target-changes.test-data.ts';

test.each([
  [60, 'pass'],
  [90, 'fail'],
] as const)('in real time, minutes of %i s: %s', async (seconds, outcome) => {
  const judgements = await judgeScripted(minuteLimitChecks.slice(1, 2), lasting(seconds), new Set(), false);
  const ids = ['limit-renews', 'minute-limit-pro', 'remaining-falls'] as const;
  expect(ids.some((id) => judgements.judgementOf(id).outcome === 'fail')).toBe(outcome === 'fail');
});

const withoutPets: TargetChange = (_rules, world) => {
  world.pets.clear();
  return {};
};

test('in real time, an inventory without a pet leaves limits to be judged', async () => {
  const judgements = await judgeScripted(minuteLimitChecks, withoutPets, new Set(), false);
  for (const id of ['minute-limit-free', 'minute-limit-pro', 'minute-limit-enterprise'] as const) {
    expect(judgements.judgementOf(id)).toMatchObject({ outcome: 'pass', reason: null });
  }
});

test('a wrong Remaining is not blamed on Retry-After', async () => {
  const endsAtOne = rewriting(
    ({ status, headers }) => status === 200 && headers.some(isLastRemaining),
    ({ headers }) => ({
      headers: headers.map((field) => (isLastRemaining(field) ? [field[0], '1'] : field)),
    }),
  );
  const judgements = await judgeScripted(minuteLimitChecks.slice(0, 1), endsAtOne);
  expect(judgements.judgementOf('retry-after-honoured').outcome).toBe('pass');
});

test('a refusal that a burst was banned by may ask for more than a minute, though it was sent first', async () => {
  let refusals = 0;
  const firstAsksForTheBan = rewriting(
    ({ status }) => {
      refusals += status === 429 ? 1 : 0;
      return status === 429 && refusals === 1;
    },
    ({ headers }) => ({
      headers: headers.map(([name, value]) => [name, name === 'Retry-After' ? '700' : value]),
    }),
  );
  const judgements = await judgeScripted(minuteLimitChecks.slice(2, 3), firstAsksForTheBan);
  expect(refusals).toBeGreaterThan(1);
  expect(judgements.judgementOf('retry-after-plausible').outcome).not.toBe('fail');
});

// As where a window ends in the midst of each burst.
const refusingUpdates: TargetChange = (rules) => ({ ...granting(1_000)(rules), quantityOf: () => null });

test('an update that is refused for what it asks, below a limit that was not reached, is no wrong refusal', async () => {
  const judgements = await judgeScripted(minuteLimitChecks.slice(0, 1), refusingUpdates);
  expect(judgements.judgementOf('refusal-is-429').outcome).not.toBe('fail');
});

function isLastRemaining([name, value]: readonly [string, string]): boolean {
  return name === 'X-RateLimit-Remaining' && value === '0';
}
