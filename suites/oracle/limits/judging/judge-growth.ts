import type { Explanation } from '../../../../contract/verdict.ts';
import { countText } from '../../../../contract/words/enumeration.ts';
import { rateLimitOf, type Exchange } from '../../exchange.ts';
import { accusationOf, explainIf } from '../../accusation.ts';
import type { KeyLimits, RemainingGrowth, ToldRemaining } from '../key-limits.ts';
import { isSentAfter, mostSince, mostUsedSince } from '../remaining.ts';
import { mistrustRemaining, type JudgingContext, type Findings } from './judging-context.ts';
import { usedByOthers } from './look-around.ts';

// A request that was refused may count once its answer is written, and a sliding counter may round what it weighs up.
const SLACK = 2;
// Somebody else uses a configured key in bouts: only two sightings so far apart are two.
const APART_MILLISECONDS = 5_000;

/**
 * Under every window algorithm, what is used grows by no more than the requests since, whatever was used before.
 * @returns whether it did
 */
export function judgeGrowth(key: KeyLimits, now: ToldRemaining, judging: JudgingContext): boolean {
  if (key.heldElsewhere.size > 0 || now.exchange.sentAt < key.traffic.unseenUntil) {
    return true;
  }
  const { fewestTold: before, growth: earlier } = key;
  const most = before === null ? null : mostUsed(before, now);
  const growth = before !== null && most !== null && now.reading.used > most + SLACK ? { before, now } : null;
  const isProof =
    growth !== null && (key.issuedAt !== undefined || isSecondGrowth(now.exchange, judging.findings));
  const proof = isProof ? growth : earlier !== null && isTakenBack(earlier, now) ? earlier : null;
  key.growth = growth ?? (earlier !== null && isSameWindow(earlier.now, now) ? earlier : null);
  if (most === null || growth !== null || now.reading.used <= most) {
    key.fewestTold = now;
  }
  if (proof === null) {
    return true;
  }
  accuseGrowth(key, proof, judging);
  return false;
}

/** At most so many are used by now; `null` if the one before does not tell. */
function mostUsed(before: ToldRemaining, now: ToldRemaining): number | null {
  return before.window === now.window && isSentAfter(before.reading, now.reading)
    ? mostUsedSince(before.reading, now.reading)
    : null;
}

/** Whether more than the requests explain was used some time before, too. */
export function isSecondGrowth({ receivedAt }: Exchange, findings: Findings): boolean {
  findings.grewAt = Math.min(findings.grewAt, receivedAt);
  return receivedAt >= findings.grewAt + APART_MILLISECONDS;
}

/** Whether what was used too much is used no longer, before the window ends: somebody else could not take that back. */
function isTakenBack({ now: grown }: RemainingGrowth, now: ToldRemaining): boolean {
  return (
    isSameWindow(grown, now) &&
    isSentAfter(grown.reading, now.reading) &&
    now.reading.used + SLACK < grown.reading.used
  );
}

function isSameWindow(one: ToldRemaining, other: ToldRemaining): boolean {
  return one.window === other.window && one.reading.reset === other.reading.reset;
}

function accuseGrowth(key: KeyLimits, { before, now }: RemainingGrowth, judging: JudgingContext): void {
  const { label, grantedForms } = key;
  const [was, is] = [before, now].map(({ exchange }) => rateLimitOf(exchange)?.remaining);
  const message = `X-RateLimit-Remaining of ${label} fell from ${was} in an answer ${before.exchange.response.status} to ${is} in an answer ${now.exchange.response.status}, though at most ${countText(mostSince(before.reading, now.reading), 'request')} counted since then.`;
  const { everCounted, countsOneOtherwise } = judging.operations[now.window];
  const operations = new Set([before, now].map(({ exchange }) => exchange.request.operation));
  const [apart, ...more] = [...operations].filter((one) => one !== null && !everCounted(one));
  const ofOperation = explainIf(
    apart !== undefined && more.length === 0 && operations.size > 1,
    'remaining-counts-operations',
    `${message} It is counted otherwise for ${apart}.`,
  );
  const { isApart, isUsedByOthers } = usedByOthers(key, now, judging);
  const ofOthers = explainIf(
    isApart !== null,
    'keys-independent-at-limit',
    `${message} Requests of other keys moved it.`,
    isApart,
  );
  const falls: Explanation = { id: 'remaining-falls', message, isRuledOut: countsOneOtherwise };
  // Requests in between may have been of one that is counted otherwise.
  const ofSome: Explanation = {
    id: 'remaining-counts-operations',
    message: `${message} One operation takes more than one.`,
    isRuledOut: () => !countsOneOtherwise(),
  };
  const [first = falls, ...others] = [...ofOperation, ...(isUsedByOthers ? ofOthers : [])];
  judging.accuse(
    accusationOf(
      [before.exchange, now.exchange],
      first,
      ...others,
      falls,
      ofSome,
      ...explainIf(
        ofOperation.length === 0 && grantedForms.size > 1,
        'limit-over-spellings',
        `${message} It was asked for in several forms.`,
      ),
      ...ofOthers,
    ),
  );
  mistrustRemaining(judging);
}
