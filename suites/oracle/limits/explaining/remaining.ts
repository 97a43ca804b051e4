import { rateLimitOf, type Exchange } from '../../exchange.ts';
import type { Accusation } from '../../history-monitor.ts';
import type { Explanation } from '../../../../contract/verdict.ts';
import type { KeyLimits } from '../key-limits.ts';
import type { OperationCounts } from '../operation-counts.ts';
import { accusationOf } from '../../accusation.ts';
import type { Suspects } from './refusal.ts';

interface WrongRemaining {
  readonly window: 'minute' | 'day';
  readonly used: number;
  /** What was asked for, and in which spelling. */
  readonly form: string;
  /** How many can have been used, this one included. */
  readonly most: number;
  /** If requests of other keys may have moved it: whether they turned out not to. */
  readonly isApart: (() => boolean) | null;
}

/** X-RateLimit-Remaining of a granted request fits no permitted limiter. */
export function explainRemaining(
  { label, plan, usedByOperation, grantedForms }: KeyLimits,
  exchange: Exchange,
  { window, used, most, form, isApart }: WrongRemaining,
  operations: OperationCounts,
): Accusation {
  const operation = exchange.request.operation ?? '';
  const { remaining, limit } = rateLimitOf(exchange) ?? { remaining: 0, limit: 0 };
  const message = `X-RateLimit-Remaining of ${label} is ${remaining} of ${limit} after an accepted ${operation}, which fits none of the requests that counted`;
  // Whatever is not counted leaves more to remain, not less.
  const isTooHigh = used <= most;
  const others = [...usedByOperation.keys()].filter((other) => other !== operation);
  const isCountedApart =
    isTooHigh &&
    others.length > 0 &&
    usedByOperation.get(operation) === used - 1 &&
    !operations.countedWithOthers(operation);
  const isLeftOut =
    (isTooHigh || operations.isNew(operation)) &&
    others.some(operations.counts) &&
    !operations.everCounted(operation);
  const why = isCountedApart
    ? 'the requests of each operation are counted by themselves'
    : 'other operations count';
  const falls = { id: 'remaining-falls', message: `${message}.` } as const;
  const first =
    isCountedApart || isLeftOut
      ? ({ id: 'remaining-counts-operations', message: `${message}: ${why}.` } as const)
      : falls;
  const byOthers = {
    id: 'keys-independent-at-limit',
    message: `${message}, and was moved by requests of other keys.`,
  } as const;
  const byTime = {
    id: 'limit-renews',
    message: `${message}: its ${window} began anew too ${isTooHigh ? 'early' : 'late'}.`,
  } as const;
  const isAnotherForm = form !== operation || grantedForms.size > 1;
  // Nobody knows of the first operation that is asked for whether others count.
  const leftOut = {
    id: 'limit-over-spellings',
    message: `${message}: it does not use up the limit.`,
    isRuledOut: () => !isAnotherForm && !isCountedApart && !operations.leftOut().includes(operation),
  } as const;
  const atOnce = {
    id: 'limit-under-concurrency',
    message: `${message}: each connection may be counted by itself.`,
  } as const;
  return accusationOf(
    [exchange],
    first,
    falls,
    ...(isTooHigh ? [leftOut] : []),
    ...(isTooHigh ? [atOnce] : []),
    ...(isApart === null ? [] : [{ ...byOthers, isRuledOut: isApart }]),
    byTime,
    // Nothing is used after it was granted.
    ...(used === 0
      ? [{ id: `${window}-limit-${plan}`, message: `${message}: it did not count.` } as const]
      : []),
    ...(window === 'day' ? [{ id: `day-limit-${plan}`, message: byTime.message } as const] : []),
  );
}

/** X-RateLimit-Remaining goes wrong only when other keys are used in between. */
export function explainIntrusion(
  { label }: KeyLimits,
  exchange: Exchange,
  { atLimit, banned }: Pick<Suspects, 'atLimit' | 'banned'>,
): Accusation {
  const { remaining, limit } = rateLimitOf(exchange) ?? { remaining: 0, limit: 0 };
  const messageOf = (other: string): string =>
    `X-RateLimit-Remaining of ${label} is ${remaining} of ${limit} after requests of ${other}, which moved it.`;
  const ofLimit = {
    id: 'keys-independent-at-limit',
    message: messageOf(atLimit ?? 'another key'),
  } as const;
  const ofBan: readonly Explanation[] =
    banned === null ? [] : [{ id: 'keys-independent-in-ban', message: messageOf(banned) }];
  // One that may be banned, and does not show it, may be at its limit as well.
  const [first, ...others] = banned !== null && atLimit === null ? ofBan : [...ofBan, ofLimit];
  return accusationOf([exchange], first ?? ofLimit, ...others);
}

/** A key was refused when its limit was reached, and told that something remains. */
export function explainRemainingOfRefusal(
  { label }: KeyLimits,
  exchange: Exchange,
  remaining: number,
): Accusation {
  return accusationOf([exchange], {
    id: 'remaining-falls',
    message: `${label} was answered 429 when its limit was reached, and X-RateLimit-Remaining is ${remaining}.`,
  });
}
