/** How many requests one key has made against one limit; every `now` is in Unix seconds and never falls. */
export interface Window {
  /** Requests that would be accepted now. */
  readonly remaining: (now: number) => number;
  /** Counts one request that is accepted now. */
  readonly count: (now: number) => void;
  /** Counts a request that is refused now, if the window counts those. */
  readonly countRefused?: (now: number) => void;
  /** Takes back the request that was counted last. */
  readonly giveBack: () => void;
  /** When the next request is accepted; not after `now` if one is accepted already. */
  readonly opensAt: (now: number) => number;
  /** When the limit is whole again, or begins to be; from `now` to one length of the window later. */
  readonly resetsAt: (now: number) => number;
  /** Counts requests that were made before now, as if they began the window. */
  readonly countEarlier: (requests: number, now: number) => void;
}

/** Opens a window of `limit` requests in `seconds`. */
export type WindowAlgorithm = (limit: number, seconds: number) => Window;

/** A fixed window that begins with its first request. */
export const windowFromFirstRequest: WindowAlgorithm = (limit, seconds) =>
  resumeWindow(limit, seconds, { used: 0, end: Number.NEGATIVE_INFINITY });

/** How far a fixed window has come: the requests in it, and its end in Unix seconds. */
export interface WindowProgress {
  readonly used: number;
  readonly end: number;
}

/** A fixed window that continues another. */
export function resumeWindow(limit: number, seconds: number, progress: WindowProgress): Window {
  let { used, end } = progress;
  return {
    remaining: (now) => (now >= end ? limit : limit - used),
    count: (now) => {
      if (now >= end) {
        end = now + seconds;
        used = 0;
      }
      used += 1;
    },
    giveBack: () => {
      used -= 1;
    },
    opensAt: (now) => (used < limit ? now : end),
    resetsAt: (now) => (now >= end ? now + seconds : end),
    countEarlier: (requests, now) => {
      used = requests;
      end = now + seconds;
    },
  };
}
