import { parentPort } from 'node:worker_threads';

import { messageOf } from '../../contract/error-text.ts';
import type { FromCarrier, ShardOutcome, ShardPlan, ToCarrier } from './carrier.ts';
import { createTargetClient, redactorOf, type TargetClient } from '../../suites/target/index.ts';
import { followServerClock, type Judgements } from '../../suites/oracle/index.ts';
import { startEngine, type EngineProgress } from '../engine/engine-run.ts';
import { countFor, type Share } from '../engine/load-model.ts';
import { recordJudgements } from './recorded-judgements.ts';
import { monotonicNow, type ClockOffset } from '../engine/monotonic-clock.ts';
import { keepKeyJournal } from '../judging/key-journal.ts';

const PROGRESS_MILLISECONDS = 200;

/** A shard that is ready to begin. */
type PreparedShard = ReturnType<typeof prepareShard>;

let prepared: PreparedShard | undefined;
let stop = new AbortController();

function tell(message: FromCarrier): void {
  parentPort?.postMessage(message);
}

function tellProgress(shard: PreparedShard, isEnd: boolean): void {
  const progress = shard.progress();
  if (progress !== null) {
    tell({ kind: 'progress', progress });
  }
  const part = shard.journal.take(isEnd);
  if (part !== null) {
    const message: FromCarrier = { kind: 'journal', part };
    parentPort?.postMessage(message, [part.entries.buffer]);
  }
}

async function begin(shard: PreparedShard, startsAt: number): Promise<void> {
  const ticker = setInterval(() => tellProgress(shard, false), PROGRESS_MILLISECONDS);
  try {
    const outcome = await shard.begin(startsAt, stop.signal);
    tellProgress(shard, true);
    tell({ kind: 'done', outcome });
  } catch (error) {
    tell({ kind: 'failed', message: messageOf(error) });
  } finally {
    clearInterval(ticker);
  }
}

parentPort?.on('message', (message: ToCarrier) => {
  switch (message.kind) {
    case 'prepare':
      stop = new AbortController();
      prepared = prepareShard(message.plan, message.share, message.offset);
      tell({ kind: 'ready' });
      break;
    case 'begin':
      if (prepared !== undefined) {
        void begin(prepared, message.startsAt);
      }
      break;
    case 'judged':
      prepared?.journal.judged(message.bytes);
      break;
    case 'stop':
      stop.abort();
      break;
  }
});

// Threads of one process share a clock.
const NO_OFFSET: ClockOffset = { milliseconds: 0, uncertainty: 0 };
const PROGRESS_BEFORE_TIMER_MILLISECONDS = 2;

/** Sets up all that a shard needs, so that nothing is left to be done at its beginning. */
function prepareShard(plan: ShardPlan, share: Share, offset: ClockOffset = NO_OFFSET) {
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
  let engine: ReturnType<typeof startEngine> | null = null;
  return {
    /** `null` before it has begun. */
    progress: (): EngineProgress | null => engine?.progress() ?? null,
    journal,
    /** @param startsAt moment of the time that all shards share */
    begin: async (startsAt: number, signal: AbortSignal): Promise<ShardOutcome> => {
      const client = clientOf(plan, noted.judgements, shared.milliseconds, signal);
      const localStart = startsAt - shared.milliseconds;
      const began = reach(localStart);
      if (load.model === 'closed') {
        await began;
      }
      engine = startEngine(load, {
        target: plan.target,
        client,
        share,
        startsAt: localStart,
        warmUpMilliseconds: plan.warmUpMilliseconds,
        isPart: true,
        spend: (requests = 1) => {
          spent += requests;
          return spent < budget;
        },
        signal: budget === 0 ? AbortSignal.abort() : signal,
        movesClock: plan.movesClock,
        history: journal.history,
      });
      const run = await engine.ended;
      return {
        run: { ...run, isCeilingReached: run.isCeilingReached || budget === 0 },
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
