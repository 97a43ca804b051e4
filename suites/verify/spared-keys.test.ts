import { expect, test } from 'vitest';

import { startHttpServer } from '../../fixtures/loopback.test-data.ts';
import { runForTest } from './run-suite.test-data.ts';

/** Judges, in a profile that exhausts nothing, a target of which so many requests are left in the day. */
async function judgeWithLeft(left: number, describes: 'day' | 'minute') {
  let accepted = 0;
  let refused = 0;
  const target = await startHttpServer((request, response) => {
    const isKnown = request.headers.authorization === 'Bearer a-good-key';
    const isAccepted = isKnown && accepted < left;
    accepted += Number(isAccepted);
    refused += Number(isKnown && !isAccepted);
    const [limit, remaining] = describes === 'day' ? [1_000, left - accepted] : [60, 60 - accepted];
    response.writeHead(isKnown ? (isAccepted ? 200 : 429) : 401, {
      'Content-Type': 'application/json',
      'X-RateLimit-Limit': limit,
      'X-RateLimit-Remaining': remaining,
      'X-RateLimit-Reset': Math.ceil(Date.now() / 1000) + (describes === 'day' ? 7_200 : 60),
      ...(isKnown && !isAccepted ? { 'Retry-After': 7_200 } : {}),
    });
    response.end(isAccepted ? '[]' : '{"code":"no","message":"no","status":401}');
  });
  const result = await runForTest({ target, keys: { free: ['a-good-key'] }, profile: 'safe' });
  return { ...result, accepted, refused };
}

test('no more is sent with a key than its headers say is left of the day', async () => {
  const { accepted, refused, judgements } = await judgeWithLeft(15, 'day');
  expect(refused).toBe(0);
  expect(accepted).toBeLessThan(15);
  expect(judgements.map(({ reason }) => reason)).toContainEqual(
    expect.stringMatching(/^The day of free#1 has \d+ requests left, too few for this/),
  );
});

test('nothing is sent with a key after a 429 that asks for a longer wait than a run takes', async () => {
  const { accepted, refused } = await judgeWithLeft(5, 'minute');
  expect([accepted, refused]).toEqual([5, 1]);
});
