import { runLoops } from './closed-model.ts';
import type { ConnectionBehaviour, LoadRequest } from './load-request.ts';
import { contentLengthOf } from './quick-headers.ts';
import type { LoadSession } from '../session.ts';

// A slow target is asked fewer times.
const ENOUGH_MILLISECONDS = 1_000;
// So slow no target is that is loaded.
const LONGEST_SECONDS = 3_600;

/** Requests that it takes, at most. */
export const PROBES = 10;

/**
 * Sends a few requests, one after the other, and sees what becomes of the connection.
 * @param spend counts a request
 */
export async function probeConnection(
  { target }: Pick<LoadSession, 'target'>,
  requests: readonly LoadRequest[],
  spend: () => void,
): Promise<ConnectionBehaviour> {
  const enoughAt = performance.now() + ENOUGH_MILLISECONDS;
  let sent = 0;
  let answered = 0;
  let sendsContentLength = true;
  // A mix may be a single request; it takes several to see whether a connection is kept.
  const next = (): LoadRequest | null => {
    if (sent === PROBES || (answered > 1 && performance.now() > enoughAt)) {
      return null;
    }
    sent += 1;
    return requests[(sent - 1) % requests.length] ?? null;
  };
  const { connectionsOpened } = await runLoops(
    target,
    { connections: 1, seconds: LONGEST_SECONDS, maxRate: Number.POSITIVE_INFINITY, nextOf: () => next },
    {
      onDue: () => spend(),
      onLeaving: () => 0,
      onSent: () => {},
      onResponse: ({ rawHeaders }) => {
        answered += 1;
        sendsContentLength &&= contentLengthOf(rawHeaders) !== undefined;
      },
      onLoss: () => {},
      wantsBody: () => false,
    },
    new AbortController().signal,
  );
  return { keepsAlive: answered > 1 && connectionsOpened === 1, sendsContentLength };
}
