import { openConnections } from './connections.ts';
import { TIMEOUT, type LoadRequest } from './load-request.ts';
import { headerCache } from './open-model.ts';
import type { Session } from './session.ts';

const PROBES = 3;

/** Whether the target answers several requests over one connection. */
export async function keepsConnections(
  { target }: Session,
  requests: readonly LoadRequest[],
): Promise<boolean> {
  const connections = openConnections(target, 1);
  const headersOf = headerCache(target);
  let answered = 0;
  try {
    for (const request of requests.slice(0, PROBES)) {
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
