import type { InventoryItem } from '../../../contract/inventory.ts';
import type { RequestMessage } from '../../oracle/index.ts';
import type { KeyNeed } from '../../target/index.ts';

/** What one sequence of requests is made of. It names keys and pets by number, and holds no secret. */
export interface Episode {
  /** Where in the server's minute or day it begins. */
  readonly start: Start;
  /** They are issued for it. */
  readonly keys: readonly KeyNeed[];
  readonly inventory: readonly InventoryItem[];
  readonly steps: readonly Step[];
}

/** Seconds since the minute began, or seconds until the day ends (UTC); `null` for any moment. */
export type Start =
  | { readonly of: 'minute'; readonly second: number }
  | { readonly of: 'day'; readonly secondsLeft: number }
  | null;

/** A request by the pets that are in the inventory when it is sent. */
export type PlannedOperation = (petIds: readonly bigint[]) => RequestMessage;

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
  | { readonly do: 'replace inventory'; readonly inventory: readonly InventoryItem[] };
