import type { RequirementId } from '../../contract/requirements/index.ts';
import type { Exchange } from './exchange.ts';
import type { HistoryEvent, KnownKey, SentRequest, UnansweredRequest } from './history.ts';
import type { KeyTraffic, Overlap } from './limits/key-traffic.ts';
import type { Explanation } from '../../contract/verdict.ts';
import type { ServerClock } from './server-clock.ts';

/** What no target that keeps the specification could have answered, and which requirement it breaks. */
export interface Accusation extends Explanation {
  /** The exchanges that show it, the decisive one last. */
  readonly proof: readonly Exchange[];
  /** Requirements that explain it as well, the likeliest first. */
  readonly others?: readonly Explanation[];
}

/** What an oracle says of one requirement: that it holds, without a message and perhaps without proof, or that it does not. */
export interface OracleJudgement extends Accusation {
  /** Id of the monitor that says it. */
  readonly by: string;
  readonly holds: boolean;
}

/** Takes what a monitor of histories sees. */
export interface HistoryReporter {
  /** @param proof the exchanges that show it, the decisive one last */
  judge(id: RequirementId, holds: boolean, message: () => string, ...proof: readonly Exchange[]): void;
  accuse(accusation: Accusation): void;
  noteStrange(changes: StrangeChanges): void;
}

/** What changed in the inventory, of which only some pets are ours, and may be the doing of somebody else. */
export interface StrangeChanges {
  /** What changed while nothing was sent, in words. */
  readonly idle: readonly string[];
  /** How often a pet stood at what nothing that was sent asked for. */
  readonly unexplained: number;
}

export const NOTHING_STRANGE: StrangeChanges = { idle: [], unexplained: 0 };

/** What is known of the history so far, whoever judges it. */
export interface HistoryContext {
  readonly clock: ServerClock;
  readonly keyOf: (label: string) => KnownKey | undefined;
  /** The request of a response that comes in or is lost; it is forgotten after the event. */
  readonly requestOf: (id: number) => SentRequest | undefined;
  readonly trafficOf: (label: string) => KeyTraffic;
  /** What overlapped the request whose response comes in or is lost; `null` if it counts on no key. */
  readonly overlap: () => Overlap | null;
  /** Whether the key may be banned, because its client went on after a 429: when this exchange's request is decided, or by now. */
  readonly mayBeBanned: (label: string, exchange?: Exchange) => boolean;
  /** Whether a request that got no answer, as others did, was due to be refused for its rate. */
  readonly isRefusalDue: (unanswered: UnansweredRequest) => boolean;
}

/** Judges what no single exchange shows: it remembers, in bounded memory, what may be true of the target. */
export interface HistoryMonitor {
  readonly id: string;
  readonly title: string;
  readonly judges: readonly RequirementId[];
  /** Begins a history. What it returns takes one event after the other. */
  readonly open: (context: HistoryContext, report: HistoryReporter) => (event: HistoryEvent) => void;
}
