import { DAY_SECONDS, MINUTE_SECONDS } from '../../contract/plans.ts';
import type { Alteration } from './alteration.ts';
import type { KeyRecord } from '../service/key-store.ts';
import type { ServiceRequest } from '../service/messages.ts';
import type { Decision, LimitState } from '../service/rate-limiter.ts';
import { operationOf } from './response-changes.ts';
import type { RoutedOperation } from '../service/router.ts';
import type { ServiceParts } from '../service/service.ts';

export type WindowName = 'minute' | 'day';

export const WINDOW_SECONDS: Readonly<Record<WindowName, number>> = {
  minute: MINUTE_SECONDS,
  day: DAY_SECONDS,
};

/**
 * Makes another decision of each decision.
 * @param start called once for each server; its result knows the operation where there is a request that names one
 */
export function changeDecisions(
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
export function changeBothWindows(
  decision: Decision,
  change: (state: LimitState, name: WindowName) => LimitState,
): Decision {
  return { ...decision, minute: change(decision.minute, 'minute'), day: change(decision.day, 'day') };
}

/** Changes X-RateLimit-Remaining of requests with a valid key, after it was chosen which window is described. */
export function changeRemaining(
  start: (parts: ServiceParts) => (state: LimitState, decision: Decision) => number,
): Alteration {
  return {
    parts: (parts) => {
      const change = start(parts);
      return {
        describe: (decision) => {
          const state = parts.describe(decision);
          return { ...state, remaining: change(state, decision) };
        },
      };
    },
  };
}

/**
 * Lets the headers show other counts than the ones that decide.
 * @param start called once for each server; names the record whose counts are shown instead of the key's, and says
 * whether this request counts there
 */
export function showOtherCounts(
  start: (
    parts: ServiceParts,
  ) => (key: KeyRecord, request: ServiceRequest) => { readonly shown: KeyRecord; readonly counts: boolean },
): Alteration {
  return {
    parts: (parts) => {
      const { limiter } = parts;
      const choose = start(parts);
      return {
        limiter: {
          ...limiter,
          decide: (key, now, request) => {
            const decision = limiter.decide(key, now, request);
            const { shown, counts } = choose(key, request);
            const { minute, day } = counts ? limiter.decide(shown, now, request) : limiter.look(shown, now);
            return { ...decision, minute, day };
          },
        },
      };
    },
  };
}

/** Records with the limits of a key, one for each name that is asked for. */
export function createTwins(): (key: KeyRecord, name: string) => KeyRecord {
  const twins = new WeakMap<KeyRecord, Map<string, KeyRecord>>();
  return (key, name) => {
    const ofKey = twins.get(key) ?? new Map<string, KeyRecord>();
    twins.set(key, ofKey);
    const twin = ofKey.get(name) ?? { ...key };
    ofKey.set(name, twin);
    return twin;
  };
}
