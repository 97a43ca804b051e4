import { array, assert, constantFrom, nat, property, tuple } from 'fast-check';
import { expect, test } from 'vitest';

import { PLAN_LIMITS } from '../../contract/plans.ts';
import { followServerClock, type Key } from '../oracle/index.ts';
import { freeKey } from '../oracle/monitors/watch.test-data.ts';
import { openAllowances, planBudget } from './budget.ts';
import type { Check } from '../stimuli/check.ts';
import { CHECKS } from '../stimuli/checks/index.ts';
import { BudgetError, keepTime, leaseConfiguredKeys } from '../target/index.ts';

const [FIRST, SECOND, THIRD] = CHECKS;
if (FIRST === undefined || SECOND === undefined || THIRD === undefined) {
  throw new Error('There are fewer than three checks');
}

const anyWish = tuple(constantFrom(FIRST, SECOND, THIRD), nat({ max: 30 }));

test('each check may spend its own share, and no more while none is over', () => {
  assert(
    property(tuple(nat({ max: 20 }), nat({ max: 20 }), nat({ max: 20 })), array(anyWish), (sizes, wishes) => {
      const shares = new Map([FIRST, SECOND, THIRD].map((check, index) => [check, sizes[index] ?? 0]));
      const allowanceOf = openAllowances({ shares });
      const accounts = new Map([...shares.keys()].map((check) => [check, allowanceOf(check)]));
      const spent = new Map<unknown, number>();
      const refusals: unknown[] = [];
      for (const [check, requests] of wishes) {
        for (let sent = 0; sent < requests; sent += 1) {
          try {
            accounts.get(check)?.spend();
            spent.set(check, (spent.get(check) ?? 0) + 1);
          } catch (error) {
            refusals.push(error);
          }
        }
      }
      expect(refusals.filter((error) => !(error instanceof BudgetError))).toEqual([]);
      // Nobody has closed yet, so that each may spend its own share and no more.
      const wished = (check: Check): number =>
        wishes.filter(([one]) => one === check).reduce((sum, [, requests]) => sum + requests, 0);
      for (const [check, share] of shares) {
        expect(spent.get(check) ?? 0).toBe(Math.min(share, wished(check)));
      }
    }),
  );
});

test('what a check that is over has left goes to the others, once', () => {
  const allowanceOf = openAllowances({
    shares: new Map([
      [FIRST, 3],
      [SECOND, 1],
    ]),
  });
  const [first, second] = [allowanceOf(FIRST), allowanceOf(SECOND)];
  first.spend();
  second.spend();
  expect(() => second.spend()).toThrow(BudgetError);
  first.close();
  first.close();
  second.spend();
  second.spend();
  expect(() => second.spend()).toThrow('The announced number of requests is used up.');
});

function keyOf(plan: 'free' | 'pro', label: string): Key {
  return freeKey({ label, secret: `secret-${label}`, plan, limits: PLAN_LIMITS[plan], issued: false });
}

test('one window is announced if no key has to be used up twice, and no key is said to be issued', () => {
  const inRealTime = CHECKS.filter(
    ({ needs }) => needs.profile === 'full' && needs.control === undefined && needs.long !== true,
  );
  const budgetOver = (counts: Readonly<Record<'free' | 'pro', number>>) => {
    const keys = (['free', 'pro'] as const).flatMap((plan) =>
      Array.from({ length: counts[plan] }, (_, index) => keyOf(plan, `${plan}#${index + 1}`)),
    );
    const time = keepTime(null, followServerClock(), new AbortController().signal);
    const leases = leaseConfiguredKeys(keys, inRealTime, time);
    const runnable = inRealTime.filter(({ needs }) => leases.obstacle(needs.keys) === null);
    return planBudget(runnable, leases, false);
  };
  const few = budgetOver({ free: 3, pro: 1 });
  expect(few.windows).toBe(2);
  expect([few.bans, few.usedUp]).toEqual([['free#2'], ['free#1', 'pro#1']]);
  expect(few.lines.map(({ label }) => label)).not.toContain('issued keys');
  expect(budgetOver({ free: 4, pro: 3 }).windows).toBe(1);
});
