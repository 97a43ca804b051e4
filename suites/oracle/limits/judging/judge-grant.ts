import type { Exchange } from '../../exchange.ts';
import type { HistoryContext } from '../../history-monitor.ts';
import { blameGrant, type Manner } from '../blame.ts';
import type { Bursts } from '../bursts.ts';
import type { KeyLimits } from '../key-limits.ts';
import type { RoomSpan } from '../timeline.ts';
import type { KeptWait } from '../waits.ts';
import type { LimitedRequest } from '../window-model.ts';
import type { Court } from './court.ts';
import { isResetWithin } from './reset-within.ts';

const WINDOWS = ['minute', 'day'] as const;

/** A client that waited as it was told was let in. */
export function passWait(kept: KeptWait | null, { pass }: Court): void {
  if (kept !== null) {
    pass(kept.wasBanned ? 'ban-ends' : 'retry-after-honoured');
  }
  if (kept?.isFirst === true) {
    pass('ban-only-after-continued');
  }
}

export function judgeGrant(
  key: KeyLimits,
  exchange: Exchange,
  limited: LimitedRequest,
  burst: ReturnType<Bursts['grant']>,
  manner: () => Manner,
  court: Court,
): void {
  const { accuse, operations, findings } = court;
  const grantedBy = { minute: key.minute.grant(limited), day: key.day.grant(limited) };
  for (const window of WINDOWS.filter((one) => grantedBy[one] !== 'any')) {
    const accusation = blameGrant(key, window, exchange, manner(), operations.leftOut());
    if (grantedBy[window] === 'none') {
      accuse(accusation);
      key[window].forget(exchange.receivedAt);
    } else {
      findings.onlySliding.note(key[window].explained('counters or segments'), [accusation]);
    }
  }
  if (key.minute.isUsedUp(exchange.receivedAt)) {
    key.usedUpSince = Math.min(key.usedUpSince, exchange.receivedAt);
  }
  judgeCoincidences(key, exchange, limited, burst, manner, court);
}

/** What windows may have made room for once, they do not make room for again and again. */
function judgeCoincidences(
  key: KeyLimits,
  exchange: Exchange,
  limited: LimitedRequest,
  burst: ReturnType<Bursts['grant']>,
  manner: () => Manner,
  { accuse, context, operations, findings: { coincidences } }: Court,
): void {
  const end = key.firstDay?.grant(limited.decided) ?? null;
  if (end !== null) {
    coincidences.day.note(blameGrant(key, 'day', exchange, manner(), []), end, 1).forEach(accuse);
  }
  if (
    burst === null ||
    key.minute.mayMakeRoom(burst.stretch, limited) ||
    isNearReset(key, burst.stretch, context)
  ) {
    return;
  }
  const accusation = blameGrant(key, 'minute', exchange, manner(), operations.leftOut());
  coincidences.minute.note(accusation, burst.stretch, burst.places).forEach(accuse);
}

/** Who waits for the moment that was told may come at the very end of a window. */
function isNearReset({ lastReset }: KeyLimits, span: RoomSpan, { clock }: HistoryContext): boolean {
  return lastReset !== null && isResetWithin(lastReset, span, clock);
}
