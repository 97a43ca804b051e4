import { setTimeout as pause } from 'node:timers/promises';

import autocannon from 'autocannon';
import { openConnectionPool } from './connection-pool.ts';
import { type CyclicLoad, cycleOf, type LoadPart, type MadeLoad, paceOfPart } from './load-model.ts';
import {
  INTERRUPTED,
  isOwnCause,
  type EngineEnd,
  type LoadListener,
  type LoadRequest,
  type LoadTarget,
} from './load-request.ts';
import { GRACE_MILLISECONDS } from './open-model.ts';
import { trackClient } from './track-client.ts';

/** Autocannon cannot bound its rate, but it cannot reach this one either. */
export const OUT_OF_REACH = 60_000;
const LEAST_TIMEOUT_MILLISECONDS = 1_000;

/** Runs the closed model: autocannon, or plain loops if the target closes connections or the rate is bounded. */
export function runClosedModel(
  target: LoadTarget,
  part: LoadPart<CyclicLoad | MadeLoad>,
  listener: LoadListener,
  signal: AbortSignal,
): Promise<EngineEnd> {
  const { load, share } = part;
  const { seconds } = load;
  const pace = paceOfPart(part);
  const { connections } = pace;
  if (load.source === 'made') {
    return runLoops(target, { ...pace, seconds, nextOf: () => load.next }, listener, signal);
  }
  const requests = (connection: number): readonly LoadRequest[] => cycleOf(load, share, connection);
  // Autocannon sends the same bytes again and again, and waits for an answer for a second at least.
  const canRepeat = pace.maxRate >= OUT_OF_REACH && target.timeoutMilliseconds >= LEAST_TIMEOUT_MILLISECONDS;
  if (load.behaviour.keepsAlive && canRepeat) {
    const runCycles = load.behaviour.sendsContentLength ? runAutocannon : runSampled;
    return runCycles(target, { connections, seconds, requests }, listener, signal);
  }
  const nextOf = (connection: number) => inTurn(requests(connection));
  return runLoops(target, { ...pace, seconds, nextOf }, listener, signal);
}

interface Loops {
  readonly connections: number;
  readonly seconds: number;
  /** Requests a second from the start on, all loops together, that are never exceeded. */
  readonly maxRate: number;
  /** Moment of `performance.now()` before which nothing is sent. */
  readonly firstSlotAt?: number;
  /** What the n-th loop asks for its next request; `null` ends it. */
  readonly nextOf: (connection: number) => () => LoadRequest | null;
}

/** One loop for each connection; a lost answer ends the loop's turn, not the loop. */
export async function runLoops(
  target: LoadTarget,
  { connections: count, seconds, maxRate, firstSlotAt, nextOf }: Loops,
  listener: LoadListener,
  signal: AbortSignal,
): Promise<EngineEnd> {
  const connections = openConnectionPool(target, count);
  const beganAt = performance.now();
  const endsAt = beganAt + seconds * 1000;
  const paced = paceOf(maxRate, firstSlotAt);
  const once = (request: LoadRequest): Promise<void> => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const dueAt = performance.now();
    // Counted before it leaves, so that never more are sent than were announced.
    listener.onDue(dueAt, 0);
    connections.send({
      request,
      dueAt,
      wantsBody: listener.wantsBody(),
      deadline: endsAt + target.timeoutMilliseconds,
      listener,
      onEnd: resolve,
    });
    return promise;
  };
  const loop = async (connection: number): Promise<void> => {
    const next = nextOf(connection);
    while ((await paced.slot(endsAt)) && !signal.aborted) {
      const request = next();
      if (request === null) {
        return;
      }
      await once(request);
    }
  };
  let grace: NodeJS.Timeout | undefined;
  const onAbort = (): void => {
    grace = setTimeout(() => void connections.destroy(INTERRUPTED), GRACE_MILLISECONDS);
  };
  signal.addEventListener('abort', onAbort, { once: true });
  let endedAt = 0;
  try {
    await Promise.all(Array.from({ length: count }, (_, connection) => loop(connection)));
  } finally {
    endedAt = Math.max(performance.now(), signal.aborted ? 0 : endsAt);
    signal.removeEventListener('abort', onAbort);
    clearTimeout(grace);
    await connections.destroy(INTERRUPTED);
  }
  const waitedShare = paced.waited() / (count * (endedAt - beganAt));
  return { connectionsOpened: connections.opened(), endedAt, invalid: [], waitedShare };
}

interface Cycles {
  readonly connections: number;
  readonly seconds: number;
  readonly requests: (connection: number) => readonly LoadRequest[];
}

/** Autocannon, and one connection beside it that keeps bodies: without a length nobody knows where one begins. */
async function runSampled(
  target: LoadTarget,
  cycles: Cycles,
  listener: LoadListener,
  signal: AbortSignal,
): Promise<EngineEnd> {
  const { connections, seconds, requests } = cycles;
  if (connections === 1) {
    return runAutocannon(target, cycles, listener, signal);
  }
  const over = new AbortController();
  const sampled = runLoops(
    target,
    {
      connections: 1,
      seconds,
      maxRate: Number.POSITIVE_INFINITY,
      nextOf: () => inTurn(requests(connections - 1)),
    },
    listener,
    AbortSignal.any([signal, over.signal]),
  );
  try {
    const end = await runAutocannon(target, { ...cycles, connections: connections - 1 }, listener, signal);
    if (end.closesConnections === true) {
      over.abort();
    }
    const { connectionsOpened } = await sampled;
    return { ...end, connectionsOpened: end.connectionsOpened + connectionsOpened };
  } finally {
    over.abort();
    await sampled;
  }
}

