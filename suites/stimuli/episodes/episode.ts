import type { Plan, PlanLimits } from '../../../contract/plans.ts';

/**
 * What one sequence of requests is made of. It names keys and pets by number and holds no secret, so that it can be
 * played again on fresh keys and a fresh inventory.
 */
export interface Episode {
  readonly theme: string;
  /** Where in the server's minute or day it begins. */
  readonly start: Start;
  readonly keys: readonly EpisodeKey[];
  readonly inventory: EpisodeInventory;
  readonly steps: readonly Step[];
}

/** Seconds since the minute began, or seconds until the day ends (UTC); `null` for any moment. */
export type Start =
  | { readonly of: 'minute'; readonly second: number }
  | { readonly of: 'day'; readonly secondsLeft: number }
  | null;

/** A key that is issued for the episode. */
export interface EpisodeKey {
  readonly plan: Plan;
  /** What is agreed with an enterprise key; `null` for the other plans. */
  readonly limits: PlanLimits | null;
  /** Requests that shall be left of its day at the start, or `null` for a whole day. */
  readonly leftToday: number | null;
}

/** `edges`: some of the pets that checks work on, by index; `seeded`: so many ordinary ones. */
export type EpisodeInventory =
  | { readonly of: 'edges'; readonly indexes: readonly number[] }
  | { readonly of: 'seeded'; readonly size: number };

/** Numbers stand for entries of the corpora and are taken modulo their length. */
export type PlannedOperation =
  | { readonly kind: 'list' }
  | { readonly kind: 'update'; readonly pet: number; readonly quantity: number }
  | { readonly kind: 'body'; readonly pet: number; readonly body: number }
  /** `body`: `null` for a good one. */
  | { readonly kind: 'unknown pet'; readonly unknown: number; readonly body: number | null }
  | { readonly kind: 'odd pet'; readonly odd: number }
  | { readonly kind: 'pet'; readonly pet: number }
  | { readonly kind: 'orders' }
  /** `usual`: one that many servers accept. */
  | {
      readonly kind: 'spelling' | 'usual spelling';
      readonly spelling: number;
      readonly pet: number;
    }
  | { readonly kind: 'route'; readonly route: number }
  | { readonly kind: 'method'; readonly method: number; readonly path: number };

/**
 * A way to present the key other than as the specification says, or `null`. `spelled`: one that may be accepted;
 * `acceptable`: one that should be; `none`: no such field.
 */
export type PlannedCredential = {
  readonly of: 'all' | 'spelled' | 'acceptable' | 'none';
  readonly entry: number;
} | null;

export interface PlannedRequest {
  readonly key: number;
  readonly operation: PlannedOperation;
  readonly credential: PlannedCredential;
  /** Header fields that change nothing, or `null`. */
  readonly extra: number | null;
}

/** Which connection requests go over; a number: at once, over at most so many connections. */
export type Lane = 'shared' | 'own' | 'new' | number;

/** One thing that a client does. Requests are taken in turns. */
export type Step =
  | {
      readonly do: 'send';
      readonly requests: readonly PlannedRequest[];
      readonly times: number;
      readonly lane: Lane;
    }
  /** Sends until so many requests are left of what the key may send now. */
  | {
      readonly do: 'use up';
      readonly key: number;
      readonly leaving: number;
      readonly requests: readonly PlannedRequest[];
      readonly lane: Lane;
    }
  /** Uses up so many windows, goes one request beyond each, and waits as it is told. */
  | {
      readonly do: 'be patient';
      readonly key: number;
      readonly windows: number;
      readonly requests: readonly PlannedRequest[];
    }
  | { readonly do: 'wait'; readonly seconds: number }
  /** Waits until the key's last Retry-After has passed, or a window without one, and so many seconds more. */
  | { readonly do: 'wait out'; readonly key: number; readonly offset: number }
  /** Waits until the moment that the key's last X-RateLimit-Reset named, and so many seconds more. */
  | { readonly do: 'wait for reset'; readonly key: number; readonly offset: number }
  /** Waits until a minute or day begins (UTC), and so many seconds more. */
  | { readonly do: 'wait for edge'; readonly of: 'minute' | 'day'; readonly offset: number }
  /** Revokes a key while these requests are under way. */
  | { readonly do: 'revoke'; readonly key: number; readonly underWay: readonly PlannedRequest[] }
  | { readonly do: 'replace inventory'; readonly inventory: EpisodeInventory };
