import { isAlone } from '../windows/counted-requests.ts';
import type { DescribedWindow, KeyLimits } from '../key-limits.ts';
import type { JudgedAnswer, JudgingContext } from './judging-context.ts';

// Somebody else hardly sends as many each time, between all of so many requests.
const ENOUGH_TIMES = 12;
const ALL_OPERATIONS = 'all operations';

// Less than lies between the ends of two windows, and than a sliding one keeps what it counts.
const SHORT_MILLISECONDS = 55_000;

/**
 * X-RateLimit-Remaining of a key that others may use falls by one, or by whatever they send in between: not by the same number
 * above one, time after time, with all requests, or with those of one operation while the others show that nobody else sends.
 * Nor does it leave out what was granted, but for the end of a window.
 */
export function judgeEvenFalls(
  key: KeyLimits,
  { exchange, overlap, limited }: JudgedAnswer,
  described: DescribedWindow,
  { accuse }: JudgingContext,
): void {
  const { evenFalls: falls } = key;
  const { last } = falls;
  const { sentAt, receivedAt } = exchange;
  falls.last = { described, answered: key.traffic.answered, receivedAt };
  if (
    last === null ||
    !isAlone(limited) ||
    last.answered !== overlap.sent.answered ||
    last.described.limit !== described.limit
  ) {
    falls.granted = { requests: isAlone(limited) ? 1 : 0, since: sentAt, leftOutSince: null };
    return;
  }
  if (leavesOut(falls, described, exchange)) {
    accuse({
      id: 'remaining-falls',
      message: `X-RateLimit-Remaining of ${key.label} is ${described.remaining} of ${described.limit}, and has twice within ${SHORT_MILLISECONDS / 1000} s left out what had been granted: no two windows end so soon one after the other.`,
      proof: [exchange],
    });
    return;
  }
  if (last.described.reset !== described.reset) {
    return;
  }
  const fall = last.described.remaining - described.remaining;
  const took = receivedAt - last.receivedAt;
  falls.quiet += fall === 1 ? took : 0;
  const { operation } = exchange.request;
  for (const scope of [ALL_OPERATIONS, operation ?? '']) {
    const before = falls.byOperation.get(scope);
    const isEven = before?.fall === fall;
    const even = { fall, times: (isEven ? before.times : 0) + 1, took: (isEven ? before.took : 0) + took };
    falls.byOperation.set(scope, even);
    if (
      fall > 1 &&
      even.times === ENOUGH_TIMES &&
      (scope === ALL_OPERATIONS || falls.quiet >= even.took / 2)
    ) {
      const requests = scope === ALL_OPERATIONS ? 'requests in a row' : `requests of ${scope}`;
      accuse({
        id: 'remaining-falls',
        message: `X-RateLimit-Remaining of ${key.label} fell by ${fall} with each of ${even.times} ${requests}, down to ${described.remaining} of ${described.limit}.`,
        proof: [exchange],
      });
      return;
    }
  }
}

/** Takes one more granted request of those in a row. @returns whether two windows would have to have ended too soon */
function leavesOut(
  falls: KeyLimits['evenFalls'],
  { limit, remaining }: DescribedWindow,
  { sentAt, receivedAt }: JudgedAnswer['exchange'],
): boolean {
  const { requests, since, leftOutSince } = falls.granted;
  if (limit - remaining > requests) {
    falls.granted = { ...falls.granted, requests: requests + 1 };
    return false;
  }
  // Headers may describe a window that began after the request was counted.
  falls.granted = { requests: limit === remaining ? 0 : 1, since: sentAt, leftOutSince: since };
  return leftOutSince !== null && receivedAt - leftOutSince < SHORT_MILLISECONDS;
}
