import { DAY_SECONDS, MINUTE_SECONDS } from '../../../../contract/plans.ts';
import type { DescribedWindow, KeyLimits } from '../key-limits.ts';
import { isGranted } from '../key-traffic.ts';
import { MARGIN_MILLISECONDS } from '../margin.ts';
import type { JudgedAnswer } from './judging-context.ts';

/**
 * As long as answers name one and the same moment of reset, no window ended between them, and within its length no permitted
 * window forgets what it granted, whatever others do with the key.
 * @returns how many it granted for certain, with this one; 0 if that is not known
 */
export function followSharedWindow(
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
