import type { HistoryEvent, SentRequest } from '../history.ts';

/** The requests of one key that have no response yet, and how many came and went. */
export interface KeyTraffic {
  /** In the order in which they were sent. */
  readonly underWay: Map<number, KeyProgress & { readonly at: number }>;
  /** Responses so far. */
  answered: number;
  /** Granted requests so far. */
  granted: number;
  /** Requests without a response; each may be decided at any moment since. */
  lost: number;
}

/** How many responses, and how many granted requests, a key had at a moment. */
interface KeyProgress {
  readonly answered: number;
  readonly granted: number;
}

/** Follows one key's requests. A response is taken out of `underWay` by `leave`. */
export function newTraffic(): KeyTraffic {
  return { underWay: new Map(), answered: 0, granted: 0, lost: 0 };
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
  /** Where the key stood when this one was sent. */
  readonly sent: KeyProgress;
}

export function enter(traffic: KeyTraffic, { id, at }: SentRequest): void {
  const { answered, granted } = traffic;
  traffic.underWay.set(id, { at, answered, granted });
}

/** Takes a request out whose response came, or was lost. */
export function leave(
  traffic: KeyTraffic,
  event: Extract<HistoryEvent, { readonly type: 'response-received' | 'response-lost' }>,
): Overlap {
  const { answered, granted } = traffic;
  const sent = traffic.underWay.get(event.id) ?? { at: Infinity, answered, granted };
  traffic.underWay.delete(event.id);
  const [earliest] = traffic.underWay.values();
  const overlap = {
    overlapsFrom: Math.min(sent.at, earliest?.at ?? Infinity),
    underWay: traffic.underWay.size,
    answeredMeanwhile: answered - sent.answered,
    sent,
  };
  if (event.type === 'response-received') {
    traffic.answered += 1;
  } else {
    traffic.lost += 1;
  }
  return overlap;
}
