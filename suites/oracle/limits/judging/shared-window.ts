import { DAY_SECONDS, MINUTE_SECONDS } from '../../../../contract/plans.ts';
import { explainExcess } from '../explaining/grant.ts';
import type { DescribedWindow, KeyLimits } from '../key-limits.ts';
import { isGranted } from '../key-traffic.ts';
import { MARGIN_MILLISECONDS } from '../margin.ts';
import type { JudgedAnswer, JudgingContext } from './judging-context.ts';

/**
 * Judges whether a window granted more than its limit, and forgets it then.
 * @returns how many it granted for certain, with this one; 0 if that is not known, or was too many
 */
export function judgeSharedWindow(
  key: KeyLimits,
  answer: JudgedAnswer,
  described: DescribedWindow,
  judging: JudgingContext,
): number {
  const least = followSharedWindow(key, answer, described);
  if (least <= described.limit) {
    return least;
  }
  const { window } = described;
  judging.accuse(explainExcess(key, window, answer, judging));
  key.sharedWindow = null;
  key[window].forget(answer.exchange.receivedAt);
  return 0;
}

/**
 * As long as answers name one and the same moment of reset, no window ended between them, and within its length no permitted
 * window forgets what it granted, whatever others do with the key.
 */
function followSharedWindow(
  key: KeyLimits,
  { exchange }: Pick<JudgedAnswer, 'exchange'>,
  { window, limit, remaining, reset }: DescribedWindow,
): number {
  const { sentAt, receivedAt } = exchange;
  const { sharedWindow: shared } = key;
  if (shared?.window !== window || shared.reset !== reset) {
    // While its headers were made, the first of a window may still have counted in the one before.
    const granted = isGranted(exchange) && remaining < limit ? 1 : 0;
    key.sharedWindow = { window, reset, sentAt, receivedAt, granted };
    return 0;
  }
  shared.granted += isGranted(exchange) && sentAt > shared.receivedAt ? 1 : 0;
  // What names the present moment, or one that is so far away, names another one soon.
  const isFixed = sentAt - shared.receivedAt > MARGIN_MILLISECONDS;
  const length = (window === 'minute' ? MINUTE_SECONDS : DAY_SECONDS) * 1000;
  return isFixed && receivedAt - shared.sentAt < length - MARGIN_MILLISECONDS ? shared.granted : 0;
}
