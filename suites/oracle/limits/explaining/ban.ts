import { BAN_STATUSES } from '../../../../contract/bans.ts';
import { RATE_LIMIT_HEADERS, readRateLimitHeader } from '../../../../contract/rate-limit-headers.ts';
import type { Exchange } from '../../exchange.ts';
import type { Accusation } from '../../history-monitor.ts';
import type { Explanation } from '../../../../contract/verdict.ts';
import type { KeyLimits } from '../key-limits.ts';
import type { Broken } from '../retry-after-waits.ts';
import { accusationOf, explainIf } from '../../accusation.ts';
import type { Suspects } from './refusal.ts';

/** What a key that may be banned was answered, while it was told to wait. @param served how it may be answered else, if that is known */
export function explainBanAnswer(
  { label, waits, lastReset }: KeyLimits,
  exchange: Exchange,
  served: readonly number[] | null,
): readonly Accusation[] {
  const { status, headers, rateLimit } = exchange.response;
  const toldAt = waits.refusedFirst()?.receivedAt ?? Infinity;
  const wasToWait = exchange.sentAt >= toldAt && exchange.sentAt < waits.until();
  if (!wasToWait || exchange.request.operation === null) {
    return [];
  }
  if (!BAN_STATUSES.has(status)) {
    return served !== null && status >= 400 && !served.includes(status)
      ? [explainAnswerBeyondLimit({ label }, exchange)]
      : [];
  }
  // Whoever has read them already has not kept them; and what no answer has is not missing for a ban, nor what a refusal lacks
  // that may as well be by the limit.
  const missing =
    rateLimit === undefined && lastReset !== null && waits.isOfBan(exchange)
      ? RATE_LIMIT_HEADERS.find((name) => readRateLimitHeader(headers, name).state === 'missing')
      : undefined;
  return missing === undefined ? [] : [sayOfBan(label, exchange, ` without ${missing}`)];
}

/** What a key that had gone on beyond its limit was answered is neither that of a limit nor that of a ban. */
export function explainAnswerBeyondLimit(
  { label }: Pick<KeyLimits, 'label'>,
  exchange: Exchange,
): Accusation {
  return sayOfBan(label, exchange, ', and not 401, 403 or 429');
}

function sayOfBan(label: string, exchange: Exchange, what: string): Accusation {
  const { status } = exchange.response;
  const message = `${label}, which had gone on after a 429 and was to wait, was answered ${status}`;
  return accusationOf(
    [exchange],
    { id: 'ban-answer', message: `${message}${what}.` },
    ...explainIf(!BAN_STATUSES.has(status), 'refusal-is-429', `${message}, and not 429.`),
  );
}

/** A key was refused until the same moment as by its first refusal, when neither limit could refuse it any more. */
export function explainBlock(
  { label, plan }: Pick<KeyLimits, 'label' | 'plan'>,
  first: Exchange,
  exchange: Exchange,
): Accusation {
  const seconds = Math.floor((exchange.sentAt - first.receivedAt) / 1000);
  const message = `${label} was answered 429 once, and again ${seconds} s later, with the same end and neither limit near`;
  return accusationOf(
    [first, exchange],
    { id: 'ban-only-after-continued', message: `${message}: it was banned without a continued request.` },
    { id: `day-limit-${plan}`, message: `${message}: its day lasts too long.` },
    { id: 'limit-renews', message: `${message}: its window lasts too long.` },
  );
}

/** A wait that was kept for nothing. */
interface VainWait extends Broken {
  /** Whether its client had gone on after a 429 before. */
  readonly hadContinued: boolean;
  /** Which window the last answer described. */
  readonly window: 'minute' | 'day';
  /** If requests of other keys may have used up a limit: whether they turned out not to. */
  readonly isApart: (() => boolean) | null;
  readonly beside: Suspects['beside'];
}

/** A client waited for what it was told, and was refused again. If it had gone on before, that is a ban as well. */
export function explainWait(
  { label, plan }: KeyLimits,
  exchange: Exchange,
  { refusal, wasBanned, hadContinued, window, isApart, beside }: VainWait,
): Accusation {
  const { status } = exchange.response;
  const message = `${label} waited for the Retry-After of its last refusal, sent one request, and was answered ${status}`;
  const { banned } = beside;
  const byOthers = [
    ...explainIf(
      isApart !== null,
      'keys-independent-at-limit',
      `${message}, as other keys used its limit up.`,
      isApart,
    ),
    ...explainIf(
      banned !== null,
      'keys-independent-in-ban',
      `${message}, while ${banned?.label} was banned.`,
      banned?.isRuledOut,
    ),
  ];
  const ofBan: Explanation = {
    id: 'ban-only-after-continued',
    message: `${message}: it is banned, though it never went on after a 429.`,
  };
  const proof = [refusal, exchange];
  if (status !== 429 && !hadContinued) {
    const ofKey = explainIf(status === 401, 'valid-key-accepted', `${message}, though the key is valid.`);
    return accusationOf(proof, ofBan, ...byOthers, ...ofKey);
  }
  // A wait that is prolonged by who goes on is a ban only if an answer said so.
  if (hadContinued && (wasBanned || status !== 429)) {
    return accusationOf(
      proof,
      { id: 'ban-ends', message: `${message}: its ban outlasts what it was told.` },
      { id: 'retry-after-honoured', message: `${message}.` },
      { id: 'limit-renews', message: `${message}: its ${window} lasts too long.` },
      { id: 'ban-only-after-continued', message: `${message}: it is banned for coming back.` },
    );
  }
  const ofWindow: Explanation =
    window === 'day'
      ? { id: `day-limit-${plan}`, message: `${message}: its day lasts too long.` }
      : { id: 'limit-renews', message: `${message}: its minute lasts too long.` };
  const why =
    window === 'day'
      ? ': it speaks of the day, whose end Retry-After has to name where both limits are used up'
      : '';
  return accusationOf(
    proof,
    { id: 'retry-after-honoured', message: `${message}${why}.` },
    ofWindow,
    ofBan,
    ...byOthers,
  );
}
