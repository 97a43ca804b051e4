import { openConnectionPool } from './connection-pool.ts';
import { type CyclicLoad, cycleOf, type LoadPart, type MadeLoad, paceOfPart } from './load-model.ts';
import {
  INTERRUPTED,
  type EngineEnd,
  type LoadListener,
  type LoadRequest,
  type LoadTarget,
} from './load-request.ts';
import { GRACE_MILLISECONDS } from './open-model.ts';
import { paceOf } from './pace.ts';

/** Runs the closed model: one loop for each connection; a lost answer ends the loop's turn, not the loop. */
export async function runClosedModel(
  target: LoadTarget,
  part: LoadPart<CyclicLoad | MadeLoad>,
  listener: LoadListener,
  signal: AbortSignal,
): Promise<EngineEnd> {
  const { connections: count, maxRate, firstSlotAt } = paceOfPart(part);
  const connections = openConnectionPool(target, count);
  const beganAt = performance.now();
  const endsAt = beganAt + part.load.seconds * 1000;
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
    const next = nextOf(part, connection);
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
  return { connectionsOpened: connections.opened(), endedAt, waitedShare };
}

/** What a loop asks for its next request; `null` ends it. */
function nextOf(
  { load, share }: LoadPart<CyclicLoad | MadeLoad>,
  connection: number,
): () => LoadRequest | null {
  if (load.source === 'made') {
    return load.next;
  }
  const requests = cycleOf(load, share, connection);
  let index = 0;
  return () => {
    index += 1;
    return requests[(index - 1) % requests.length] ?? null;
  };
}
