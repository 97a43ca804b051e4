import { createTargetClient, redactorOf, type TargetClient } from '../../suites/target/index.ts';
import { followServerClock, type Judgements } from '../../suites/oracle/index.ts';
import { runEngine, type EngineRun } from '../engine/engine-run.ts';
import { createRecorder, type RecordedSecond } from '../figures/recorder.ts';
import { noOutcomes, noteOutcome, type OutcomeCounts } from '../judging/circuit-breaker.ts';
import { countFor, type Share } from '../engine/share.ts';
import { recordJudgements, type RecordedJudgement } from './recorded-judgements.ts';
import { monotonicNow, type ClockOffset } from '../engine/monotonic-clock.ts';
import { keepKeyJournal, type KeyJournalPart } from '../judging/key-journal.ts';
import type { ShardPlan } from './divided-load.ts';

/** How far a shard is. */
export interface ShardProgress {
  /** How its requests ended so far. */
  readonly outcomes: OutcomeCounts;
  /** The last second that is over. */
  readonly latest: RecordedSecond | null;
}

/** What a shard has measured. */
export interface ShardOutcome {
  readonly run: EngineRun;
  readonly notes: readonly RecordedJudgement[];
  readonly spent: number;
  /** When it really began, by the time that all shards share, in milliseconds, and by how much that may be wrong. */
  readonly beganAt: number;
  readonly uncertainty: number;
}

/** A shard that is ready to begin. */
export interface PreparedShard {
  /** @param startsAt moment of the time that all shards share */
  readonly begin: (startsAt: number, signal: AbortSignal) => Promise<ShardOutcome>;
  /** `null` before it has begun. */
  readonly progress: () => ShardProgress | null;
  /** What happened to its keys; `null` once the journal was cut. @param isEnd whether nothing will happen any more */
  readonly journal: (isEnd: boolean) => KeyJournalPart | null;
  /** Takes note that parts of its journal of this size have been judged. */
  readonly judged: (bytes: number) => void;
}

// Threads of one process share a clock.
const NO_OFFSET: ClockOffset = { milliseconds: 0, uncertainty: 0 };
const PROGRESS_BEFORE_TIMER_MILLISECONDS = 2;

/** Sets up all that a shard needs, so that nothing is left to be done at its beginning. */
export function prepareShard(plan: ShardPlan, share: Share, offset: ClockOffset = NO_OFFSET): PreparedShard {
  const { load } = plan;
  // This thread has a time origin of its own; its clock runs equally fast.
  const origin = monotonicNow() - performance.now();
  const shared = {
    milliseconds: origin + offset.milliseconds,
    uncertainty: plan.uncertainty + offset.uncertainty,
  };
  const journal = keepKeyJournal(load.mix, share, shared);
  const noted = recordJudgements();
  const budget = countFor(plan.budget, share);
  let spent = 0;
  const outcomes = noOutcomes();
  let latest: (() => ShardProgress['latest']) | null = null;
  return {
    progress: () => (latest === null ? null : { outcomes: { ...outcomes }, latest: latest() }),
    journal: journal.take,
    judged: journal.judged,
    begin: async (startsAt, signal) => {
      const client = clientOf(plan, noted.judgements, shared.milliseconds, signal);
      const localStart = startsAt - shared.milliseconds;
      const recorder = createRecorder({
        startsAt: localStart + plan.warmUpMilliseconds,
        model: load.model,
        isPart: true,
      });
      ({ latest } = recorder);
      const began = reach(localStart);
      const none = new AbortController();
      if (budget === 0) {
        none.abort();
      }
      if (load.model === 'closed') {
        await began;
      }
      const run = await runEngine(load, {
        target: plan.target,
        client,
        share,
        startsAt: localStart,
        warmUpMilliseconds: plan.warmUpMilliseconds,
        recorder,
        onOutcome: (status) => noteOutcome(outcomes, status),
        spend: () => {
          spent += 1;
          return spent < budget;
        },
        signal: AbortSignal.any([signal, none.signal]),
        movesClock: plan.movesClock,
        history: journal.history,
      });
      return {
        run: budget === 0 ? { ...run, isCeilingReached: true } : run,
        notes: noted.notes(),
        spent,
        beganAt: (await began) + shared.milliseconds,
        uncertainty: offset.uncertainty,
      };
    },
  };
}

/** Waits until a moment of `performance.now()`, and returns the one at which it really went on. */
function reach(moment: number): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>();
  const look = (): void => {
    const now = performance.now();
    const wait = moment - now;
    if (wait <= 0) {
      resolve(now);
    } else if (wait > PROGRESS_BEFORE_TIMER_MILLISECONDS + 1) {
      setTimeout(look, Math.floor(wait - PROGRESS_BEFORE_TIMER_MILLISECONDS));
    } else {
      setImmediate(look);
    }
  };
  look();
  return promise;
}

/** @param offset what has to be added to `performance.now()` for the time that all shards share */
function clientOf(
  { target, secrets, clock: known }: ShardPlan,
  judgements: Judgements,
  offset: number,
  signal: AbortSignal,
): TargetClient {
  const clock = followServerClock();
  if (known !== null) {
    clock.learnFromControl(known.span, known.at - offset);
  }
  return createTargetClient(target, { clock, redactor: redactorOf(secrets), judgements, signal });
}
