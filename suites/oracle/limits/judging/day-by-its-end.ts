import { DAY_SECONDS } from '../../../../contract/plans.ts';
import { leastSecondsToWait } from '../../server-clock.ts';
import type { KeyLimits } from '../key-limits.ts';
import { MARGIN_MILLISECONDS } from '../margin.ts';
import { explainExcess } from '../explaining/grant.ts';
import type { JudgingContext, JudgedAnswer } from './judging-context.ts';

// A sliding counter that still weighs two requests of the day before forgets one of them within less.
export const LEAST_DAY_WAIT_SECONDS = 13 * 3_600;

// Retry-After is given in whole seconds.
const ROUNDING_MILLISECONDS = 1_000;

/**
 * A first refusal that names the end of a day tells when that day began: all that was granted since counts. A later end
 * than the true one only leaves less to count.
 */
export function judgeDayByEnd(key: KeyLimits, answer: JudgedAnswer, judging: JudgingContext): void {
  const { exchange, overlap, mayBeBanned } = answer;
  // A sliding counter that counts refused requests is full for as long as those last.
  const mayCountRefused =
    judging.findings.kinds.day.counters &&
    overlap.sent.refused + overlap.refusedMeanwhile + overlap.underWay > 0;
  const wait = leastSecondsToWait(exchange, judging.context.clock);
  if (
    mayBeBanned ||
    mayCountRefused ||
    !key.isExclusive ||
    wait === undefined ||
    wait < LEAST_DAY_WAIT_SECONDS
  ) {
    return;
  }
  const begun = exchange.receivedAt + (wait - DAY_SECONDS) * 1000;
  const span = { from: begun - ROUNDING_MILLISECONDS - MARGIN_MILLISECONDS, to: begun + MARGIN_MILLISECONDS };
  const grantedSince = (from: number): number => {
    const { issuedAt, usedToday, day } = key;
    const usedBefore = issuedAt !== undefined && issuedAt >= from ? Math.min(usedToday ?? 0, day.limit) : 0;
    const granted = key.day.atLeastSince(from, exchange.receivedAt);
    return granted === 0 ? 0 : usedBefore + granted;
  };
  if (grantedSince(span.to) > key.day.limit) {
    judging.accuse(explainExcess(key, 'day', answer, judging));
  } else if (grantedSince(span.from) > key.day.limit) {
    // Unless the day began just then, between the first requests.
    const accusation = explainExcess(key, 'day', answer, judging);
    judging.findings.unlikelyWindowEnds.day.note(accusation, span, 1).forEach(judging.accuse);
  }
}
