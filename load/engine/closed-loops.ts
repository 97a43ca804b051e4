import { openConnectionPool } from './connection-pool.ts';
import {
  INTERRUPTED,
  type EngineEnd,
  type LoadListener,
  type LoadRequest,
  type LoadTarget,
} from './load-request.ts';
import { GRACE_MILLISECONDS } from './open-model.ts';
import { paceOf } from './pace.ts';

export interface Loops {
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
      onLeaving: listener.onLeaving,
      onResponse: (response) => {
        listener.onSent(response.sentAt);
        listener.onResponse(response);
        resolve();
      },
      onLoss: (loss) => {
        listener.onLoss(loss);
        resolve();
      },
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
    endedAt = performance.now();
    signal.removeEventListener('abort', onAbort);
    clearTimeout(grace);
    await connections.destroy(INTERRUPTED);
  }
  const waitedShare = paced.waited() / (count * (endedAt - beganAt));
  return { connectionsOpened: connections.opened(), endedAt, invalid: [], waitedShare };
}
