import type { KeyRecord } from './key-store.ts';
import type { ServiceRequest } from './messages.ts';

/**
 * How many requests one key has made against one limit; every `now` is in Unix seconds and never falls. The request is the
 * one that is decided on; there is none if somebody only looks.
 */
export interface Window {
  /** Requests that would be accepted now. */
  readonly remaining: (now: number, request?: ServiceRequest) => number;
  /** Counts one request that is accepted now. */
  readonly count: (now: number, request?: ServiceRequest) => void;
  /** Counts a request that is refused now, if the window counts those. */
  readonly countRefused?: (now: number) => void;
  /** Takes back the request that was counted last. */
  readonly giveBack: () => void;
  /** When the next request is accepted; not after `now` if one is accepted already. */
  readonly opensAt: (now: number, request?: ServiceRequest) => number;
  /** When the limit is whole again, or begins to be; from `now` to one length of the window later. */
  readonly resetsAt: (now: number, request?: ServiceRequest) => number;
  /** Counts requests that were made before now, as if they began the window. */
  readonly countEarlier: (requests: number, now: number) => void;
}

/** Opens a window of `limit` requests in `seconds` for a key. */
export type WindowAlgorithm = (limit: number, seconds: number, key?: KeyRecord) => Window;

/** How far a fixed window has come: the requests in it, and its end in Unix seconds. */
export interface WindowProgress {
  used: number;
  end: number;
}

interface FixedWindowChoices {
  /** When a window ends to which a request of that moment is the first; Unix seconds. */
  readonly endOf: (now: number) => number;
  /** What it continues, and keeps. */
  readonly progress?: WindowProgress;
  /** Requests that put its end off, accepted ones or, once it is used up, refused ones. */
  readonly prolongedBy?: 'accepted' | 'refused';
}

/** A window that ends all at once; the next one begins with the next request. */
export function fixedWindow(limit: number, choices: FixedWindowChoices): Window {
  const { endOf, prolongedBy, progress: window = { used: 0, end: 0 } } = choices;
  return {
    remaining: (now) => (now >= window.end ? limit : limit - window.used),
    count: (now) => {
      if (now >= window.end) {
        window.used = 0;
        window.end = endOf(now);
      }
      window.used += 1;
      window.end = prolongedBy === 'accepted' ? endOf(now) : window.end;
    },
    countRefused: (now) => {
      const isProlonged = prolongedBy === 'refused' && window.used >= limit && now < window.end;
      window.end = isProlonged ? endOf(now) : window.end;
    },
    giveBack: () => {
      window.used = Math.max(0, window.used - 1);
    },
    opensAt: (now) => (window.used < limit ? now : window.end),
    resetsAt: (now) => (now >= window.end ? endOf(now) : window.end),
    countEarlier: (requests, now) => {
      window.used = requests;
      window.end = endOf(now);
    },
  };
}

/** A fixed window that begins with its first request. */
export const windowFromFirstRequest: WindowAlgorithm = (limit, seconds) =>
  fixedWindow(limit, { endOf: (now) => now + seconds });
