import { setTimeout as pause } from 'node:timers/promises';

import type { FlowProducer } from 'bullmq';

import { totalSeconds } from '../arrivals.ts';
import type { FleetOrder, FleetRun } from '../load-fleet.ts';
import { refereeOf } from '../referee.ts';
import { countFor } from '../share.ts';
import { openBoard, type Board, type ShardState } from './board.ts';
import { decodeRun } from './encoded-run.ts';
import {
  EXPIRY_MILLISECONDS,
  namesOf,
  nameShard,
  QUEUES,
  SILENCE_MILLISECONDS,
  START,
  STOP,
  type ShardJob,
} from './fleet-names.ts';
import { sayAgain } from './judgement-notes.ts';
import { measureOffset, monotonicNow, type ClockOffset } from './redis-clock.ts';
import type { FleetRedis } from './redis.ts';
import { planOf } from './shard-plan.ts';
import type { ShardOutcome } from './shard-run.ts';
import { watchShards } from './shard-watch.ts';

/** A worker that is gone, or a Redis, so that the fleet is not what it was. */
export interface FleetLoss {
  /** A sentence that names it. */
  readonly message: string;
}

interface FleetParts {
  readonly redis: FleetRedis;
  readonly flows: FlowProducer;
  /** Called when all shards of a measurement have ended, by its id. */
  readonly delivered: Map<string, () => void>;
  readonly version: string;
  readonly onLoss: (loss: FleetLoss) => void;
}

// Workers set up their engines and look this often whether a start is named.
const LEAD_MILLISECONDS = 400;
const LONGEST_PREPARATION_MILLISECONDS = 20_000;
const LOOK_MILLISECONDS = 50;
// Beyond its time, a shard gets this long to end.
const GRACE_MILLISECONDS = 15_000;
// Workers that begin farther apart do not make the schedule that was asked for.
const LARGEST_SKEW_MILLISECONDS = 100;

/** One measurement by all workers: shares, a common start, a watch over all, and what they bring home. */
export async function measureTogether(
  parts: FleetParts,
  job: Omit<ShardJob, 'shard'>,
  order: FleetOrder,
): Promise<FleetRun> {
  const { redis, flows, delivered, version } = parts;
  const { of, run, measurement } = job;
  const names = namesOf(job);
  const board = openBoard(redis.board, job);
  const offset = await measureOffset(redis.board);
  const redisNow = redisTime(offset);
  const plan = JSON.stringify(planOf(order, version, redisNow));
  await redis.board.set(names.plan, plan, 'PX', EXPIRY_MILLISECONDS);
  const id = `${run}-${measurement}`;
  const ended = { all: false };
  delivered.set(id, () => {
    ended.all = true;
  });
  const gone = { removeOnComplete: true, removeOnFail: true };
  await flows.add({
    name: 'measurement',
    queueName: QUEUES.measurements,
    opts: { ...gone, jobId: id },
    children: Array.from({ length: of }, (_, shard) => ({
      name: 'shard',
      queueName: QUEUES.shards,
      data: { ...job, shard },
      opts: { ...gone, attempts: 1, ignoreDependencyOnFailure: true },
    })),
  });
  try {
    return await collect(parts, job, order, board, offset, () => ended.all);
  } finally {
    delivered.delete(id);
    const results = Array.from({ length: of }, (_, shard) => names.resultOf(shard));
    // Claims stay until they expire, so that a late delivery finds its shard taken.
    await redis.board.del(names.plan, names.board, ...results).catch(() => {});
  }
}

/** Where a measurement is, and what goes wrong in it. */
interface Course {
  states: readonly (ShardState | undefined)[];
  /** Redis time of the start; `null` while some shard is not ready. */
  start: number | null;
  isStopped: boolean;
  losses: readonly string[];
}

