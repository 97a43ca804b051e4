import { DAY_SECONDS, MINUTE_SECONDS } from '../../contract/plans.ts';
import type { Alteration } from './alteration.ts';
import { operationOf } from './requests.ts';
import type { KeyRecord } from '../service/key-store.ts';
import type { ServiceRequest } from '../service/messages.ts';
import { BASE_PATH, createRouter, type RoutedOperation } from '../service/router.ts';
import { type Window, type WindowAlgorithm, windowFromFirstRequest } from '../service/window.ts';

export type WindowName = 'minute' | 'day';

/** The member of a plan's limits that holds that of a window. */
export const LIMIT_MEMBERS = { minute: 'perMinute', day: 'perDay' } as const;

export const WINDOW_SECONDS: Readonly<Record<WindowName, number>> = {
  minute: MINUTE_SECONDS,
  day: DAY_SECONDS,
};

/** A limit that is never reached. */
export const UNLIMITED = 1_000_000_000;

/** The request that a window is used for, if there is one, and the operation that it names. */
export interface Occasion {
  readonly request: ServiceRequest | undefined;
  readonly operation: RoutedOperation | undefined;
}

/**
 * Replaces the algorithm of one of the two windows; bans work as before.
 * @param change called at start and at each reset
 */
export function changeWindow(
  name: WindowName,
  change: (
    algorithm: WindowAlgorithm,
    occasionOf: (request: ServiceRequest | undefined) => Occasion,
  ) => WindowAlgorithm,
): Alteration {
  return {
    options: (options) => {
      const { window: start = () => windowFromFirstRequest, basePath = BASE_PATH } = options;
      const route = createRouter(basePath);
      const occasionOf = (request: ServiceRequest | undefined): Occasion => ({
        request,
        operation: request === undefined ? undefined : operationOf({ route }, request),
      });
      return {
        ...options,
        window: () => {
          const algorithm = start();
          const changed = change(algorithm, occasionOf);
          return (limit, seconds, key) =>
            (seconds === WINDOW_SECONDS[name] ? changed : algorithm)(limit, seconds, key);
        },
      };
    },
  };
}

/** Makes a window last for other than its proper time; a Reset beyond the proper time is not shown. */
export function lastFor(name: WindowName, seconds: number): Alteration {
  return changeWindow(name, (algorithm) => (limit, proper) => {
    const window = algorithm(limit, seconds);
    return { ...window, resetsAt: (now) => Math.min(window.resetsAt(now), now + proper) };
  });
}

/** Counts requests of one key in separate minutes, one for each label, each with the whole limit. */
export function countMinutesApart(labelOf: (occasion: Occasion) => string): Alteration {
  return changeWindow('minute', (algorithm, occasionOf) => (limit, seconds) => {
    const windows = new Map<string, Window>();
    let last: Window | undefined;

    function windowOf(request: ServiceRequest | undefined): Window {
      const label = labelOf(occasionOf(request));
      const window = windows.get(label) ?? algorithm(limit, seconds);
      windows.set(label, window);
      return window;
    }

    return {
      remaining: (now, request) => windowOf(request).remaining(now),
      count: (now, request) => {
        last = windowOf(request);
        last.count(now);
      },
      giveBack: () => last?.giveBack(),
      opensAt: (now, request) => windowOf(request).opensAt(now),
      resetsAt: (now, request) => windowOf(request).resetsAt(now),
      // Only the day is told of those.
      countEarlier: () => undefined,
    };
  });
}

/** Leaves some requests out of the minute. */
export function leaveUncounted(isUncounted: (occasion: Occasion) => boolean): Alteration {
  return changeWindow('minute', (algorithm, occasionOf) => (limit, seconds) => {
    const window = algorithm(limit, seconds);
    let counted = true;
    return {
      ...window,
      count: (now, request) => {
        counted = !isUncounted(occasionOf(request));
        if (counted) {
          window.count(now);
        }
      },
      giveBack: () => {
        if (counted) {
          window.giveBack();
        }
      },
    };
  });
}

/** Counts the requests of a group of keys together; each key keeps its own limit. */
export function countTogether(name: WindowName, groupOf: (key: KeyRecord) => string): Alteration {
  return changeWindow(name, (algorithm) => {
    const shared = new Map<string, Window>();
    return (limit, seconds, key) => {
      const group = key === undefined ? '' : groupOf(key);
      const window = shared.get(group) ?? algorithm(UNLIMITED, seconds);
      shared.set(group, window);
      let earlier = 0;
      const remaining = (now: number): number => limit - earlier - (UNLIMITED - window.remaining(now));
      return {
        ...window,
        remaining,
        opensAt: (now) => (remaining(now) > 0 ? now : window.resetsAt(now)),
        countEarlier: (requests) => {
          earlier = requests;
        },
      };
    };
  });
}
