import { describe, expect, test } from 'vitest';

import { collectJudgements } from '../../oracle/index.ts';
import { limited, sampleRecord } from '../records/record.test-data.ts';
import type { ScenarioRecord } from '../records/record.ts';
import { crowdWaits, earlinessOf, growthOf } from './crowd-returns.ts';
import { judgeHerd } from './judge-herd.ts';

/** What is said of clients that come back so many seconds after each of two refusals. */
function judge(waits: readonly (readonly [first: number, second: number])[]) {
  const records = waits.map(([first, second]) => clientWith(first, second));
  const refusals = crowdWaits(records);
  const judgements = collectJudgements();
  judgeHerd(
    {
      clients: records.length,
      refusals,
      growth: growthOf(refusals),
      earliness: earlinessOf(refusals),
    },
    judgements,
  );
  const { outcome, findings } = judgements.judgementOf('client-waits');
  return { outcome, message: findings[0]?.message, observed: judgements.observations() };
}

function clientWith(first: number, second: number): ScenarioRecord {
  return sampleRecord({
    exchanges: [limited(0, 2), limited(first, 4), { at: first + second }],
  });
}

describe('clients that were refused together', () => {
  test('and come back exactly when they may, do so all at once', () => {
    const { outcome, observed } = judge(Array.from({ length: 8 }, () => [2.01, 4.01] as const));
    expect(outcome).toBe('pass');
    expect(observed).toEqual({
      'client-spreads': 'all within 100 ms',
    });
  });

  test('and add jitter are spread', () => {
    const waits = Array.from({ length: 8 }, (_, index) => [2 + index / 10, 4.5] as const);
    const { observed } = judge(waits);
    expect(observed).toMatchObject({ 'client-spreads': 'spread' });
  });

  test('and give up come back never', () => {
    const { outcome, observed } = judge([]);
    expect(outcome).toBe('skipped');
    expect(observed).toEqual({ 'client-spreads': 'gives up' });
  });

  test('and take 14 ms off each wait are told so with figures', () => {
    const { outcome, message } = judge(Array.from({ length: 8 }, () => [1.99, 3.986] as const));
    expect(outcome).toBe('fail');
    expect(message).toContain('in 8 of 8 waits: by 14 ms, all after the same Retry-After');
  });

  test('and are early once within the tolerance are not blamed', () => {
    const { outcome } = judge([[2, 3.985], ...Array.from({ length: 7 }, () => [2.001, 4.001] as const)]);
    expect(outcome).toBe('pass');
  });

  test('and are early once by more than that are', () => {
    const { message } = judge([[2, 3.9], ...Array.from({ length: 7 }, () => [2.001, 4.001] as const)]);
    expect(message).toContain('in 1 of 16 waits by 20 ms or more, by 100 ms at most, after Retry-After: 4.');
  });
});
