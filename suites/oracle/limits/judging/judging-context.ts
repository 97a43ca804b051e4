import { DAY_SECONDS, MINUTE_SECONDS, type Plan } from '../../../../contract/plans.ts';
import type { RequirementId } from '../../../../contract/requirements/index.ts';
import type { Accusation, HistoryContext } from '../../history-monitor.ts';
import type { Exchange } from '../../exchange.ts';
import type { SentRequest } from '../../history.ts';
import type { ServerClock } from '../../server-clock.ts';
import { followUnlikelyWindowEnds } from '../unlikely-window-ends.ts';
import type { DescribedWindow, KeyLimits } from '../key-limits.ts';
import type { Overlap } from '../key-traffic.ts';
import type { OperationCounts } from '../operation-counts.ts';
import { anySlidingKind } from '../windows/phases.ts';
import type { LimitedRequest } from '../windows/counted-requests.ts';
import { followMinutesToldAsDays } from './minute-told-as-day.ts';
import { followOnlySliding } from './only-sliding.ts';
import { followSharedCounts } from './shared-counts.ts';
import { followWindowBeginnings } from './described-window.ts';

/** Since when a key may have been banned that was answered with a status which no request is answered with. */
interface AnsweredInBan {
  readonly label: string;
  readonly since: number;
}

export type Findings = ReturnType<typeof openFindings>;

/** What was found out of the target, whichever key showed it. */
export function openFindings(clock: ServerClock) {
  return {
    kinds: { minute: anySlidingKind(), day: anySlidingKind() },
    /** What only a sliding window could have granted or refused, and what only one could have told. */
    onlySliding: followOnlySliding(),
    toldOnlyBySliding: followOnlySliding(),
    unlikelyWindowEnds: openUnlikelyWindowEnds(clock),
    /** Plans of which a key was refused after exactly as many requests as its limit, sent one by one. */
    keptBy: { minute: new Set<Plan>(), day: new Set<Plan>() },
    shared: followSharedCounts(),
    minutesToldAsDays: followMinutesToldAsDays(),
    /** Spellings that nobody documents, and that count as accepted requests do. */
    countedForms: new Set<string>(),
    /** What was refused by a minute that was used up. */
    everRefused: new Set<string>(),
    /** Whether a key was granted too much that never went on after a 429. */
    isExceededByAny: false,
    /** Whether a key was granted too much over a single connection. */
    isExceededOnOneConnection: false,
    /** Plans of keys that were granted too much when others were under way with it. */
    exceededAtOnce: new Set<Plan>(),
    /** Plans of a key that was banned, or at its limit, and of one that was served all the same. */
    servedInBan: new Set<string>(),
    servedAtLimit: new Set<string>(),
    /** Whether a key was counted well when another had reached its limit. */
    isUnmoved: false,
    /** Which two keys were last refused by a limit of their own, and when. */
    limitsReached: new Array<{ readonly label: string; readonly at: number }>(),
    /** Connections that answers came on. */
    connections: new Set<string>(),
    /** Statuses that a valid key was refused with, other than 429, when each limit was far. */
    refusedFar: new Set<number>(),
    /** Whether a window may have begun while a request was under way. */
    mayHaveBegun: followWindowBeginnings(clock),
    /** By statuses that no request is answered with: who was answered so in what may have been a ban. */
    statusesOfBans: new Map<number, AnsweredInBan | 'of any request'>(),
    /** When more was first used of a configured key than its requests explain, in milliseconds of the timekeeper. */
    grewAt: Infinity,
    /** Whether X-RateLimit-Remaining is wrong, so that nothing is built on it. */
    distrustsRemaining: false,
    /** Responses of all keys. */
    answers: 0,
    /** How often X-RateLimit-Remaining was right when no other key was used since the response before. */
    rightAlone: 0,
  };
}

// Days are counted from the midnight of some time zone, which is a whole quarter of an hour away from that of UTC.
const QUARTER_SECONDS = 900;

function openUnlikelyWindowEnds(clock: ServerClock) {
  return {
    minute: followUnlikelyWindowEnds(clock, {
      length: MINUTE_SECONDS * 1000,
      edges: MINUTE_SECONDS,
      // Minutes are used up again and again.
      leastLikely: 1e-9,
    }),
    day: followUnlikelyWindowEnds(clock, {
      length: DAY_SECONDS * 1000,
      edges: QUARTER_SECONDS,
      leastLikely: 5e-6,
    }),
  };
}

/** How a request was made. */
export interface Manner {
  /** What was asked for, and in which spelling. */
  readonly form: string;
  /** Whether others were under way with it. */
  readonly isAmongOthers: boolean;
  /** And the limit was seen to hold for requests that were sent one by one. */
  readonly isOnlyConcurrent: boolean;
}

/** An answer, and what it was an answer to. */
export interface JudgedAnswer {
  readonly request: SentRequest;
  readonly exchange: Exchange;
  readonly overlap: Overlap;
  /** What it asked for, in whichever spelling; an empty text if nobody knows. */
  readonly operation: string;
  /** Whether others of its key were under way with it. */
  readonly isAmongOthers: boolean;
  /**
   * Whether none of those under way together was refused before, so that a refusal is no ban but after another one that is
   * under way, which what was used until now would have to explain as well.
   */
  readonly isFirstRefused: boolean;
  readonly limited: LimitedRequest;
  /** What its headers say of a window. */
  readonly described: DescribedWindow | null;
  /** Whether it may be that of a ban. */
  readonly mayBeBanned: boolean;
  readonly manner: () => Manner;
}

/** What judges of one exchange have before them, and to whom they speak. */
export interface JudgingContext {
  readonly context: HistoryContext;
  readonly others: ReadonlyMap<string, KeyLimits>;
  readonly accuse: (accusation: Accusation) => void;
  readonly pass: (id: RequirementId) => void;
  /** By what the headers describe. */
  readonly operations: Readonly<Record<'minute' | 'day', OperationCounts>>;
  readonly findings: Findings;
}

/** After what cannot be explained, nothing is known of the key. */
export function forgetKey(key: KeyLimits, now: number): void {
  key.minute.forget(now);
  key.day.forget(now);
  key.firstDay?.forget();
  key.minuteBeganAt = Number.NEGATIVE_INFINITY;
  key.fewestTold = null;
  key.growth = null;
}

/** Once X-RateLimit-Remaining was wrong, nothing that it told is built on. */
export function mistrustRemaining({ findings, others }: Pick<JudgingContext, 'findings' | 'others'>): void {
  findings.distrustsRemaining = true;
  for (const window of ['minute', 'day'] as const) {
    Object.assign(findings.kinds[window], anySlidingKind());
    others.forEach((key) => key[window].mistrustTold());
  }
}
