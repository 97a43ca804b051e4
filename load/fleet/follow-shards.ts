import { setTimeout as pause } from 'node:timers/promises';

import { totalSeconds } from '../engine/arrivals.ts';
import type { DividedLoad } from '../shards/divided-load.ts';
import { createCircuitBreaker, type Trip } from '../judging/circuit-breaker.ts';
import type { ProgressHash, ShardState } from './progress-hash.ts';
import { nameShard, SILENCE_MILLISECONDS, START, STOP } from './fleet-protocol.ts';
import { trackShards } from '../shards/shard-progress.ts';

/** How the shards of a measurement went. */
export interface FollowedShards {
  /** The last report of each; `undefined` for one that nobody has taken. */
  readonly states: readonly (ShardState | undefined)[];
  /** Redis time of the common start in Unix milliseconds; `null` if it was never named. */
  readonly start: number | null;
  /** Why the fleet is not complete any more, in sentences. */
  readonly losses: readonly string[];
  readonly trip: Trip | null;
}

interface Following {
  readonly hash: ProgressHash;
  /** Shards. */
  readonly of: number;
  readonly fleetLoad: Pick<DividedLoad, 'load' | 'target' | 'expectsRefusals' | 'signal' | 'onSecond'>;
  /** `HOST:PORT` of Redis. */
  readonly address: string;
  /** Redis time in Unix milliseconds. */
  readonly redisNow: () => number;
  /** Whether the queue has seen every shard end. */
  readonly hasEnded: () => boolean;
}

// Workers set up their engines, and look every 20 ms whether a start is named.
const LEAD_MILLISECONDS = 500;
const LONGEST_PREPARATION_MILLISECONDS = 20_000;
const LOOK_MILLISECONDS = 50;
// Beyond its time, a shard gets this long to end.
const GRACE_MILLISECONDS = 15_000;

/** Names the start when all shards are ready, follows them to their end, and ends them if one is lost or they do harm. */
export async function followShards({
  hash,
  of,
  fleetLoad,
  address,
  redisNow,
  hasEnded,
}: Following): Promise<FollowedShards> {
  const timeout = fleetLoad.target.timeoutMilliseconds;
  const tracker = trackShards(of, SILENCE_MILLISECONDS);
  let isHarmful = false;
  const breaker = createCircuitBreaker(fleetLoad.expectsRefusals, () => {
    isHarmful = true;
  });
  let states: FollowedShards['states'] = [];
  let start: number | null = null;
  let losses: readonly string[] = [];
  let isStopped = false;
  let answeredAt = performance.now();
  let endsBy = answeredAt + LONGEST_PREPARATION_MILLISECONDS;
  const stop = async (): Promise<void> => {
    if (!isStopped) {
      isStopped = true;
      await hash.instruct(STOP, 'now').catch(() => {});
    }
  };
  for (;;) {
    const now = performance.now();
    try {
      states = await hash.states(of);
      answeredAt = performance.now();
    } catch {
      if (now - answeredAt > SILENCE_MILLISECONDS) {
        losses = [`Redis at ${address} was lost, and with it the fleet, so what it measured is unknown.`];
        break;
      }
    }
    const { outcomes, seconds } = tracker.look(states, now);
    breaker.outcomes(outcomes);
    seconds.forEach((second) => fleetLoad.onSecond(second));
    if (isHarmful || fleetLoad.signal.aborted) {
      await stop();
    }
    const open = states.flatMap((state, shard) => (state?.phase === 'done' ? [] : [{ state, shard }]));
    if (states.length === of && open.length === 0) {
      break;
    }
    const silent = new Map(tracker.silent(now).map(({ shard, heardAt }) => [shard, heardAt] as const));
    if (losses.length === 0) {
      losses = open.flatMap(({ state, shard }) => {
        const heardAt = silent.get(shard);
        const problem = problemOf(state, heardAt !== undefined, now > endsBy, hasEnded(), start !== null);
        return problem === null
          ? []
          : [describeLoss({ state, shard, of, problem, start, at: redisNow() - now + (heardAt ?? now) })];
      });
      if (losses.length > 0) {
        await stop();
        endsBy = now + timeout + SILENCE_MILLISECONDS;
      }
    }
    const isNothingLeft = open.every(({ state, shard }) => state?.phase === 'failed' || silent.has(shard));
    if (losses.length > 0 ? isNothingLeft || hasEnded() || now > endsBy : isStopped && start === null) {
      break;
    }
    if (start === null && open.length === of && open.every(({ state }) => state?.phase === 'ready')) {
      start = redisNow() + LEAD_MILLISECONDS;
      await hash.instruct(START, `${start}`);
      endsBy = now + LEAD_MILLISECONDS + secondsOf(fleetLoad) * 1000 + timeout + GRACE_MILLISECONDS;
    }
    await pause(LOOK_MILLISECONDS);
  }
  return { states, start, losses, trip: breaker.trip() };
}

function secondsOf({ load }: Pick<DividedLoad, 'load'>): number {
  return load.model === 'open' ? totalSeconds(load.stages) : load.seconds;
}

/** What is wrong with a shard that has not ended well, or `null`. */
function problemOf(
  state: ShardState | undefined,
  isSilent: boolean,
  isLate: boolean,
  hasQueueEnded: boolean,
  hasStarted: boolean,
): string | null {
  if (state?.phase === 'failed') {
    return state.problem ?? 'failed';
  }
  if (isSilent) {
    return 'has not been heard from';
  }
  if (isLate) {
    return hasStarted ? 'did not end in time' : 'was not ready in time';
  }
  // A shard reports that it is done before the queue knows.
  return hasQueueEnded ? 'was given up by the queue' : null;
}

/** @param at Redis time of its last report */
export function describeLoss({
  state,
  shard,
  of,
  problem,
  start,
  at,
}: {
  readonly state: Pick<ShardState, 'worker'> | undefined;
  readonly shard: number;
  readonly of: number;
  readonly problem: string;
  readonly start: number | null;
  readonly at: number;
}): string {
  const who = state === undefined ? 'The worker that should have taken' : `Worker ${state.worker}, which had`;
  const share = `${nameShard({ shard, of })}, ${Math.round(100 / of)} % of the load,`;
  const when =
    start === null
      ? 'before the start'
      : `since ${Math.max(0, (at - start) / 1000).toFixed(1)} s after the start`;
  return `${who} ${share} ${problem} ${when}; none of its share is in these figures, so they are incomplete.`;
}
