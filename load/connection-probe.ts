import { openConnections } from './connections.ts';
import { TIMEOUT, type LoadRequest } from './load-request.ts';
import type { Session } from './session.ts';

// A slow target is asked fewer times.
const ENOUGH_MILLISECONDS = 1_000;

/** Requests that it takes, at most. */
export const PROBES = 10;

/** Whether the target answers several requests over one connection. */
export async function keepsConnections(
  { target }: Session,
  requests: readonly LoadRequest[],
): Promise<boolean> {
  const connections = openConnections(target, 1);
  const enoughAt = performance.now() + ENOUGH_MILLISECONDS;
  let answered = 0;
  try {
    for (const request of requests.slice(0, PROBES)) {
      if (answered > 1 && performance.now() > enoughAt) {
        break;
      }
      const { promise, resolve } = Promise.withResolvers<void>();
      const now = performance.now();
      connections.send({
        request,
        dueAt: now,
        wantsBody: false,
        deadline: now + target.timeoutMilliseconds,
        onResponse: () => {
          answered += 1;
          resolve();
        },
        onLoss: () => resolve(),
      });
      await promise;
    }
    return answered > 1 && connections.opened() === 1;
  } finally {
    await connections.destroy(TIMEOUT);
  }
}
