import type { PlanLimits } from '../../contract/plans.ts';
import type { Alteration } from './alteration.ts';
import { operationOf, type Asking } from './requests.ts';
import type { WindowName } from './windows.ts';
import type { Fault } from '../faults/fault.ts';
import type { KeyRecord } from '../service/key-store.ts';
import type { Decision, LimitState, RateLimiter } from '../service/rate-limiter.ts';
import type { RoutedOperation } from '../service/router.ts';
import type { ServiceParts } from '../service/service.ts';

/**
 * Makes another decision of each decision.
 * @param start called once for each server; its result knows the operation where there is a request that names one
 */
export function changeShownLimits(
  start: (
    parts: ServiceParts,
  ) => (decision: Decision, key: KeyRecord, operation: RoutedOperation | undefined) => Decision,
): Alteration {
  return {
    parts: (parts) => {
      const { limiter } = parts;
      const change = start(parts);
      return {
        limiter: {
          ...limiter,
          decide: (key, now, request) =>
            change(limiter.decide(key, now, request), key, operationOf(parts, request)),
          look: (key, now) => change(limiter.look(key, now), key, undefined),
        },
      };
    },
  };
}

/** Changes what the headers could say of either window. */
export function changeBothLimits(
  decision: Decision,
  change: (state: LimitState, name: WindowName) => LimitState,
): Decision {
  return { ...decision, minute: change(decision.minute, 'minute'), day: change(decision.day, 'day') };
}

/** Makes another decision of a decision. */
export type DecisionChange = (decision: Decision, asking: Asking) => Decision;

/** Replaces methods of the limiter, whose bans are within. `change` is called at start and at each reset. */
export function changeLimiter(
  change: (limiter: RateLimiter, parts: ServiceParts) => Partial<RateLimiter>,
): Alteration {
  return {
    parts: (parts) => {
      const { limiter } = parts;
      let changed = { ...limiter, ...change(limiter, parts) };
      return {
        limiter: {
          decide: (key, now, request) => changed.decide(key, now, request),
          look: (key, now) => changed.look(key, now),
          giveBack: (key) => changed.giveBack(key),
          countEarlier: (key, requests, now) => changed.countEarlier(key, requests, now),
          reset: () => {
            limiter.reset();
            changed = { ...limiter, ...change(limiter, parts) };
          },
        },
      };
    },
  };
}

/** Changes every decision on a request. `start` is called at start and at each reset. */
export function changeDecisions(start: (limiter: RateLimiter) => DecisionChange): Alteration {
  return changeLimiter((limiter, parts) => {
    const change = start(limiter);
    return {
      decide: (key, now, request) => {
        const decision = limiter.decide(key, now, request);
        return change(decision, { key, now, request, operation: operationOf(parts, request) });
      },
    };
  });
}

/** Lets requests pass that a limit would refuse; a ban still holds. `start` is called at start and at each reset. */
export function letPass(start: () => (asking: Asking, refused: Decision) => boolean): Alteration {
  return changeLimiter((limiter, parts) => {
    const passes = start();
    return {
      decide: (key, now, request) => {
        const seen = limiter.look(key, now);
        const asking = { key, now, request, operation: operationOf(parts, request) };
        return !seen.accepted && !seen.banned && passes(asking, seen)
          ? grant(seen)
          : limiter.decide(key, now, request);
      },
    };
  });
}

/** Enforces other limits than the headers show. */
export function enforce(limitsOf: (key: KeyRecord) => PlanLimits): Alteration {
  return changeLimiter((limiter) => {
    const counterparts = new WeakMap<KeyRecord, KeyRecord>();

    function counterpartOf(key: KeyRecord): KeyRecord {
      const counterpart = counterparts.get(key) ?? { ...key, limits: limitsOf(key) };
      counterparts.set(key, counterpart);
      return counterpart;
    }

    return {
      decide: (key, now, request) => disguise(limiter.decide(counterpartOf(key), now, request), key.limits),
      look: (key, now) => disguise(limiter.look(counterpartOf(key), now), key.limits),
      giveBack: (key) => limiter.giveBack(counterpartOf(key)),
      countEarlier: (key, requests, now) => limiter.countEarlier(counterpartOf(key), requests, now),
    };
  });
}

/** Gives a key back what it has used of its minute. */
export function forgetMinute(limiter: RateLimiter, key: KeyRecord, now: number): void {
  const { limit, remaining } = limiter.look(key, now).minute;
  for (let used = limit - remaining; used > 0; used -= 1) {
    limiter.giveBack(key);
  }
}

/** The same, accepted. */
export function grant(decision: Decision): Decision {
  return { ...decision, accepted: true, banned: false, retryAfterSeconds: 0 };
}

/** The same, refused for a limit. */
export function refuse(decision: Decision, retryAfterSeconds: number): Decision {
  return {
    ...decision,
    accepted: false,
    banned: false,
    retryAfterSeconds: Math.max(1, Math.ceil(retryAfterSeconds)),
    minute: { ...decision.minute, remaining: 0 },
  };
}

/** The same, refused for a ban. */
export function ban(decision: Decision, retryAfterSeconds: number): Decision {
  return { ...refuse(decision, retryAfterSeconds), banned: true };
}

function disguise(decision: Decision, limits: PlanLimits): Decision {
  return {
    ...decision,
    minute: disguiseState(decision.minute, limits.perMinute, decision.accepted),
    day: disguiseState(decision.day, limits.perDay, decision.accepted),
  };
}

function disguiseState(state: LimitState, limit: number, accepted: boolean): LimitState {
  const left = Math.max(0, limit - (state.limit - state.remaining));
  return { ...state, limit, remaining: accepted ? left : Math.min(left, state.remaining) };
}

/** Changes decisions on keys that are not banned any more. `start` is called at start and at each reset. */
export function changeDecisionsAfterBan(start: () => DecisionChange): Fault['alter'] {
  return changeDecisions(() => {
    const banned = new WeakSet<object>();
    const change = start();
    return (decision, asking) => {
      if (decision.banned) {
        banned.add(asking.key);
        return decision;
      }
      return banned.has(asking.key) ? change(decision, asking) : decision;
    };
  });
}
