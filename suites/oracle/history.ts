import type { InventoryItem } from '../../contract/inventory.ts';
import type { Plan, PlanLimits } from '../../contract/plans.ts';
import type { Exchange, RequestMessage } from './exchange.ts';

/** What is known of a key that the target knows. */
export interface KnownKey {
  readonly label: string;
  /** `null` if nobody said. */
  readonly plan: Plan | null;
  /** `null` if nobody said. */
  readonly limits: PlanLimits | null;
  /** Whether every request with this key is part of the history, so that nobody else uses it up. */
  readonly isExclusive: boolean;
  /** Requests that counted into its day before the history began, or `null` if that is not known. */
  readonly usedToday: number | null;
  /** No later than it was issued, in milliseconds of the timekeeper; left out if nobody knows. */
  readonly issuedAt?: number;
  /** Nobody else has used it since, in milliseconds of the timekeeper; left out if that begins with its first request. */
  readonly exclusiveSince?: number;
}

/** What a request presents as its credentials (specification, section "Authentication"). */
export type Credential =
  /** `Bearer` and a key that the target knows. */
  | { readonly kind: 'valid'; readonly key: string }
  | { readonly kind: 'missing' }
  /** What has to be answered 401, and the requirement that says so. */
  | {
      readonly kind: 'invalid';
      readonly requirement: 'unknown-key' | 'altered-key' | 'revoked-key' | 'bearer-scheme';
      /** It holds what no token holds (RFC 6750, section 2.1), so that 400 is as good an answer. */
      readonly isMalformed?: true;
      /** A good key that it holds, and on which a limiter before the authentication may count it. */
      readonly holds?: string;
    }
  /** A spelling that may be accepted or refused; accepted, it counts on that key. */
  | {
      readonly kind: 'open';
      readonly key: string | null;
      /** Set if it is a good key, and only the letter-case of the scheme is another (RFC 9110, section 11.1). */
      readonly isOnlyLetterCase?: true;
    };

/**
 * What an oracle is told, in the order in which it happened. Moments are milliseconds of the timekeeper, which moves
 * along with the target's clock. What took a while has `from` and `at`: it took effect at some moment between the two.
 */
export type HistoryEvent =
  | { readonly type: 'key-known'; readonly key: KnownKey }
  /** Nothing more is told of a key that no request under way presents, so that nothing of it need be kept. */
  | { readonly type: 'key-forgotten'; readonly key: string }
  /** From now on the key may be refused; if nothing more is said of it, it is not known whether it is revoked. */
  | { readonly type: 'key-revocation-begun'; readonly key: string; readonly at: number }
  | { readonly type: 'key-revoked'; readonly key: string; readonly from: number; readonly at: number }
  | {
      readonly type: 'request-sent';
      /** Ties what follows to this request; no other request of the history has it. */
      readonly id: number;
      /** With its path relative to the base address. */
      readonly request: RequestMessage;
      readonly credential: Credential;
      readonly at: number;
      /** Set if it is known already that its answer, which comes later, refuses it. */
      readonly isRefused?: true;
    }
  | { readonly type: 'response-received'; readonly id: number; readonly exchange: Exchange }
  /** No response came: the request may have taken effect at any moment since, or later, or not at all. */
  | { readonly type: 'response-lost'; readonly id: number; readonly at: number }
  | ({ readonly type: 'request-unanswered' } & UnansweredRequest)
  | ({ readonly type: 'connection-spoilt' } & SpoiltConnection)
  /** From now on the inventory may be another one, until it is told what it was replaced with. */
  | { readonly type: 'inventory-replacement-begun'; readonly at: number }
  | {
      readonly type: 'inventory-replaced';
      /** The whole inventory, or `null` if it is not known what it holds now. */
      readonly items: readonly InventoryItem[] | null;
      readonly from: number;
      readonly at: number;
    }
  /** From now on nobody writes to the inventory whose requests are not part of the history. */
  | { readonly type: 'inventory-ours'; readonly at: number }
  /** From now on nobody writes to these pets whose requests are not part of the history; to others somebody may. */
  | { readonly type: 'pets-ours'; readonly petIds: ReadonlySet<bigint>; readonly at: number }
  /** The inventory holds these pets, as somebody says who knows it. */
  | { readonly type: 'pets-named'; readonly petIds: ReadonlySet<bigint> }
  /** Something happened that is not part of the history: requests of others, or a capture that was cut. */
  | { readonly type: 'gap'; readonly at: number };

/**
 * A request that got no response, however often it was sent, on connections of its own, and not by chance. Each time
 * that it was sent is part of the history, too.
 */
export interface UnansweredRequest {
  readonly request: RequestMessage;
  readonly credential: Credential;
  readonly at: number;
  /** What came of it, as a sentence. */
  readonly words: string;
  /** The target answered other requests since, or nothing any more: with this request under way alone, or among others. */
  readonly since: 'others answered' | 'nothing answered' | 'nothing answered to several';
}

/**
 * A connection that nothing useful came on any more after an answer: as often as it was used again, and never on new ones.
 */
export interface SpoiltConnection {
  /** What was answered on it just before, such as `PATCH with a body was answered 401`, and its status. */
  readonly before: { readonly words: string; readonly status: number };
  /** The status of what came instead of the answer to the next request; left out if nothing came. */
  readonly stray?: number;
  /** How often it was used again. */
  readonly times: number;
  /** The next request, as it was answered on a new connection. */
  readonly exchange: Exchange;
}

/** A request whose response is still to come, or was lost. */
export type SentRequest = Extract<HistoryEvent, { readonly type: 'request-sent' }>;
