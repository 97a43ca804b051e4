import { MINUTE_SECONDS } from '../../../../contract/plans.ts';
import type { Exchange } from '../../exchange.ts';
import { isResetWithin, MARGIN_MILLISECONDS } from '../margin.ts';
import type { HistoryContext } from '../../history-monitor.ts';
import { TWO_WINDOWS_SECONDS } from '../../keys.ts';
import type { Bursts } from '../bursts.ts';
import { followFirstDay } from '../first-day.ts';
import type { DescribedWindow, GrantedInRow, KeyLimits } from '../key-limits.ts';
import type { Span } from '../timeline.ts';
import type { KeptWait } from '../retry-after-waits.ts';
import { isAlone } from '../windows/counted-requests.ts';
import { explainExcess } from '../explaining/grant.ts';
import type { Findings, JudgedAnswer, JudgingContext } from './judging-context.ts';

const WINDOWS = ['minute', 'day'] as const;

/** A client that waited as it was told was let in. */
export function passWait(
  kept: KeptWait | null,
  described: DescribedWindow | null,
  { pass }: JudgingContext,
): void {
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
  judging: JudgingContext,
): void {
  const { exchange, limited } = answer;
  const { accuse, findings } = judging;
  if (key.usedUpSince < exchange.sentAt - TWO_WINDOWS_SECONDS * 1000) {
    judging.pass('limit-renews');
  }
  // A day that begins after two of which nothing counts any more is as the first.
  const isUsed = answer.overlap.sent.answered > 0;
  if (isUsed && key.firstDay !== null && isAlone(limited) && key.day.atMostInTwo(limited.decided) === 0) {
    key.firstDay = followFirstDay(key.limits.perDay, 0, exchange.sentAt);
  }
  const byWindow = key.minute.grant(limited);
  const grantedBy = {
    minute: isExceededUntilReset(key, answer, findings) ? 'none' : byWindow,
    day: key.day.grant(limited),
  };
  noteGrantedInRow(key, exchange, findings);
  findings.shared.granted(key, exchange, answer.described);
  for (const window of WINDOWS.filter((one) => grantedBy[one] !== 'any')) {
    const accusation = explainExcess(key, window, answer, judging);
    if (grantedBy[window] === 'none') {
      accuse(accusation);
      key[window].forget(exchange.receivedAt);
    } else {
      findings.onlySliding.note(key[window].explained('counters or segments'), accusation);
    }
  }
  if (key.minute.isUsedUp(exchange.receivedAt)) {
    key.usedUpSince = Math.min(key.usedUpSince, exchange.receivedAt);
  }
  judgeUnlikelyWindowEnds(key, answer, burst, judging);
}

function noteGrantedInRow(
  key: KeyLimits,
  { receivedAt, response: { connection } }: Exchange,
  findings: Findings,
): void {
  key.grantedInRow = grantInRow(key.grantedInRow, connection, receivedAt);
  findings.isExceededOnOneConnection ||= (key.grantedInRow?.requests ?? 0) > key.limits.perMinute;
}

/** Takes a granted request that has something in common with those before it, if they are of one minute. */
function grantInRow<Common>(
  before: GrantedInRow<Common> | null,
  common: Common | undefined,
  at: number,
): GrantedInRow<Common> | null {
  if (common === undefined) {
    return null;
  }
  return before?.common === common && at - before.since < MINUTE_SECONDS * 1000 - MARGIN_MILLISECONDS
    ? { ...before, requests: before.requests + 1 }
    : { common, since: at, requests: 1 };
}

// Windows that the headers do not know of hardly begin amid requests that follow one another so soon.
const PAUSE_MILLISECONDS = 1_000;

/**
 * Once X-RateLimit-Remaining is known to be wrong, X-RateLimit-Reset still tells one minute from the next. It may be inexact, so
 * nothing is built on it before.
 * @returns whether more was granted than the limit, without a pause, and all of it until one reset
 */
function isExceededUntilReset(
  key: KeyLimits,
  { exchange: { receivedAt }, described }: JudgedAnswer,
  findings: Findings,
): boolean {
  const reset = described?.window === 'minute' ? described.reset : undefined;
  const isAfterPause = receivedAt - key.grantedAt > PAUSE_MILLISECONDS;
  key.grantedUntilReset = grantInRow(isAfterPause ? null : key.grantedUntilReset, reset, receivedAt);
  const isExceeded =
    findings.distrustsRemaining && (key.grantedUntilReset?.requests ?? 0) > key.limits.perMinute;
  if (isExceeded) {
    key.grantedUntilReset = null;
  }
  return isExceeded;
}

/** What windows may have made room for once, they do not make room for again and again. */
function judgeUnlikelyWindowEnds(
  key: KeyLimits,
  answer: JudgedAnswer,
  burst: ReturnType<Bursts['grant']>,
  judging: JudgingContext,
): void {
  const { limited } = answer;
  const {
    accuse,
    context,
    findings: { unlikelyWindowEnds },
  } = judging;
  const end = key.firstDay?.grant(limited.decided) ?? null;
  if (end !== null) {
    unlikelyWindowEnds.day.note(explainExcess(key, 'day', answer, judging), end, 1).forEach(accuse);
  }
  if (
    burst === null ||
    key.minute.mayMakeRoom(burst.stretch, limited) ||
    isNearReset(key, burst.stretch, context)
  ) {
    return;
  }
  const accusation = explainExcess(key, 'minute', answer, judging);
  unlikelyWindowEnds.minute.note(accusation, burst.stretch, burst.places).forEach(accuse);
}

/** A client that waits for the moment that was told may come at the very end of a window. */
function isNearReset({ lastReset }: KeyLimits, span: Span, { clock }: HistoryContext): boolean {
  return lastReset !== null && isResetWithin(lastReset, span, clock);
}
