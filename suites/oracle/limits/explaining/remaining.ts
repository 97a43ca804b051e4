import { rateLimitOf, type Exchange } from '../../exchange.ts';
import type { Accusation } from '../../history-monitor.ts';
import type { KeyLimits } from '../key-limits.ts';
import type { OperationCounts } from '../operation-counts.ts';
import { accusationOf, explainIf } from '../../accusation.ts';
import type { Explanation } from '../../../../contract/verdict.ts';
import type { Suspects } from './refusal.ts';

interface WrongRemaining {
  readonly window: 'minute' | 'day';
  readonly used: number;
  /** What was asked for. */
  readonly operation: string;
  /** The same with its spelling. */
  readonly form: string;
  /** How many can have been used, this one included. */
  readonly most: number;
  /** If requests of other keys may have moved it: whether they turned out not to. */
  readonly isApart: (() => boolean) | null;
  /** Whether just so many are used with those of other keys. */
  readonly isUsedByOthers: boolean;
}

/** X-RateLimit-Remaining of a granted request fits no permitted limiter. */
export function explainRemaining(
  key: KeyLimits,
  exchange: Exchange,
  wrong: WrongRemaining,
  operations: OperationCounts,
): Accusation {
  const { label, plan, lastUsed, grantedForms, connection, hasSeveralConnections, traffic } = key;
  const { window, used, most, operation, form, isApart, isUsedByOthers } = wrong;
  const { remaining, limit } = rateLimitOf(exchange) ?? { remaining: 0, limit: 0 };
  const message = `X-RateLimit-Remaining of ${label} is ${remaining} of ${limit} after an accepted ${operation}, which fits none of the requests that counted`;
  // Whatever is not counted leaves more to remain, not less.
  const isTooHigh = used <= most;
  const byOthers = explainIf(
    isApart !== null,
    'keys-independent-at-limit',
    `${message}, and was moved by requests of other keys.`,
    () => isApart?.() === true || operations.fellByMore(),
  );
  const why = whyOperation(key, wrong, operations);
  const ofOperation = explainIf(why !== null, 'remaining-counts-operations', `${message}: ${why}.`);
  // Whoever counts by connections counts on here.
  const standsStill =
    lastUsed?.window === window &&
    lastUsed.connection === exchange.response.connection &&
    used <= lastUsed.used;
  const isOfAnotherConnection =
    connection !== null && exchange.response.connection !== connection && !standsStill;
  const ofLimit = `${window}-limit-${plan}` as const;
  const byTime = explainByTime(key, wrong, message, operations);
  const falls: Explanation = {
    id: 'remaining-falls',
    message: `${message}.`,
    isRuledOut: operations.leavesOutForms,
  };
  // What came in between without being granted may have changed the count.
  const isDisturbed = lastUsed !== null && traffic.answered - lastUsed.answered > 1;
  const [first = falls] = [
    ...(isBegunAnew(key, wrong) && form === operation && !isOfAnotherConnection ? byTime : []),
    ...(isOfAnotherConnection || (isDisturbed && !isTooHigh) ? [] : ofOperation),
    ...(isUsedByOthers && !isTooHigh ? byOthers : []),
  ];
  const isAnotherForm = form !== operation || grantedForms.size > 1;
  return accusationOf(
    [exchange],
    first,
    falls,
    ...ofOperation,
    ...explainIf(
      isTooHigh,
      'limit-over-spellings',
      `${message}: it does not use up the limit.`,
      // An escape shows where nothing remains; and nobody knows of the first operation that is asked for whether others count.
      () =>
        (remaining > 0 && operations.countForms([form, ...grantedForms.keys()])) ||
        (!isAnotherForm && why !== COUNTED_APART && !operations.leftOut().includes(operation)),
    ),
    ...explainIf(
      isTooHigh && hasSeveralConnections && !standsStill,
      'limit-under-concurrency',
      `${message}: each connection may be counted by itself.`,
    ),
    ...byOthers,
    ...byTime,
    // Nothing is used after it was granted.
    ...explainIf(used === 0, ofLimit, `${message}: it did not count.`),
    ...explainIf(window === 'day', ofLimit, `${message}.`),
  );
}

// A count that falls back from less may have been wrong before.
const LEAST_USED = 3;

/** Whether no more is used than was sent since the answer before, which had told of more, and a request was refused since. */
function isBegunAnew(
  { lastUsed, traffic, otherwiseAt, grantedAt }: KeyLimits,
  { window, used, most }: Pick<WrongRemaining, 'window' | 'used' | 'most'>,
): boolean {
  return (
    otherwiseAt >= grantedAt &&
    used > 0 &&
    used <= most &&
    lastUsed?.window === window &&
    lastUsed.used >= LEAST_USED &&
    used < lastUsed.used &&
    used <= traffic.answered - lastUsed.answered + traffic.underWay
  );
}

/** A window began too early or too late, or gave back a part of what was used. */
function explainByTime(
  { plan, issuedAt, lastUsed, traffic }: KeyLimits,
  { window, used, most, operation }: WrongRemaining,
  message: string,
  { fellByMore, everCounted }: OperationCounts,
): readonly Explanation[] {
  if (used > most) {
    // No window came before that of its first answer.
    const isFirst = issuedAt !== undefined && lastUsed === null;
    const id = isFirst ? (`${window}-limit-${plan}` as const) : 'limit-renews';
    const why = isFirst ? `its first ${window} grants fewer` : `its ${window} began anew too late`;
    return explainIf(true, id, `${message}: ${why}.`, fellByMore);
  }
  // Of a minute that began since the answer before, no more is used than was sent since.
  if (lastUsed?.window !== window || used <= traffic.answered - lastUsed.answered + traffic.underWay) {
    return explainIf(true, 'limit-renews', `${message}: its ${window} began anew too early.`);
  }
  const why = `its ${window} gave back a part of what was used`;
  const isOfOperation = used === lastUsed.used && !everCounted(operation);
  return explainIf(used <= lastUsed.used && !isOfOperation, 'limit-renews', `${message}: ${why}.`);
}

const COUNTED_APART = 'the requests of each operation are counted by themselves';

/** How an operation that is not counted with the others explains it, or `null`. */
function whyOperation(
  { usedByOperation }: KeyLimits,
  { used, most, operation }: WrongRemaining,
  operations: OperationCounts,
): string | null {
  const isTooHigh = used <= most;
  const others = [...usedByOperation.keys()].filter((other) => other !== operation);
  const isCountedApart =
    isTooHigh &&
    others.length > 0 &&
    usedByOperation.get(operation) === used - 1 &&
    !operations.countedWithOthers(operation);
  if (isCountedApart) {
    return COUNTED_APART;
  }
  // One that was never seen before may count twice, and not for hundreds.
  const mayCountTwice = operations.isNew(operation) && used <= 2 * most;
  const isLeftOut =
    (isTooHigh || mayCountTwice) && others.some(operations.counts) && !operations.everCounted(operation);
  return isLeftOut ? 'other operations count' : null;
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
  const ofBan = explainIf(banned !== null, 'keys-independent-in-ban', messageOf(banned ?? ''));
  // One that may be banned, and does not show it, may be at its limit as well.
  const [first, ...others] = banned !== null && atLimit === null ? ofBan : [...ofBan, ofLimit];
  return accusationOf([exchange], first ?? ofLimit, ...others);
}
