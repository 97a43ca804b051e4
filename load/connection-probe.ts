import { openConnections } from './connections.ts';
import { TIMEOUT, type LoadRequest } from './load-request.ts';
import { headerCache } from './open-model.ts';
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
  const headersOf = headerCache(target);
  const enoughAt = performance.now() + ENOUGH_MILLISECONDS;
  let answered = 0;
  try {
    for (const request of requests.slice(0, PROBES)) {
      if (answered > 1 && performance.now() > enoughAt) {
        break;
      }
      const { promise, resolve } = Promise.withResolvers<void>();
      connections.send({
        method: request.message.method,
        path: target.basePath + request.message.path,
        headers: headersOf(request),
        body: request.message.body,
        wantsBody: false,
        deadline: performance.now() + target.timeoutMilliseconds,
        onSent: () => {},
        onResponse: () => {
          answered += 1;
          resolve();
        },
        onLost: () => resolve(),
        onUnsent: () => resolve(),
      });
      await promise;
    }
    return answered > 1 && connections.opened() === 1;
  } finally {
    await connections.destroy(TIMEOUT);
  }
}
