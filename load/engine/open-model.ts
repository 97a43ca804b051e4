import { setTimeout as pause } from 'node:timers/promises';

import { totalSeconds } from './arrivals.ts';
import { openConnectionPool } from './connection-pool.ts';
import { dueRequests, type LoadPart, type OpenLoad, countFor } from './load-model.ts';
import {
  INTERRUPTED,
  SPARED,
  TIMEOUT,
  type EngineEnd,
  type LoadListener,
  type LoadRequest,
  type LoadTarget,
} from './load-request.ts';
import { startPreciseTimer } from './precise-timer.ts';

// The timer is set to this much before a request is due; the rest passes from one turn of the event loop to the next.
const LEAD_MILLISECONDS = 0.1;
// Until the precise timer is ready, one of Node has to do, which may fire this much late.
const NODE_LEAD_MILLISECONDS = 1;
/** What is under way after an interruption gets this long. */
export const GRACE_MILLISECONDS = 1_000;

/**
 * Sends by an absolute schedule: each request is due at its own moment after the start, so that a late one does not
 * delay the next, and response time counts from when it was due.
 */
export async function runOpenModel(
  target: LoadTarget,
  { load, share, startsAt }: LoadPart<OpenLoad>,
  listener: LoadListener,
  signal: AbortSignal,
): Promise<EngineEnd> {
  const { graceMilliseconds = GRACE_MILLISECONDS } = load;
  const connections = openConnectionPool(target, countFor(load.connections, share));
  const precise = startPreciseTimer();
  const schedule = dueRequests(load, share);
  const { promise: scheduled, resolve: finishSchedule } = Promise.withResolvers<void>();
  let next = schedule.next();
  let timer: NodeJS.Timeout | undefined;
  let immediate: NodeJS.Immediate | undefined;

  function issue(request: LoadRequest, dueAt: number, now: number): void {
    listener.onDue(dueAt, now - dueAt);
    connections.send({
      request,
      dueAt,
      wantsBody: listener.wantsBody(),
      deadline: dueAt + target.timeoutMilliseconds,
      listener,
    });
  }

  function turn(): void {
    if (signal.aborted) {
      return;
    }
    let now = performance.now();
    // A generator that catches up sends many in one turn, and any of them may be the last that is allowed.
    while (!signal.aborted && next.done !== true && startsAt + next.value[0] <= now) {
      issue(next.value[1], startsAt + next.value[0], now);
      next = schedule.next();
      now = performance.now();
    }
    if (next.done === true) {
      finishSchedule();
      return;
    }
    const dueAt = startsAt + next.value[0];
    const wait = dueAt - now;
    if (precise.isReady() && wait > 2 * LEAD_MILLISECONDS) {
      precise.set(dueAt - LEAD_MILLISECONDS, turn);
    } else if (wait > NODE_LEAD_MILLISECONDS + 1) {
      timer = setTimeout(turn, Math.floor(wait - NODE_LEAD_MILLISECONDS));
    } else {
      immediate = setImmediate(turn);
    }
  }

  let endedAt: number | undefined;
  const onAbort = (): void => {
    endedAt = performance.now();
    if (signal.reason === SPARED) {
      connections.dropWaiting(SPARED);
    }
    finishSchedule();
  };
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    turn();
    await (signal.aborted ? undefined : scheduled);
    await outlast(() => connections.outstanding() > 0, target.timeoutMilliseconds, graceMilliseconds, signal);
  } finally {
    signal.removeEventListener('abort', onAbort);
    clearTimeout(timer);
    clearImmediate(immediate);
    await precise.close();
    // What is still under way without an interruption was due longer ago than a response may take.
    await connections.destroy(signal.aborted ? INTERRUPTED : TIMEOUT);
  }
  return {
    connectionsOpened: connections.opened(),
    endedAt: Math.min(endedAt ?? Number.POSITIVE_INFINITY, startsAt + totalSeconds(load.stages) * 1000),
    invalid: [],
  };
}

/** Waits while something goes on, for that long at most; after an interruption only for the grace period. */
async function outlast(
  goesOn: () => boolean,
  milliseconds: number,
  grace: number,
  signal: AbortSignal,
): Promise<void> {
  let until = performance.now() + milliseconds;
  let endsAt: number | undefined;
  while (goesOn() && performance.now() < until) {
    if (signal.aborted) {
      endsAt ??= performance.now() + grace;
      until = Math.min(until, endsAt);
    }
    await pause(5);
  }
}
