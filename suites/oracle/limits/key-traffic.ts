import { isAccepted, rateLimitOf, type Exchange } from '../exchange.ts';
import type { SentRequest } from '../history.ts';

/** The requests of one key that have no response yet, and how many came and went. */
export interface KeyTraffic {
  underWay: number;
  /** The first and the last that was sent of those under way. */
  earliest: Departure | null;
  latest: Departure | null;
  /** Responses so far. */
  answered: number;
  /** Granted requests so far. */
  granted: number;
  /** Responses 429 so far, and whatever may have been one. */
  refused: number;
  /** Whether nothing remained of a limit by the last answer. */
  hasUsedUp: boolean;
  /** Requests without a response; each may be decided at any moment since. */
  lost: number;
  /** Until then requests may be under way that are no part of the history. */
  unseenUntil: number;
}

/** A request that was sent: when, and how many responses, granted requests and refusals its key had then. */
export interface Departure extends Readonly<Pick<KeyTraffic, 'answered' | 'granted' | 'refused'>> {
  readonly at: number;
  readonly traffic: KeyTraffic;
  /** Those under way that were sent before it and after it. */
  before: Departure | null;
  after: Departure | null;
}

/** The key that a request counts on if it is accepted, or `null`. */
export function labelOf({ credential }: SentRequest): string | null {
  return credential.kind === 'valid' || credential.kind === 'open' ? credential.key : null;
}

/** Of one that left: when the earliest was sent that may be decided at the same time, and how many those are. */
export interface Overlap {
  readonly overlapsFrom: number;
  readonly underWay: number;
  /** Responses that came while this one was under way. */
  readonly answeredMeanwhile: number;
  /** Those of them that were 429, and lost ones, which may have been. */
  readonly refusedMeanwhile: number;
  /** Where the key stood when this one was sent. */
  readonly sent: Departure;
}

/** How a request ended. */
type Ending =
  | {
      readonly type: 'response-received';
      readonly exchange: Exchange;
    }
  | { readonly type: 'response-lost' };

// Nothing waits longer for a response.
const LONGEST_EXCHANGE_MILLISECONDS = 60_000;

export type KeyTraffics = ReturnType<typeof followTraffic>;

/** Follows the requests of all keys. */
export function followTraffic() {
  const keys = new Map<string, KeyTraffic>();
  const of = (label: string): KeyTraffic => {
    let traffic = keys.get(label);
    if (traffic === undefined) {
      traffic = {
        underWay: 0,
        earliest: null,
        latest: null,
        answered: 0,
        granted: 0,
        refused: 0,
        hasUsedUp: false,
        lost: 0,
        unseenUntil: -Infinity,
      };
      keys.set(label, traffic);
    }
    return traffic;
  };
  return {
    of,
    enter: (label: string, { at }: Pick<SentRequest, 'at'>): Departure => {
      const traffic = of(label);
      // The first that is seen tells when the history began.
      if (traffic.unseenUntil === Infinity) {
        traffic.unseenUntil = at + LONGEST_EXCHANGE_MILLISECONDS;
      }
      const { answered, granted, refused, latest } = traffic;
      const sent: Departure = { at, answered, granted, refused, traffic, before: latest, after: null };
      if (latest === null) {
        traffic.earliest = sent;
      } else {
        latest.after = sent;
      }
      traffic.latest = sent;
      traffic.underWay += 1;
      return sent;
    },
    /** Takes a request out whose response came, or was lost. */
    leave: (sent: Departure, event: Ending): Overlap => {
      const { traffic } = sent;
      const { answered, refused } = traffic;
      takeOut(sent);
      count(traffic, event);
      return {
        overlapsFrom: Math.min(sent.at, traffic.earliest?.at ?? Infinity),
        underWay: traffic.underWay,
        answeredMeanwhile: answered - sent.answered,
        refusedMeanwhile: refused - sent.refused,
        sent,
      };
    },
    /** Of a key that others do not use, the history begins in the middle: then, or with the first request. */
    beginInMiddle: (label: string, since = Infinity): void => {
      of(label).unseenUntil = since;
    },
    /** Something was not seen. */
    miss: (at: number): void => {
      for (const traffic of keys.values()) {
        traffic.unseenUntil = Math.max(traffic.unseenUntil, at + LONGEST_EXCHANGE_MILLISECONDS);
      }
    },
    forget: (label: string): void => {
      keys.delete(label);
    },
  };
}

function takeOut(sent: Departure): void {
  const { traffic, before, after } = sent;
  if (before === null) {
    traffic.earliest = after;
  } else {
    before.after = after;
  }
  if (after === null) {
    traffic.latest = before;
  } else {
    after.before = before;
  }
  sent.before = null;
  sent.after = null;
  traffic.underWay -= 1;
}

function count(traffic: KeyTraffic, event: Ending): void {
  if (event.type === 'response-lost') {
    traffic.lost += 1;
    traffic.refused += 1;
    return;
  }
  traffic.answered += 1;
  traffic.hasUsedUp = rateLimitOf(event.exchange)?.remaining === 0;
  traffic.granted += isGranted(event.exchange) ? 1 : 0;
  traffic.refused += event.exchange.response.status === 429 ? 1 : 0;
}

/** Whether a request surely counted. What is no documented operation may be answered without a look at the key. */
export function isGranted(exchange: Pick<Exchange, 'request' | 'response'>): boolean {
  return exchange.request.operation !== null && isAccepted(exchange);
}
