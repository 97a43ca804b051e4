import { expect, test } from 'vitest';

import { PLAN_LIMITS } from '../../../contract/plans.ts';
import { judgeScripted, testChecks, type Violation } from './judge-scripted.test-data.ts';
import { minuteLimitChecks } from './minute-limits.ts';
import type { TargetChange } from './scripted-target.test-data.ts';
import {
  carriedOutThough,
  granting,
  lasting,
  answering429With,
  rewriting,
  shutOutAfter,
  withField,
} from './target-changes.test-data.ts';

const wrongLimits = (['free', 'pro', 'business', 'enterprise'] as const).flatMap((plan) =>
  [1, -1].map((more): Violation => [
    `minute-limit-${plan}`,
    more > 0 ? 'one too many is granted' : 'one too few is granted',
    granting(more, 'minute', ({ perMinute }) =>
      plan === 'enterprise'
        ? perMinute < PLAN_LIMITS.pro.perMinute
        : perMinute === PLAN_LIMITS[plan].perMinute,
    ),
  ]),
);

const [small] = minuteLimitChecks;

testChecks(minuteLimitChecks, [
  ...wrongLimits,
  [
    'limit-over-spellings',
    'a query string makes a request free',
    () => ({ isCounted: (_client, { query }) => query === '' }),
    small,
  ],
  ['refusal-is-429', 'it is 503', answering429With(503), small],
  ['limit-renews', 'windows last five seconds', lasting(5), small],
  [
    'retry-after-honoured',
    'it is half as long as it should be',
    () => ({ retryAfter: (seconds) => Math.floor(seconds / 2) }),
    small,
  ],
  [
    'retry-after-plausible',
    'it is in milliseconds',
    () => ({ retryAfter: (seconds) => seconds * 1_000 }),
    small,
  ],
  ['ban-only-after-continued', 'the first 429 shuts a client out', shutOutAfter(1), small],
  ['refused-changes-nothing', 'an update beyond the limit is carried out', carriedOutThough(429), small],
  ['remaining-falls', 'it stays', withField('X-RateLimit-Remaining', '7'), small],
]);

test.each([
  [60, 'pass'],
  [90, 'fail'],
] as const)('in real time, minutes of %i s: %s', async (seconds, outcome) => {
  const judgements = await judgeScripted(minuteLimitChecks.slice(1, 2), lasting(seconds), new Set(), false);
  const ids = ['limit-renews', 'minute-limit-pro', 'remaining-falls'] as const;
  expect(ids.some((id) => judgements.judgementOf(id).outcome === 'fail')).toBe(outcome === 'fail');
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