async function collect(
  { redis, onLoss }: FleetParts,
  job: Omit<ShardJob, 'shard'>,
  order: FleetOrder,
  board: Board,
  offset: ClockOffset,
  allEnded: () => boolean,
): Promise<FleetRun> {
  const { of } = job;
  const watch = watchShards(of, SILENCE_MILLISECONDS);
  const course: Course = { states: [], start: null, isStopped: false, losses: [] };
  const stop = async (): Promise<void> => {
    if (!course.isStopped) {
      course.isStopped = true;
      await board.instruct(STOP, 'now').catch(() => {});
    }
  };
  let harm: (() => void) | undefined;
  const referee = refereeOf(order.expectsRefusals, () => harm?.());
  const lose = (...losses: readonly string[]): void => {
    course.losses = [...course.losses, ...losses];
  };
  const began = performance.now();
  let answeredAt = began;
  let endsBy = began + LONGEST_PREPARATION_MILLISECONDS;
  for (;;) {
    const now = performance.now();
    try {
      course.states = await board.states(of);
      answeredAt = performance.now();
    } catch {
      if (now - answeredAt > SILENCE_MILLISECONDS) {
        lose(`Redis at ${redis.address} was lost, and with it the fleet: nothing of this load can be told.`);
        break;
      }
    }
    let isHarmful = false;
    harm = () => {
      isHarmful = true;
    };
    const { outcomes, seconds } = watch.look(course.states, now);
    referee.outcomes(outcomes);
    seconds.forEach((second) => order.onSecond(second));
    if (isHarmful || order.signal.aborted) {
      await stop();
    }
    const open = course.states
      .map((state, shard) => ({ state, shard }))
      .filter(({ state }) => state?.phase !== 'done');
    if (open.length === 0 && course.states.length === of) {
      break;
    }
    if (course.losses.length === 0) {
      const silent = watch.silent(now).filter(({ shard }) => course.states[shard]?.phase !== 'done');
      const failed = open.filter(({ state }) => state?.phase === 'failed');
      lose(
        ...silent.map(({ shard, heardAt }) =>
          describeLoss(job, course, shard, 'has not been heard of', heardAt - now + offset.milliseconds + monotonicNow()),
        ),
        ...failed.map(({ shard, state }) =>
          describeLoss(job, course, shard, state?.problem ?? 'failed', monotonicNow() + offset.milliseconds),
        ),
      );
      if (course.losses.length > 0) {
        await stop();
        endsBy = now + order.target.timeoutMilliseconds + SILENCE_MILLISECONDS;
      }
    }
    const isOver = open.every(({ shard, state }) => isLost(watch.silent(now), shard, state));
    if (course.start === null && course.isStopped && course.losses.length === 0) {
      // An interruption before the start: nothing was sent, and no shard has a result.
      break;
    }
    if (course.losses.length > 0 && isOver) {
      break;
    }
    if (now > endsBy) {
      if (course.losses.length === 0) {
        lose(
          ...open.map(({ shard }) =>
            describeLoss(
              job,
              course,
              shard,
              course.start === null ? 'was not ready in time' : 'did not end in time',
              monotonicNow() + offset.milliseconds,
            ),
          ),
        );
        await stop();
      }
      break;
    }
    if (course.start === null && open.length === of && open.every(({ state }) => state?.phase === 'ready')) {
      course.start = monotonicNow() + offset.milliseconds + LEAD_MILLISECONDS;
      await board.instruct(START, `${course.start}`);
      endsBy =
        now + LEAD_MILLISECONDS + secondsOf(order) * 1000 + order.target.timeoutMilliseconds + GRACE_MILLISECONDS;
    }
    if (allEnded() && course.start === null && open.every(({ state }) => state === undefined)) {
      lose('The shards of this load were taken away from the queue before a worker had them.');
      break;
    }
    await pause(LOOK_MILLISECONDS);
  }
  if (course.losses.length > 0) {
    await stop();
    onLoss({ message: course.losses.join(' ') });
  }
  const outcomes = await readOutcomes(redis, job);
  const keys = new Set(order.load.mix.flatMap(({ key }) => key ?? []));
  for (const outcome of outcomes) {
    if (outcome !== null) {
      sayAgain(outcome.notes, order.wire.judgements);
    }
  }
  const present = outcomes.filter((outcome) => outcome !== null);
  const skew = skewOf(present);
  return {
    runs: present.map(({ run }) => decodeRun(run, keys)),
    spent: outcomes.reduce(
      // Nobody knows what a lost shard has sent, up to all of it.
      (sum, outcome, index) =>
        sum +
        (outcome?.spent ?? (course.start === null ? 0 : countFor(order.budget, { index, of }))),
      0,
    ),
    startedAt:
      performance.now() + (course.start ?? redisTime(offset)) - redisTime(offset),
    verdict: referee.verdict(),
    invalid: [
      ...course.losses,
      ...(present.length > 0 && skew.milliseconds > LARGEST_SKEW_MILLISECONDS
        ? [`The workers began ${skew.milliseconds.toFixed(0)} ms apart, so this is not the schedule that was asked for.`]
        : []),
    ],
    notes: present.length === 0 ? [] : [describeSkew(course, skew)],
  };
}