// How often it looks whether it should end.
const SAMPLE_MILLISECONDS = 100;

async function runAutocannon(
  target: LoadTarget,
  { connections, seconds, requests }: Cycles,
  listener: LoadListener,
  signal: AbortSignal,
): Promise<EngineEnd> {
  const { origin, timeoutMilliseconds } = target;
  let opened = 0;
  const lost: string[] = [];
  let closes = false;
  let endedAt = Number.POSITIVE_INFINITY;
  const isOver = (): boolean => endedAt !== Number.POSITIVE_INFINITY;
  const end = (): void => {
    endedAt = Math.min(endedAt, performance.now());
  };
  const open: ((cause: string) => void)[] = [];
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const setupClient = (client: autocannon.Client): void => {
    const cycle = requests(opened);
    opened += 1;
    client.setRequests(cycle.map((request) => autocannonRequest(target, request)));
    const giveUp = trackClient(client, cycle, listener, {
      timeoutMilliseconds,
      isOver,
      onLost: (cause) => {
        lost.push(...(isOver() ? [] : [cause]));
      },
      onClosing: () => {
        if (!isOver()) {
          closes = true;
          instance.stop?.();
        }
      },
    });
    open.push(giveUp);
  };
  const instance = autocannon(
    {
      url: origin,
      connections,
      // It ends when all that was sent is answered or given up.
      duration: seconds + (2 * timeoutMilliseconds) / 1000,
      timeout: timeoutMilliseconds / 1000,
      sampleInt: SAMPLE_MILLISECONDS,
      excludeErrorStats: true,
      setupClient,
    },
    (error: unknown) => (error === null || error === undefined ? resolve() : reject(error)),
  );
  const timer = setTimeout(end, seconds * 1000);
  let grace: NodeJS.Timeout | undefined;
  const onAbort = (): void => {
    end();
    grace = setTimeout(() => instance.stop?.(), GRACE_MILLISECONDS);
  };
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) {
    onAbort();
  }
  try {
    await promise;
  } finally {
    clearTimeout(timer);
    clearTimeout(grace);
    signal.removeEventListener('abort', onAbort);
  }
  end();
  if (signal.aborted) {
    open.forEach((giveUp) => giveUp(INTERRUPTED));
  }
  return {
    connectionsOpened: opened,
    endedAt,
    invalid: problemOf(lost),
    ...(closes || lost.some((cause) => !isOwnCause(cause)) ? { closesConnections: true } : {}),
  };
}

function problemOf(lost: readonly string[]): readonly string[] {
  const causes = [...new Set(lost)].join(', ');
  return lost.length === 0
    ? []
    : [
        `${lost.length === 1 ? 'A connection was' : `${lost.length} connections were`} lost (${causes}) and ${lost.every(isOwnCause) ? 'this machine had no room for others' : 'not opened again'}, so fewer connections than announced sent the load.`,
      ];
}

function autocannonRequest(
  { basePath, headers }: LoadTarget,
  { message, authorization }: LoadRequest,
): autocannon.Request {
  return {
    method: methodOf(message.method),
    path: basePath + message.path,
    headers: Object.fromEntries([
      ...authorization.map((value) => ['Authorization', value] as const),
      ...message.headers,
      ...headers,
    ]),
    ...(message.body === null ? {} : { body: Buffer.from(message.body) }),
  };
}

const METHODS = ['GET', 'PATCH', 'POST', 'PUT', 'DELETE', 'HEAD', 'OPTIONS'] as const;

function methodOf(method: string): (typeof METHODS)[number] {
  const found = METHODS.find((known) => known === method);
  if (found === undefined) {
    throw new Error(`The closed model cannot send ${method}`);
  }
  return found;
}

function inTurn(requests: readonly LoadRequest[]): () => LoadRequest | null {
  let index = 0;
  return () => {
    index += 1;
    return requests[(index - 1) % requests.length] ?? null;
  };
}

// A timer cannot wait for less.
const LEAST_WAIT_MILLISECONDS = 1;
// More than a late timer or a busy machine takes, and too little for a burst that harms.
const MOST_ARREARS_MILLISECONDS = 100;

export type Pace = ReturnType<typeof paceOf>;

/**
 * Keeps many senders together below a rate, counted from the start: each waits for its own slot before it sends, and
 * slots that nobody was there to take are made up for.
 * @param rate requests a second
 * @param firstSlotAt moment of `performance.now()`; at once by default
 */
export function paceOf(rate: number, firstSlotAt = Number.NEGATIVE_INFINITY) {
  const interval = 1000 / rate;
  let free = Math.max(firstSlotAt, performance.now());
  let waited = 0;
  /** Waits for the next slot; `false` at once if that is after `until`, a moment of `performance.now()`. */
  const slot = async (until: number): Promise<boolean> => {
    const now = performance.now();
    const next = Math.max(free, now - MOST_ARREARS_MILLISECONDS);
    if (next >= until) {
      return false;
    }
    free = next + interval;
    if (next - now >= LEAST_WAIT_MILLISECONDS) {
      waited += next - now;
      await pause(Math.ceil(next - now));
    }
    return true;
  };
  return {
    slot,
    /** Milliseconds that all senders together have waited. */
    waited: (): number => waited,
  };
}
