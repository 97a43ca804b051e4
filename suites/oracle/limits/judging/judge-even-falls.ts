import { isAlone } from '../windows/counted-requests.ts';
import type { DescribedWindow, KeyLimits } from '../key-limits.ts';
import type { JudgedAnswer, JudgingContext } from './judging-context.ts';

// Somebody else hardly sends as many each time, between all of so many requests.
const ENOUGH_TIMES = 12;
const ALL_OPERATIONS = 'all operations';

/**
 * X-RateLimit-Remaining of a key that others may use falls by one, or by whatever they send in between: not by the same number
 * above one, time after time, with all requests, or with those of one operation while the others show that nobody else sends.
 */
export function judgeEvenFalls(
  key: KeyLimits,
  { exchange, overlap, limited }: JudgedAnswer,
  described: DescribedWindow,
  { accuse }: JudgingContext,
): void {
  const { evenFalls: falls } = key;
  const { last } = falls;
  const { receivedAt } = exchange;
  falls.last = { described, answered: key.traffic.answered, receivedAt };
  if (
    last === null ||
    !isAlone(limited) ||
    last.answered !== overlap.sent.answered ||
    last.described.limit !== described.limit ||
    last.described.reset !== described.reset
  ) {
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
