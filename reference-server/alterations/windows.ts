import { DAY_SECONDS, MINUTE_SECONDS } from '../../contract/plans.ts';
import type { Alteration } from './alteration.ts';
import { operationOf, type Asking } from './requests.ts';
import type { KeyRecord } from '../service/key-store.ts';
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

/** What a window is used for: whose key it is, and which request if there is one. */
export type Occasion = Partial<Asking>;

/**
 * Replaces the algorithm of one of the two windows; bans work as before.
 * @param change called at start and at each reset; `occasion` returns what a window is used for at the moment
 */
export function changeWindow(
  name: WindowName,
  change: (algorithm: WindowAlgorithm, occasion: () => Occasion) => WindowAlgorithm,
): Alteration {
  // Set only while a limiter works or a server is composed; neither pauses, so servers cannot mix them up.
  let occasion: Occasion = {};
  let begin: (() => void) | undefined;

  function during<Result>(current: Occasion, work: () => Result): Result {
    occasion = current;
    try {
      return work();
    } finally {
      occasion = {};
    }
  }

  return {
    options: (options) => {
      const algorithm = options.window ?? windowFromFirstRequest;
      let changed = algorithm;
      begin = () => {
        changed = change(algorithm, () => occasion);
      };
      begin();
      return {
        ...options,
        window: (limit, seconds) => (seconds === WINDOW_SECONDS[name] ? changed : algorithm)(limit, seconds),
      };
    },
    parts: (parts) => {
      const { limiter } = parts;
      const beginAnew = begin;
      return {
        limiter: {
          ...limiter,
          decide: (key, now, request) =>
            during({ key, now, request, operation: operationOf(parts, request) }, () =>
              limiter.decide(key, now, request),
            ),
          look: (key, now) => during({ key, now }, () => limiter.look(key, now)),
          countEarlier: (key, requests, now) =>
            during({ key, now }, () => limiter.countEarlier(key, requests, now)),
          reset: () => {
            beginAnew?.();
            limiter.reset();
          },
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
  return changeWindow('minute', (algorithm, occasion) => (limit, seconds) => {
    const windows = new Map<string, Window>();
    let earlier = { requests: 0, now: 0 };
    let last: Window | undefined;

    function current(): Window {
      const label = labelOf(occasion());
      let window = windows.get(label);
      if (window === undefined) {
        window = algorithm(limit, seconds);
        if (earlier.requests > 0) {
          window.countEarlier(earlier.requests, earlier.now);
        }
        windows.set(label, window);
      }
      return window;
    }

    return {
      remaining: (now) => current().remaining(now),
      count: (now) => {
        last = current();
        last.count(now);
      },
      giveBack: () => last?.giveBack(),
      opensAt: (now) => current().opensAt(now),
      resetsAt: (now) => current().resetsAt(now),
      countEarlier: (requests, now) => {
        earlier = { requests, now };
        windows.clear();
      },
    };
  });
}

/** Leaves some requests out of the minute. */
export function leaveUncounted(isUncounted: (occasion: Occasion) => boolean): Alteration {
  return changeWindow('minute', (algorithm, occasion) => (limit, seconds) => {
    const window = algorithm(limit, seconds);
    let counted = true;
    return {
      ...window,
      count: (now) => {
        counted = !isUncounted(occasion());
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
  return changeWindow(name, (algorithm, occasion) => {
    const shared = new Map<string, Window>();
    return (limit, seconds) => {
      const { key } = occasion();
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
