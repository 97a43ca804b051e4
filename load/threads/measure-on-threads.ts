import { messageOf } from '../../contract/error-text.ts';
import { createCircuitBreaker } from '../judging/circuit-breaker.ts';
import { judgeJournals, type JournalJudge } from '../judging/judge-journals.ts';
import { addUpShards } from '../shards/add-up-shards.ts';
import type { DividedLoad, DividedRun } from '../shards/divided-load.ts';
import type { EngineThread } from '../shards/engine-thread.ts';
import { monotonicNow } from '../engine/monotonic-clock.ts';
import { shardPlanOf } from '../shards/shard-plan.ts';
import { trackShards } from '../shards/shard-progress.ts';
import type { ShardOutcome } from '../shards/shard-run.ts';
import { problemOfSkew, skewOf } from '../shards/start-skew.ts';

interface ThreadsRun extends DividedRun {
  /** Why a thread is missing, in sentences, or `null`. */
  readonly loss: string | null;
}

// All threads know of the start before it comes.
const LEAD_MILLISECONDS = 100;
const LOOK_MILLISECONDS = 200;
// They share a clock.
const NO_OFFSET = { milliseconds: 0, uncertainty: 0 };

/** One measurement by all threads: shares, a common start, and the results of all. */
export async function measureOnThreads(
  threads: readonly EngineThread[],
  divided: DividedLoad,
): Promise<ThreadsRun> {
  const of = threads.length;
  const { client, load, movesClock } = divided;
  const origin = monotonicNow() - performance.now();
  const judge = judgeJournals(client, load.mix, { of, origin, movesClock }, (shard, bytes) =>
    threads[shard]?.judged(bytes),
  );
  const losses: string[] = [];
  let start: number | null = null;
  const stop = (): void => threads.forEach((thread) => thread.stop());
  const lose = (index: number, error: unknown): null => {
    losses.push(describeLoss(index, of, error, start));
    judge.abandon();
    stop();
    return null;
  };
  const prepared = await prepareAll(threads, divided, judge, lose);
  const follow = followProgress(threads, divided, stop);
  let outcomes: readonly (ShardOutcome | null)[] = threads.map(() => null);
  try {
    if (prepared && !divided.signal.aborted) {
      const startsAt = monotonicNow() + LEAD_MILLISECONDS;
      start = startsAt;
      outcomes = await Promise.all(
        threads.map((thread, index) => thread.begin(startsAt).catch((error: unknown) => lose(index, error))),
      );
    }
  } finally {
    follow.end();
  }
  const skew = skewOf(outcomes.filter((outcome) => outcome !== null));
  const together =
    skew === null || losses.length > 0
      ? []
      : [`${of} threads began within ${skew.milliseconds.toFixed(2)} ms of each other.`];
  return {
    ...addUpShards(divided, outcomes, start !== null),
    startedAt: (start ?? monotonicNow()) - origin,
    trip: follow.trip(),
    invalid: [...losses, ...problemOfSkew(skew, 'threads')],
    notes: [...together, ...describeCut(judge.cutAt(), start)],
    loss: losses.length === 0 ? null : losses.join(' '),
  };
}

/** @returns whether all threads are ready */
async function prepareAll(
  threads: readonly EngineThread[],
  divided: DividedLoad,
  judge: JournalJudge,
  lose: (index: number, error: unknown) => null,
): Promise<boolean> {
  const plan = shardPlanOf(divided, monotonicNow());
  const ready = await Promise.all(
    threads.map((thread, index) =>
      thread
        .prepare(plan, { index, of: threads.length }, NO_OFFSET, (part) => judge.accept(index, part))
        .then(
          () => true,
          (error: unknown) => lose(index, error) !== null,
        ),
    ),
  );
  return ready.every(Boolean);
}

/** Tells what the threads do, and ends it if they do harm or nobody wants it any more. */
function followProgress(
  threads: readonly EngineThread[],
  { expectsRefusals, signal, onSecond }: DividedLoad,
  stop: () => void,
) {
  const tracker = trackShards(threads.length, Infinity);
  const breaker = createCircuitBreaker(expectsRefusals, stop);
  let beat = 0;
  const look = (): void => {
    beat += 1;
    const reports = threads.map((thread) => ({ beat, progress: thread.progress() }));
    const { outcomes, seconds } = tracker.look(reports, performance.now());
    breaker.outcomes(outcomes);
    seconds.forEach((second) => onSecond(second));
  };
  const ticker = setInterval(look, LOOK_MILLISECONDS);
  signal.addEventListener('abort', stop, { once: true });
  return {
    trip: breaker.trip,
    end: (): void => {
      clearInterval(ticker);
      look();
      signal.removeEventListener('abort', stop);
    },
  };
}

/** What is not judged, if judging could not keep up. */
function describeCut(cutAt: number | null, start: number | null): readonly string[] {
  if (cutAt === null || start === null) {
    return [];
  }
  const seconds = Math.max(0, (cutAt - start) / 1000).toFixed(1);
  return [
    `Limits, bans and refusals were judged until ${seconds} s after the start. More requests then waited to be judged than fit into memory; at a lower rate, all of them are judged.`,
  ];
}

function describeLoss(index: number, of: number, error: unknown, start: number | null): string {
  const share = `Thread ${index + 1} of ${of}, which had ${Math.round(100 / of)} % of the load,`;
  const when =
    start === null
      ? 'before the start'
      : `${Math.max(0, (monotonicNow() - start) / 1000).toFixed(1)} s after the start`;
  const reason = messageOf(error);
  return `${share} ended ${when} (${reason}); none of its share is in these figures, so they are incomplete.`;
}
