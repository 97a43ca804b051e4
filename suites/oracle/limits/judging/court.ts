import { DAY_SECONDS, MINUTE_SECONDS, type Plan } from '../../../../contract/plans.ts';
import type { RequirementId } from '../../../../contract/requirements/index.ts';
import type { HistoryContext } from '../../history-monitor.ts';
import type { Accusation } from '../blame.ts';
import { type Coincidences, followCoincidences } from '../coincidences.ts';
import type { CommonPhases, KeyLimits } from '../key-limits.ts';
import type { OperationCounts } from '../operation-counts.ts';
import { anyCounterPhase } from '../phases.ts';
import { followOnlyCounters, type OnlyCounters } from './only-counters.ts';
import { followWindowBeginnings, type WindowBeginnings } from './window-beginnings.ts';

/** What was found out of the target, whichever key showed it. */
export interface Findings {
  readonly phases: CommonPhases;
  readonly onlyCounters: OnlyCounters;
  readonly coincidences: Readonly<Record<'minute' | 'day', Coincidences>>;
  /** Plans of which a key was refused after exactly as many requests as its limit, sent one by one. */
  readonly keptBy: Readonly<Record<'minute' | 'day', Set<Plan>>>;
  readonly beginnings: WindowBeginnings;
  /** Whether X-RateLimit-Remaining is wrong, so that nothing is built on it. */
  distrustsRemaining: boolean;
  /** Responses of all keys. */
  answers: number;
  /** How often X-RateLimit-Remaining was right when no other key was used since the response before. */
  rightAlone: number;
}

export function openFindings(context: HistoryContext): Findings {
  const phases: CommonPhases = { minute: anyCounterPhase(), day: anyCounterPhase() };
  return {
    phases,
    onlyCounters: followOnlyCounters(phases),
    coincidences: openCoincidences(context),
    keptBy: { minute: new Set<Plan>(), day: new Set<Plan>() },
    beginnings: followWindowBeginnings(context.clock),
    distrustsRemaining: false,
    answers: 0,
    rightAlone: 0,
  };
}

// Days are counted from the midnight of some time zone, which is a whole quarter of an hour away from that of UTC.
const QUARTER_SECONDS = 900;

function openCoincidences({ clock }: HistoryContext): Findings['coincidences'] {
  return {
    minute: followCoincidences(clock, {
      length: MINUTE_SECONDS * 1000,
      edges: MINUTE_SECONDS,
      // Minutes are used up again and again.
      leastLikely: 1e-9,
    }),
    day: followCoincidences(clock, { length: DAY_SECONDS * 1000, edges: QUARTER_SECONDS, leastLikely: 5e-6 }),
  };
}

/** What judges of one exchange have before them, and to whom they speak. */
export interface Court {
  readonly context: HistoryContext;
  readonly others: ReadonlyMap<string, KeyLimits>;
  readonly accuse: (accusation: Accusation) => void;
  readonly pass: (id: RequirementId) => void;
  readonly operations: OperationCounts;
  readonly findings: Findings;
}

/** After what cannot be explained, nothing is known of the key. */
export function forgetKey(key: KeyLimits, now: number): void {
  key.minute.forget(now);
  key.day.forget(now);
  key.firstDay?.forget();
  key.toldRefused = null;
}