function redisTime({ milliseconds }: ClockOffset): number {
  return monotonicNow() + milliseconds;
}

function isLost(
  silent: readonly { readonly shard: number }[],
  shard: number,
  state: ShardState | undefined,
): boolean {
  return state === undefined || state.phase === 'failed' || silent.some((one) => one.shard === shard);
}

function secondsOf({ load }: FleetOrder): number {
  return load.model === 'open' ? totalSeconds(load.stretches) : load.seconds;
}

/** @param lastAt Redis time of the last that was heard of it */
function describeLoss(
  { of }: Pick<ShardJob, 'of'>,
  { states, start }: Course,
  shard: number,
  what: string,
  lastAt: number,
): string {
  const state = states[shard];
  const who = state === undefined ? 'A worker that should have taken' : `Worker ${state.worker}, which had`;
  const when =
    start === null
      ? 'before the start'
      : `since ${Math.max(0, (lastAt - start) / 1000).toFixed(1)} s after the start`;
  const share = `${nameShard({ shard, of })}, ${Math.round(100 / of)} % of the load,`;
  return `${who} ${share} ${what} ${when}; nothing of its share is in these numbers, so they are only a part.`;
}

async function readOutcomes(
  { board }: FleetRedis,
  job: Omit<ShardJob, 'shard'>,
): Promise<readonly (ShardOutcome | null)[]> {
  const { resultOf } = namesOf(job);
  const names = Array.from({ length: job.of }, (_, shard) => resultOf(shard));
  try {
    return (await board.mget(names)).map((text) => (text === null ? null : readOutcome(text)));
  } catch {
    return names.map(() => null);
  }
}

function readOutcome(text: string): ShardOutcome {
  const outcome: ShardOutcome = JSON.parse(text);
  return outcome;
}

interface Skew {
  readonly milliseconds: number;
  readonly uncertainty: number;
}

/** How far apart the shards began, and by how much that may be wrong. */
function skewOf(outcomes: readonly ShardOutcome[]): Skew {
  const beginnings = outcomes.map(({ beganAt }) => beganAt);
  return {
    milliseconds: Math.max(...beginnings) - Math.min(...beginnings),
    uncertainty: 2 * Math.max(...outcomes.map(({ uncertainty }) => uncertainty)),
  };
}

function describeSkew({ states }: Course, { milliseconds, uncertainty }: Skew): string {
  const workers = states.flatMap((state) => (state === undefined ? [] : [state.worker]));
  return `${workers.length} ${workers.length === 1 ? 'worker' : 'workers'} (${workers.toSorted().join(', ')}) began within ${milliseconds.toFixed(2)} ms of each other by Redis time, give or take ${uncertainty.toFixed(2)} ms.`;
}
