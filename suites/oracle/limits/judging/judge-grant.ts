import type { HistoryContext } from '../../history-monitor.ts';
import { MINUTE_SECONDS } from '../../../../contract/plans.ts';
import type { Exchange } from '../../exchange.ts';
import { type Accusation, blameGrant, wasRefusedLately } from '../blame.ts';
import type { Bursts } from '../bursts.ts';
import type { DescribedWindow, KeyLimits } from '../key-limits.ts';
import type { RoomSpan } from '../timeline.ts';
import type { KeptWait } from '../waits.ts';
import { isAlone } from '../window-model.ts';
import type { JudgedAnswer, Court } from './court.ts';
import { isResetWithin } from './reset-within.ts';

const WINDOWS = ['minute', 'day'] as const;

/** A client that waited as it was told was let in. */
export function passWait(kept: KeptWait | null, described: DescribedWindow | null, { pass }: Court): void {
  if (kept !== null) {
    pass(kept.wasBanned ? 'ban-ends' : 'retry-after-honoured');
    if (described?.window === 'minute' && described.remaining === described.limit - 1) {
      pass('limit-renews');
    }
  }
  if (kept?.isFirst === true) {
    pass('ban-only-after-continued');
  }
}

export function judgeGrant(
  key: KeyLimits,
  answer: JudgedAnswer,
  burst: ReturnType<Bursts['grant']>,
  court: Court,
): void {
  const { exchange, limited, manner } = answer;
  const { accuse, operations, findings } = court;
  const grantedBy = { minute: key.minute.grant(limited), day: key.day.grant(limited) };
  const isBeyond = key.minute.atLeastGranted(exchange.receivedAt) > key.minute.limit;
  if (isBeyond && isAlone(limited) && wasRefusedLately(key, manner().form, exchange)) {
    findings.leaks.add(key.plan);
  }
  for (const window of WINDOWS.filter((one) => grantedBy[one] !== 'any')) {
    const accusation = blameGrant(key, window, exchange, manner(), operations.leftOut());
    const accusations = [accusation, ...sayOfConcurrency(key, accusation, exchange, court)];
    if (grantedBy[window] === 'none') {
      accusations.forEach(accuse);
      const [used, ...others] = formsUsed(key, exchange);
      if (window === 'minute' && isAlone(limited) && others.length === 0 && used === manner().form) {
        findings.exceededPlainly.add(key.plan);
      }
      key[window].forget(exchange.receivedAt);
    } else {
      findings.onlySliding.note(key[window].explained('counters or segments'), accusations);
    }
  }
  if (key.minute.isUsedUp(exchange.receivedAt)) {
    key.usedUpSince = Math.min(key.usedUpSince, exchange.receivedAt);
  }
  judgeCoincidences(key, answer, burst, court);
}

/** What was granted within a minute, but for the request at hand. */
function formsUsed({ grantedForms }: KeyLimits, { receivedAt }: Exchange): readonly string[] {
  return [...grantedForms].filter(([, at]) => at >= receivedAt - MINUTE_SECONDS * 1000).map(([form]) => form);
}

/** More was granted to requests at once, and nobody saw how many of this plan are granted one by one. */
function sayOfConcurrency(
  { plan, concurrentAt }: KeyLimits,
  { id, message, proof }: Accusation,
  { receivedAt }: Exchange,
  { findings: { keptBy } }: Court,
): readonly Accusation[] {
  const wasConcurrent = receivedAt - concurrentAt < MINUTE_SECONDS * 1000;
  return id === `minute-limit-${plan}` && wasConcurrent && !keptBy.minute.has(plan)
    ? [
        {
          id: 'limit-under-concurrency',
          message: `${message} Some were under way together, and nobody saw what is granted one by one.`,
          proof,
        },
      ]
    : [];
}

/** What windows may have made room for once, they do not make room for again and again. */
function judgeCoincidences(
  key: KeyLimits,
  { exchange, limited, manner }: JudgedAnswer,
  burst: ReturnType<Bursts['grant']>,
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
