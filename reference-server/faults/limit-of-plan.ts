import { PLAN_LIMITS, type PlanLimits } from '../../contract/plans.ts';
import type { Alteration } from '../alterations/alteration.ts';
import type { KeyRecord } from '../service/key-store.ts';
import type { Decision } from '../service/rate-limiter.ts';
import type { RoutedOperation } from '../service/router.ts';
import { changeBothWindows, changeDecisions, type WindowName } from '../alterations/decision-changes.ts';
import type { Fault } from './fault.ts';

const LIMIT_KEYS = { minute: 'perMinute', day: 'perDay' } as const;

/** What X-RateLimit-Limit says that is neither limit of the key's plan; the limits themselves are kept. */
export const LIMIT_OF_PLAN_FAULTS: readonly Fault[] = [
  {
    id: 'limit-of-free-for-all',
    title: 'X-RateLimit-Limit shows the limits of the Free plan to every key',
    breaks: 'limit-of-plan',
    alter: showLimit((_key, name) => PLAN_LIMITS.free[LIMIT_KEYS[name]]),
  },
  {
    id: 'limit-of-enterprise-not-as-agreed',
    title: 'X-RateLimit-Limit shows the same limits to all Enterprise keys, whatever was agreed',
    breaks: 'limit-of-plan',
    alter: showLimit(({ plan }, name) =>
      plan === 'enterprise' ? { minute: 5_000, day: 500_000 }[name] : undefined,
    ),
  },
  {
    id: 'limit-of-both-windows',
    title: 'X-RateLimit-Limit is the sum of both limits',
    breaks: 'limit-of-plan',
    alter: showLimit(({ limits }) => limits.perMinute + limits.perDay),
  },
  {
    id: 'limit-one-too-few',
    title: 'X-RateLimit-Limit is one less than the limit',
    breaks: 'limit-of-plan',
    alter: showLimit(({ limits }, name) => limits[LIMIT_KEYS[name]] - 1),
  },
  {
    id: 'limit-zero-beyond-the-limit',
    title: 'X-RateLimit-Limit is 0 on a 429',
    breaks: 'limit-of-plan',
    alter: showLimit((_key, _name, { accepted }) => (accepted ? undefined : 0)),
  },
  {
    id: 'limit-of-free-on-updates',
    title: 'X-RateLimit-Limit shows the limits of the Free plan on updates',
    breaks: 'limit-of-plan',
    alter: showLimit((_key, name, _decision, operation) =>
      operation === 'updateInventory' ? PLAN_LIMITS.free[LIMIT_KEYS[name]] : undefined,
    ),
  },
  {
    id: 'limit-of-key-before',
    title: 'X-RateLimit-Limit shows the limits of the key that was served before',
    breaks: 'limit-of-plan',
    alter: changeDecisions(() => {
      let before: PlanLimits | undefined;
      return (decision, { limits }) => {
        const shown = before ?? limits;
        before = limits;
        return withLimits(decision, (name) => shown[LIMIT_KEYS[name]]);
      };
    }),
  },
];

/** @param choose the limit to show; `undefined` for the right one */
function showLimit(
  choose: (
    key: KeyRecord,
    name: WindowName,
    decision: Decision,
    operation: RoutedOperation | undefined,
  ) => number | undefined,
): Alteration {
  return changeDecisions(
    () => (decision, key, operation) =>
      withLimits(decision, (name) => choose(key, name, decision, operation) ?? decision[name].limit),
  );
}

/** What remains is kept below the limit that is shown. */
function withLimits(decision: Decision, limitOf: (name: WindowName) => number): Decision {
  return changeBothWindows(decision, (state, name) => {
    const limit = limitOf(name);
    return { ...state, limit, remaining: Math.min(limit, state.remaining) };
  });
}
