import type { LoggedEvent, LoggedRequest } from './trail-log.ts';
import { SHORTEST_WAIT_MILLISECONDS } from './trail-waits.ts';

/**
 * Requests that overlap are together; so are those that follow one another without a pause, for a short time: a long row
 * is kept in pieces, so that it takes no less time when it is sent again.
 */
export function batchesOf(
  events: readonly LoggedEvent[],
  beginsAnew: (event: LoggedEvent) => boolean,
): readonly (readonly LoggedEvent[])[] {
  const batches: LoggedEvent[][] = [];
  let until = Number.NEGATIVE_INFINITY;
  let last: LoggedEvent | undefined;
  let overlaps = false;
  for (const [index, event] of events.entries()) {
    const batch = batches.at(-1);
    const follower = events[index + 1];
    const isSend = event.do === 'send';
    const isAmongOthers = isSend && event.at < until;
    const begins = isSend && follower?.do === 'send' && follower.at < (event.endedAt ?? Infinity);
    const joins =
      isSend &&
      last?.do === 'send' &&
      (isAmongOthers
        ? overlaps
        : !overlaps &&
          !begins &&
          !beginsAnew(event) &&
          event.at - (batch?.[0]?.at ?? until) < SHORTEST_WAIT_MILLISECONDS);
    if (joins && batch !== undefined) {
      batch.push(event);
    } else {
      batches.push([event]);
      overlaps = begins;
    }
    if (isSend) {
      until = isAmongOthers ? Math.max(until, event.endedAt ?? event.at) : (event.endedAt ?? Infinity);
    }
    last = event;
  }
  return batches;
}

/** Whether some of them were under way together. */
export function isAtOnce(requests: readonly LoggedRequest[]): boolean {
  return requests.some(({ at }, index) => index > 0 && at < (requests[index - 1]?.endedAt ?? Infinity));
}

// Of more than that it matters only how many were granted.
const MOST_IN_ORDER = 20;

/** Whether a limit let some of a few through, most likely those that came first. */
export function isContest(requests: readonly LoggedRequest[]): boolean {
  return requests.length <= MOST_IN_ORDER && requests.some(({ response }) => response?.status === 429);
}
