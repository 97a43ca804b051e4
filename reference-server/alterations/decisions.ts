import type { ServiceRequest, ServiceResponse } from '../service/messages.ts';
import type { PlanLimits } from '../../contract/plans.ts';
import type { Alteration } from './alteration.ts';
import { keyOf, operationOf, stateOfEach, type Asking } from './requests.ts';
import { changeResponses } from './responses.ts';
import type { WindowName } from './windows.ts';
import type { KeyRecord } from '../service/key-store.ts';
import type { Decision, LimitState, RateLimiter } from '../service/rate-limiter.ts';
import type { RoutedOperation } from '../service/router.ts';
import type { ServiceParts } from '../service/service.ts';

/** Makes another decision of the one that was made on a request. */
export type DecisionChange = (decision: Decision, asking: Asking) => Decision;

/** Changes every decision on a request: what is accepted, and what its headers show. */
export function changeEachDecision(change: DecisionChange): Alteration {
  return changeDecisions(() => change);
}

/**
 * Does so with a memory.
 * @param start called at start and at each reset; what it holds is the state of one server
 */
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

/**
 * Does so with a memory of each key.
 * @param start makes what is remembered of a key that comes for the first time
 */
export function changeDecisionsByKey<Memory extends object>(
  start: () => Memory,
  change: (decision: Decision, asking: Asking, memory: Memory) => Decision,
): Alteration {
  return changeDecisions(() => {
    const memoryOf = stateOfEach(start);
    return (decision, asking) => change(decision, asking, memoryOf(asking.key));
  });
}

/** Changes decisions on keys that were banned and are not banned any more; `start` as for `changeDecisions`. */
export function changeDecisionsAfterBan(start: () => DecisionChange): Alteration {
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

/** Has a request count against the key of the one before it, too. */
export function chargeKeyBefore(isCharged: (before: KeyRecord, key: KeyRecord) => boolean): Alteration {
  return changeLimiter((limiter) => {
    let last: KeyRecord | undefined;
    return {
      decide: (key, now, request) => {
        const decision = limiter.decide(key, now, request);
        const before = last === key ? undefined : last;
        last = key;
        if (before !== undefined && isCharged(before, key) && limiter.look(before, now).accepted) {
          limiter.decide(before, now, request);
        }
        return decision;
      },
    };
  });
}

/** Accepts some requests that a limit would refuse, not those of banned keys. */
export function letPass(
  passes: (asking: Asking, refused: Decision, parts: ServiceParts) => boolean,
): Alteration {
  return changeLimiter((limiter, parts) => ({
    decide: (key, now, request) => {
      const seen = limiter.look(key, now);
      const asking = { key, now, request, operation: operationOf(parts, request) };
      return !seen.accepted && !seen.banned && passes(asking, seen, parts)
        ? grant(seen)
        : limiter.decide(key, now, request);
    },
  }));
}

/** Enforces other limits than those that the headers show. */
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

/**
 * Replaces methods of the limiter, bans included, if changing its decisions is not enough.
 * @param change called at start and at each reset; what it holds is the state of one server
 */
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

/** Gives a key back what it has used of its minute; `now` in Unix seconds. */
export function forgetMinute(limiter: RateLimiter, key: KeyRecord, now: number): void {
  const { limit, remaining } = limiter.look(key, now).minute;
  for (let used = limit - remaining; used > 0; used -= 1) {
    limiter.giveBack(key);
  }
}

/** The same decision, but accepted. */
export function grant(decision: Decision): Decision {
  return { ...decision, accepted: true, banned: false, retryAfterSeconds: 0 };
}

/** The same decision, but refused for a limit. */
export function refuse(decision: Decision, retryAfterSeconds: number): Decision {
  return {
    ...decision,
    accepted: false,
    banned: false,
    retryAfterSeconds: Math.max(1, Math.ceil(retryAfterSeconds)),
    minute: { ...decision.minute, remaining: 0 },
  };
}

/** The same decision, but refused for a ban. */
export function ban(decision: Decision, retryAfterSeconds: number): Decision {
  return { ...refuse(decision, retryAfterSeconds), banned: true };
}

/**
 * Changes what the headers show of the limits, on answers that look at them without counting too.
 * @param start called at start and at each reset; `operation` is `undefined` if no request is counted, or it names none
 */
export function changeShownLimits(
  start: (
    parts: ServiceParts,
  ) => (decision: Decision, key: KeyRecord, operation: RoutedOperation | undefined) => Decision,
): Alteration {
  return changeLimiter((limiter, parts) => {
    const change = start(parts);
    return {
      decide: (key, now, request) =>
        change(limiter.decide(key, now, request), key, operationOf(parts, request)),
      look: (key, now) => change(limiter.look(key, now), key, undefined),
    };
  });
}

/** Changes what the headers could show of either window; they show one of the two. */
export function changeBothLimits(
  decision: Decision,
  change: (state: LimitState, name: WindowName) => LimitState,
): Decision {
  return { ...decision, minute: change(decision.minute, 'minute'), day: change(decision.day, 'day') };
}

/**
 * Makes X-RateLimit-Reset name the end of a ban, whichever window is described.
 * @param endOf the end that is named if `due` is the real one; both in Unix seconds
 */
export function nameBanEnd(endOf: (due: number) => number = (due) => due): Alteration {
  const withEnd = (decision: Decision, now: number): Decision => {
    const resetUnixSeconds = Math.ceil(endOf(now + decision.retryAfterSeconds));
    return decision.banned
      ? changeBothLimits(decision, (state) => ({ ...state, resetUnixSeconds }))
      : decision;
  };
  return changeLimiter((limiter) => ({
    decide: (key, now, request) => withEnd(limiter.decide(key, now, request), now),
    look: (key, now) => withEnd(limiter.look(key, now), now),
  }));
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

/** Gives a key its minute back after some of its requests, and what they were answered. */
export function forgetAfter(
  isMeant: (request: ServiceRequest, response: ServiceResponse) => boolean,
): Alteration {
  return changeResponses((response, request, parts) => {
    const key = isMeant(request, response) ? keyOf(parts, request) : undefined;
    if (key !== undefined) {
      forgetMinute(parts.limiter, key, parts.clock.now());
    }
    return response;
  });
}
