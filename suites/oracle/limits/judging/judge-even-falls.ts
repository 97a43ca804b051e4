import { isAlone } from '../windows/counted-requests.ts';
import type { DescribedWindow, KeyLimits } from '../key-limits.ts';
import type { JudgedAnswer, JudgingContext } from './judging-context.ts';

// Somebody else hardly sends as many each time, between all of so many requests in a row.
const ENOUGH_TIMES = 12;

/**
 * X-RateLimit-Remaining of a key that others may use falls by one, or by whatever they send in between: not by the same number
 * above one, time after time.
 */
export function judgeEvenFalls(
  key: KeyLimits,
  { exchange, overlap, limited }: JudgedAnswer,
  described: DescribedWindow,
  { accuse }: JudgingContext,
): void {
  const { evenFalls: before } = key;
  const { answered } = key.traffic;
  const isNext =
    before !== null &&
    isAlone(limited) &&
    before.answered === overlap.sent.answered &&
    before.described.limit === described.limit &&
    before.described.reset === described.reset;
  const fall = isNext ? before.described.remaining - described.remaining : 0;
  const times = isNext && fall === before.fall ? before.times + 1 : 1;
  key.evenFalls = { described, answered, fall, times };
  if (fall > 1 && times === ENOUGH_TIMES) {
    accuse({
      id: 'remaining-falls',
      message: `X-RateLimit-Remaining of ${key.label} fell by ${fall} with each of ${times} requests in a row, down to ${described.remaining} of ${described.limit}.`,
      proof: [exchange],
    });
  }
}
