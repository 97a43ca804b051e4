import { expect, test } from 'vitest';

import { ban, changeDecisions, combine, type DecisionChange } from '../../reference-server/index.ts';
import { judgeInProcess, startTarget } from './run.test-data.ts';

/** What one check finds out about a server that answers bans 401, and decides as told. */
async function judge(check: string, start: () => DecisionChange) {
  const target = await startTarget({
    alterations: [combine({ parts: () => ({ banStatus: 401 }) }, changeDecisions(start))],
    graceMilliseconds: 0,
  });
  const { judgements } = await judgeInProcess(target, { profile: 'full', control: true, checks: [check] });
  return new Map(judgements.map(({ id, outcome }) => [id, outcome]));
}

test('a refusal with requests left today is not taken for one beyond the day', async () => {
  const outcomes = await judge('day-limit-free', () => {
    const accepted = new WeakMap<object, number>();
    return (decision, { key }) => {
      const count = (accepted.get(key) ?? 0) + 1;
      accepted.set(key, count);
      return count > 5 && key.plan === 'free' ? ban(decision, 60) : decision;
    };
  });
  expect(outcomes.get('ban-only-after-continued')).toBe('fail');
  expect(outcomes.get('day-limit-free')).not.toBe('fail');
  expect(outcomes.get('refusal-is-429')).not.toBe('fail');
});

test('a ban at the start of the second minute says nothing of the day', async () => {
  const outcomes = await judge('day-across-minutes', () => {
    const refused = new WeakSet<object>();
    return (decision, { key }) => {
      if (!decision.accepted) {
        refused.add(key);
        return decision;
      }
      return refused.has(key) ? ban(decision, 3_600) : decision;
    };
  });
  expect(outcomes.get('day-limit-free')).toBe('skipped');
});
