import { PLAN_LIMITS, type PlanLimits } from '../../contract/plans.ts';
import type { Alteration } from '../alterations/alteration.ts';
import { changeAuthentication } from '../alterations/authentication.ts';
import { changeBothLimits, changeShownLimits } from '../alterations/decisions.ts';
import { answerUpdatesLater } from '../alterations/updates.ts';
import { LIMIT_MEMBERS, type WindowName } from '../alterations/windows.ts';
import { breaking } from './fault.ts';
import type { KeyRecord } from '../service/key-store.ts';
import type { Connection } from '../service/messages.ts';
import type { Decision, LimitState } from '../service/rate-limiter.ts';
import type { RoutedOperation } from '../service/router.ts';

const firstOn = new WeakMap<Connection, KeyRecord>();

/** @param choose the limit to show; `undefined` for the right one */
function showLimit(
  choose: (
    key: KeyRecord,
    name: WindowName,
    decision: Decision,
    operation: RoutedOperation | undefined,
  ) => number | undefined,
): Alteration {
  return changeShownLimits(
    () => (decision, key, operation) =>
      withLimits(decision, (name) => choose(key, name, decision, operation) ?? decision[name].limit),
  );
}

/** What remains is kept below the limit that is shown. */
function withLimits(decision: Decision, limitOf: (name: WindowName) => number): Decision {
  return changeBothLimits(decision, (state, name) => {
    const limit = limitOf(name);
    return { ...state, limit, remaining: Math.min(limit, state.remaining) };
  });
}

export const LIMIT_OF_PLAN_FAULTS = breaking('limit-of-plan', {
  'headers-of-newest-request': [
    'The headers of a response to an update are those of the newest request',
    {
      answers: answerUpdatesLater,
      parts: ({ describe, describeWithoutKey, render }) => {
        let newest: LimitState | undefined;
        return {
          describe: (decision) => (newest = describe(decision)),
          describeWithoutKey: (now) => (newest = describeWithoutKey(now)),
          render: (answer, limit, now) => render(answer, newest ?? limit, now),
        };
      },
    },
    {
      // Then no newer request is there.
      excludes: ['one-request-at-a-time'],
    },
  ],
  'limit-shown-in-16-bits': [
    'X-RateLimit-Limit shows the lower 16 bits of the limit',
    showLimit((_key, name, decision) => decision[name].limit % 0x1_00_00),
  ],
  'limit-of-free-for-all': [
    'X-RateLimit-Limit shows the limits of the Free plan to every key',
    showLimit((_key, name) => PLAN_LIMITS.free[LIMIT_MEMBERS[name]]),
  ],
  'limit-of-enterprise-not-as-agreed': [
    'X-RateLimit-Limit shows the same limits to all Enterprise keys, whatever was agreed',
    showLimit(({ plan }, name) =>
      plan === 'enterprise' ? { minute: 5_000, day: 500_000 }[name] : undefined,
    ),
  ],
  'limit-of-both-windows': [
    'X-RateLimit-Limit is the sum of both limits',
    showLimit(({ limits }) => limits.perMinute + limits.perDay),
  ],
  'limit-one-too-few': [
    'X-RateLimit-Limit is one less than the limit',
    showLimit(({ limits }, name) => limits[LIMIT_MEMBERS[name]] - 1),
  ],
  'limit-zero-beyond-the-limit': [
    'X-RateLimit-Limit is 0 on a 429',
    showLimit((_key, _name, { accepted }) => (accepted ? undefined : 0)),
  ],
  'limit-of-free-on-updates': [
    'X-RateLimit-Limit shows the limits of the Free plan on updates',
    showLimit((_key, name, _decision, operation) =>
      operation === 'updateInventory' ? PLAN_LIMITS.free[LIMIT_MEMBERS[name]] : undefined,
    ),
  ],
  'limit-of-key-before': [
    'X-RateLimit-Limit shows the limits of the key that was served last',
    changeShownLimits(() => {
      let before: PlanLimits | undefined;
      return (decision, { limits }) => {
        const shown = before ?? limits;
        before = limits;
        return withLimits(decision, (name) => shown[LIMIT_MEMBERS[name]]);
      };
    }),
  ],
  'first-key-of-connection-counts': [
    'All requests on a connection count against its first key',
    changeAuthentication(({ connection }, key) => {
      if (key === 'missing' || key === 'invalid') {
        return key;
      }
      const counted = firstOn.get(connection) ?? key;
      firstOn.set(connection, counted);
      return counted;
    }),
    { alsoBreaks: ['keys-independent-at-limit'], excludes: ['connections'] },
  ],
});
