import type { RequirementId } from './requirements/index.ts';
import type { Trail } from './trail.ts';

/** How binding a requirement is: `must` decides the verdict, `should` is reported, `observe` is recorded. */
export type Level = 'must' | 'should' | 'observe';

/** The five outcomes of a requirement. No evidence is never a `pass`. */
export type Outcome = 'pass' | 'fail' | 'inconclusive' | 'skipped' | 'observed';

/** What the findings of an exploration name as their check, and the pattern that stands for it. */
export const EXPLORE = 'explore';

/** One header field as it stood on the wire: name in the sender's letter-case, value without surrounding space. */
export type HeaderField = readonly [name: string, value: string];

/**
 * One HTTP exchange as it is kept for evidence. API keys are already replaced by labels such as `free#1`,
 * and bodies are cut to a readable length.
 */
export interface RecordedExchange {
  readonly request: {
    readonly method: string;
    readonly url: string;
    readonly headers: readonly HeaderField[];
    readonly body: string | null;
  };
  readonly response: {
    readonly status: number;
    readonly headers: readonly HeaderField[];
    readonly body: string;
    /** Length of the whole body in bytes; `body` may hold less. */
    readonly bodyBytes: number;
  } | null;
  /** ISO 8601, by the suite's clock. */
  readonly sentAt: string;
  /** Milliseconds from sending to the last byte of the response. */
  readonly durationMilliseconds: number;
}

/** A violation, or the reason why something could not be decided, with its evidence. */
export interface Finding {
  readonly message: string;
  readonly exchange?: RecordedExchange;
  /** A command line for a POSIX shell that repeats the request, with a variable such as `$KEY_FREE_1` in place of a key. */
  readonly curl?: string;
  /** Id of the check whose requests showed it. */
  readonly check?: string;
  /** A command line that runs that check again. */
  readonly repeat?: string;
  /** What led there as a whole, so that it can be done again. */
  readonly trail?: Trail | undefined;
  /** How many responses it rests on, of which judgements put the fewest first; no judgement has this. */
  readonly restsOn?: number;
  /** If several requirements explain it: all of them, the likeliest first. Judgements decide; no report has this. */
  readonly explanations?: readonly Explanation[];
}

/** One requirement that a violation may break, with what is to be said of it then. */
export interface Explanation {
  readonly id: RequirementId;
  readonly message: string;
  /** Whether what was seen since shows that it does not break this one. */
  readonly isRuledOut?: () => boolean;
}

/** How often something was judged, and how often it was violated. */
export interface Tally {
  readonly violated: number;
  /** `null` if only violations were counted. */
  readonly judged: number | null;
  readonly of: 'responses' | 'scenarios' | 'judgements';
}

/** What a run may do: `safe` only reads, `standard` writes and restores, `full` exhausts limits and provokes bans. */
export const PROFILES = ['safe', 'standard', 'full'] as const;
export type Profile = (typeof PROFILES)[number];

/** How much there was of traffic that others made: how many exchanges. */
export interface TrafficCounts {
  /** With the service. */
  readonly exchanges: number;
  /** With other servers. */
  readonly others: number;
  /** Of those with the service, how many had a body that was not recorded. */
  readonly withoutBody: number;
  /** Of those with the service, how many have a request whose header fields leave open how it is answered. */
  readonly leftOpen?: number;
  /** How many requests to the service got no response. */
  readonly unanswered: number;
  /** Of those with the service, how many have a response whose header fields were not recorded. */
  readonly withoutHeaders?: number;
  /** Requests to the service that a gateway, a cache or the like answered, so that nothing of them was judged. */
  readonly local?: number;
  /** Exchanges with the service that seem to be recorded twice, and were judged once. */
  readonly repeated?: number;
  /** Exchanges with the service whose methods a recorder wrote in small letters. */
  readonly lowered?: number;
  /** Entries of a recording that could not be read, and may be exchanges with the service. */
  readonly unreadable?: number;
}
