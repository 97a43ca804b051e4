import { openConnectionPool } from './connection-pool.ts';
import { TIMEOUT, type LoadRequest } from './load-request.ts';
import { contentLengthOf } from './quick-headers.ts';
import type { LoadSession } from '../session.ts';

// A slow target is asked fewer times.
const ENOUGH_MILLISECONDS = 1_000;

/** Requests that it takes, at most. */
export const PROBES = 10;

/** What a target does with a connection, as the closed model has to know it. */
export interface ConnectionBehaviour {
  /** Whether it answers several requests over one connection. */
  readonly keepsAlive: boolean;
  /** Whether every response has a Content-Length. */
  readonly sendsContentLength: boolean;
}

/**
 * Sends a few requests, one after the other, and sees what becomes of the connection.
 * @param spend counts a request
 */
export async function probeConnection(
  { target }: Pick<LoadSession, 'target'>,
  requests: readonly LoadRequest[],
  spend: () => void,
): Promise<ConnectionBehaviour> {
  const connections = openConnectionPool(target, 1);
  const enoughAt = performance.now() + ENOUGH_MILLISECONDS;
  let answered = 0;
  let sendsContentLength = true;
  try {
    // A mix may be a single request; it takes several to see whether a connection is kept.
    for (let sent = 0; sent < PROBES; sent += 1) {
      const request = requests[sent % requests.length];
      if (request === undefined || (answered > 1 && performance.now() > enoughAt)) {
        break;
      }
      const { promise, resolve } = Promise.withResolvers<void>();
      const now = performance.now();
      spend();
      connections.send({
        request,
        dueAt: now,
        wantsBody: false,
        deadline: now + target.timeoutMilliseconds,
        onResponse: ({ rawHeaders }) => {
          answered += 1;
          sendsContentLength &&= contentLengthOf(rawHeaders) !== undefined;
          resolve();
        },
        onLoss: () => resolve(),
      });
      await promise;
    }
    return { keepsAlive: answered > 1 && connections.opened() === 1, sendsContentLength };
  } finally {
    await connections.destroy(TIMEOUT);
  }
}
