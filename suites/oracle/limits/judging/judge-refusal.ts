import { BAN_STATUSES } from '../../../../contract/bans.ts';
import { DAY_SECONDS, MINUTE_SECONDS } from '../../../../contract/plans.ts';
import type { Exchange } from '../../exchange.ts';
import { TWO_WINDOWS_SECONDS } from '../../keys.ts';
import { leastSecondsToWait, secondsToWait } from '../../server-clock.ts';
import { explainAnswerBeyondLimit, explainBlock } from '../explaining/ban.ts';
import { explainOtherRefusal, explainRefusal } from '../explaining/refusal.ts';
import type { Accusation } from '../../history-monitor.ts';
import type { KeyLimits } from '../key-limits.ts';
import { MARGIN_MILLISECONDS } from '../margin.ts';
import { isAlone } from '../windows/counted-requests.ts';
import {
  type JudgedAnswer,
  type JudgingContext,
  type Findings,
  forgetKey,
  mistrustRemaining,
} from './judging-context.ts';
import { judgeDayByEnd, LEAST_DAY_WAIT_SECONDS } from './day-by-its-end.ts';
import { describedWindow } from './described-window.ts';
import { isSecondGrowth } from './judge-growth.ts';
import {
  HOUR_SECONDS,
  isHardlyOfDay,
  lookAround,
  lookBeside,
  speaksOfMinute,
  suspectsOf,
} from './look-around.ts';
import { isInventory, servedStatuses } from './request-form.ts';

/** @returns whether nothing but a full minute can have refused it, if no ban has */
export function judgeRefusal(key: KeyLimits, answer: JudgedAnswer, judging: JudgingContext): boolean {
  const { exchange, limited, described, mayBeBanned, isAmongOthers } = answer;
  const { accuse, findings } = judging;
  const { minute, day } = key;
  const told = minute.atMostTold(limited);
  const used = { minute: minute.atMostUsed(limited), day: day.atMostUsed(limited) };
  // If something remains of the window that the headers describe, it is not what refuses.
  const hasRoom =
    described !== null && described.remaining > 0 && !findings.distrustsRemaining ? described.window : null;
  const around = lookAround(key, exchange, judging);
  key.hasUsedUpDay ||= (around.wait ?? 0) > HOUR_SECONDS;
  const couldMinute = minute.couldRefuse(limited);
  // Somebody else may have used up what remained, once.
  const isTold =
    couldMinute &&
    told < minute.limit &&
    (key.issuedAt !== undefined || around.banned !== null || isSecondGrowth(exchange, findings));
  const byMinute = hasRoom !== 'minute' && !isTold && couldMinute;
  const byDay =
    hasRoom !== 'day' &&
    day.couldRefuse(limited) &&
    !(used.day === Infinity && isHardlyOfDay(key, described, around));
  // No minute asks for so long a wait.
  const isOfDay = byDay && (!byMinute || (around.wait ?? 0) >= LEAST_DAY_WAIT_SECONDS);
  if (isOfDay || byMinute !== byDay) {
    passLimit(key, answer, isOfDay ? 'day' : 'minute', judging);
    if (!mayBeBanned) {
      judging.pass('refusal-is-429');
    }
  }
  const isOfMinute = byMinute && (!byDay || (speaksOfMinute(described) && used.day !== day.limit));
  if ((isOfMinute || (byDay && !byMinute)) && !mayBeBanned && isAlone(limited)) {
    judgePlausibility(key, isOfMinute ? 'minute' : 'day', exchange, judging);
  }
  const by = { byMinute, byDay, byBan: mayBeBanned, isOfDay, used, wait: around.wait };
  if (byMinute) {
    noteUsedUpMinute(key, answer, by, findings);
  }
  if (byMinute || byDay) {
    noteLimitReached(key, exchange, findings);
  }
  judgeDayByEnd(key, answer, judging);
  const explain = (): Accusation =>
    explainRefusal(
      key,
      exchange,
      { ...used, minute: Math.min(told, used.minute) },
      {
        ...suspectsOf(key, answer, around, judging),
        isKept: isAmongOthers ? { minute: false, day: false } : limitsKeptBy(key, findings),
      },
    );
  if (byMinute && !byDay && !mayBeBanned && used.minute < minute.limit) {
    findings.onlySliding.note(minute.explained('counters'), explain());
  }
  if (byMinute || mayBeBanned || byDay) {
    noteFullWindow(key, answer, by, findings);
    return byMinute && !byDay;
  }
  const { receivedAt } = exchange;
  const grantedSince = Math.min(
    minute.atLeastGranted(receivedAt),
    minute.atLeastSince(key.minuteBeganAt, receivedAt),
  );
  const isFull =
    (hasRoom === 'minute' && grantedSince >= minute.limit) || (hasRoom === 'day' && used.day === day.limit);
  if (described !== null && isFull) {
    accuseRemaining(key, exchange, described.remaining, judging);
  } else {
    accuse(explain());
    forgetKey(key, exchange.receivedAt);
  }
  return false;
}

/** The limit was reached, as a refusal says, and its headers do not. */
function accuseRemaining(
  { label }: KeyLimits,
  exchange: Exchange,
  remaining: number,
  judging: JudgingContext,
): void {
  judging.accuse({
    id: 'remaining-falls',
    message: `${label} was answered 429 when its limit was reached, and X-RateLimit-Remaining is ${remaining}.`,
    proof: [exchange],
  });
  mistrustRemaining(judging);
}

/** Whether a key of its plan was ever refused at the limit of each window. */
function limitsKeptBy({ plan }: KeyLimits, { keptBy }: Findings) {
  return { minute: keptBy.minute.has(plan), day: keptBy.day.has(plan) };
}

// Summer time makes a day an hour longer.
const LONGEST_SECONDS = { minute: MINUTE_SECONDS + 5, day: DAY_SECONDS + HOUR_SECONDS };

/**
 * The first refusal by a window asks for no more than the window, and the share of the next in which a sliding counter
 * forgets one request; further ones may speak of a ban.
 */
function judgePlausibility(
  key: KeyLimits,
  window: 'minute' | 'day',
  exchange: Exchange,
  { accuse, pass, context: { clock } }: JudgingContext,
): void {
  const wait = leastSecondsToWait(exchange, clock);
  if (wait === undefined || wait <= LONGEST_SECONDS[window] * (1 + 1 / key[window].limit)) {
    pass('retry-after-plausible');
  } else {
    accuse({
      id: 'retry-after-plausible',
      message: `Retry-After asks for ${Math.ceil(wait)} s, though the limit of a ${window} was reached.`,
      proof: [exchange],
    });
  }
}

/**
 * A key that was refused once, and is refused until the same moment when nothing of its minute and its day counts any
 * more, was banned with that first refusal, without a continued request.
 */
export function judgeBlock(
  key: KeyLimits,
  { exchange, limited }: JudgedAnswer,
  first: Exchange | null,
  { accuse, context }: JudgingContext,
): void {
  // A day that ends within the hour, just when a minute was used up, would be a strange accident.
  const isHardlyDay =
    first !== null &&
    key.day.atMostUsed(limited) === Infinity &&
    speaksOfMinute(describedWindow(key, first)) &&
    (secondsToWait(first, context.clock) ?? Infinity) <= HOUR_SECONDS;
  if (
    first !== null &&
    exchange.sentAt - first.receivedAt >= TWO_WINDOWS_SECONDS * 1000 &&
    !context.mayBeBanned(key.label, first) &&
    !key.minute.couldRefuse(limited) &&
    (!key.day.couldRefuse(limited) || isHardlyDay) &&
    key.waits.haveSameEnd(first, exchange)
  ) {
    accuse(explainBlock(key, first, exchange));
  }
}

/** A key was granted exactly its limit before it was refused, or told that nothing remains, and no more may be granted now. */
function passLimit(
  key: KeyLimits,
  { exchange: { sentAt, receivedAt }, overlap: { sent, underWay }, limited, manner }: JudgedAnswer,
  window: 'minute' | 'day',
  { pass, findings }: JudgingContext,
): void {
  const { lastUsed } = key;
  const { limit } = key[window];
  const isToldSo =
    lastUsed?.window === window &&
    lastUsed.used === limit &&
    // Who grants too many may tell for each of them that nothing remains.
    !lastUsed.standsStill &&
    lastUsed.answered === sent.answered &&
    !findings.distrustsRemaining;
  const granted =
    (window === 'day' ? key.firstDay?.used(limited.decided) : null) ?? key[window].atLeastGranted(receivedAt);
  // More may have been granted within 60 s, in a minute that ended before.
  const isSinceItBegan =
    window === 'minute' &&
    receivedAt - key.minuteBeganAt < MINUTE_SECONDS * 1000 - MARGIN_MILLISECONDS &&
    key.minute.atLeastSince(key.minuteBeganAt, receivedAt) === limit &&
    !findings.distrustsRemaining;
  if (underWay > 0 || (!isToldSo && !isSinceItBegan && granted !== limit)) {
    return;
  }
  const { form } = manner();
  pass(`${window}-limit-${key.plan}`);
  const lately = sentAt - MINUTE_SECONDS * 1000;
  if (window === 'minute' && [...key.grantedForms].some(([other, at]) => other !== form && at >= lately)) {
    pass('limit-over-spellings');
  }
  if (window === 'minute' && key.keptAt < lately && key.keptAt > -Infinity) {
    pass('limit-renews');
  }
}

/** What may have refused a request: a limit that was reached, or a ban. */
interface MayHaveRefused {
  readonly byMinute: boolean;
  readonly byDay: boolean;
  readonly byBan: boolean;
  /** Whether only the day asks for so long a wait. */
  readonly isOfDay: boolean;
  /** Seconds that the answer asks for. */
  readonly wait: number | undefined;
  /** At most so many counted in each window. */
  readonly used: Readonly<Record<'minute' | 'day', number>>;
}

/** Takes note of a refusal by a minute that may have been used up. */
function noteUsedUpMinute(
  key: KeyLimits,
  { exchange: { receivedAt }, manner }: JudgedAnswer,
  { byBan, isOfDay, used, wait = Infinity }: MayHaveRefused,
  { everRefused, keptBy }: Findings,
): void {
  const { minute } = key;
  const { form, isAmongOthers } = manner();
  const before = key.refusedForms.get(form);
  if (!byBan && !isOfDay) {
    everRefused.add(form);
  }
  const isSame = before !== undefined && receivedAt - before.last < MINUTE_SECONDS * 1000;
  key.refusedForms.set(form, {
    first: isSame ? before.first : receivedAt,
    last: receivedAt,
    until: receivedAt + wait * 1000,
  });
  key.usedUpSince = Math.min(key.usedUpSince, receivedAt);
  const isWhole = used.minute === Infinity && minute.atLeastGranted(receivedAt) === minute.limit;
  if (used.minute === minute.limit || isWhole) {
    key.keptAt = receivedAt;
  }
  if (used.minute === minute.limit && !isAmongOthers) {
    keptBy.minute.add(key.plan);
  }
}

/** Takes note of the first refusal by a limit of a key since it was last granted a request. */
function noteLimitReached(key: KeyLimits, { sentAt, receivedAt }: Exchange, findings: Findings): void {
  if (key.atLimitSince === Number.NEGATIVE_INFINITY) {
    key.atLimitSince = sentAt;
    const last = findings.limitsReached.filter(({ label }) => label !== key.label).slice(-1);
    findings.limitsReached = [...last, { label: key.label, at: receivedAt }];
  }
}

/** Takes note of a refusal that one window alone explains. */
function noteFullWindow(
  key: KeyLimits,
  { limited, isAmongOthers }: JudgedAnswer,
  by: MayHaveRefused,
  { keptBy }: Findings,
): void {
  if (by.byMinute && !by.byDay) {
    // A ban does not end as soon as it is told either.
    key.bursts.refuse(limited);
  }
  if (by.byBan) {
    return;
  }
  if (!by.byMinute) {
    const { answered, underWay } = key.traffic;
    if (answered + underWay < key.day.limit) {
      key.firstDay?.refuse(limited.decided);
    }
    if (by.used.day === key.day.limit && !isAmongOthers) {
      keptBy.day.add(key.plan);
    }
  }
}

/** A 403 is no answer to a valid key that is not banned, and neither is at its limit what no request below it is answered. */
export function judgeOtherRefusal(key: KeyLimits, answer: JudgedAnswer, judging: JudgingContext): void {
  const { request, exchange, limited, described, mayBeBanned, isFirstRefused } = answer;
  const { accuse, context, findings } = judging;
  const { statusesOfBans, refusedFar } = findings;
  const { status } = exchange.response;
  const isServed = servedStatuses(request)?.includes(status) ?? true;
  const mayBeOfBan = BAN_STATUSES.has(status) || typeof statusesOfBans.get(status) === 'object';
  const isNoAnswer = status >= 500 || (!isServed && !mayBeOfBan);
  const isDayUsedUp = key.firstDay?.used(limited.decided) === key.day.limit;
  const isBeyond = isNoAnswer && (isDayUsedUp || isBeyondLimit(key, answer));
  if (!isBeyond && (status !== 403 || !isInventory(exchange))) {
    return;
  }
  const around = lookAround(key, exchange, judging);
  const isHardly = key.day.atMostUsed(limited) === Infinity && isHardlyOfDay(key, described, around);
  const by = {
    minute: isBeyond || key.minute.couldRefuse(limited),
    day: key.day.couldRefuse(limited) && !isHardly,
  };
  const mayBeJust = mayBeBanned && !(isFirstRefused && !by.minute && !by.day);
  if (!isBeyond && mayBeJust) {
    return;
  }
  if (isBeyond && status < 500 && context.mayBeBanned(key.label)) {
    accuse(explainAnswerBeyondLimit(key, exchange));
    forgetKey(key, exchange.receivedAt);
    return;
  }
  if (!by.minute && !by.day) {
    refusedFar.add(status);
  }
  const { banned, wait } = around;
  const isOwn = isBeyond || key.banEndedAt > Number.NEGATIVE_INFINITY;
  const wasRefused = key.refusedForms.has(answer.manner().form);
  const isSeenFar = (): boolean => refusedFar.has(status);
  const beside = isBeyond ? null : lookBeside(key, exchange, judging).banned;
  accuse(
    explainOtherRefusal(
      key,
      exchange,
      { by, wasRefused, isSeenFar },
      { banned: isOwn ? null : banned, beside, wait },
    ),
  );
  forgetKey(key, exchange.receivedAt);
}

/** Whether nothing remained of a window before a request, and nothing remains after it. */
function isBeyondLimit(key: KeyLimits, { described, limited, overlap: { sent } }: JudgedAnswer): boolean {
  const before = key.lastDescribed;
  return (
    described?.remaining === 0 &&
    before?.remaining === 0 &&
    before.window === described.window &&
    before.answered === sent.answered &&
    // A window of one request shows the same in every request.
    key[described.window].limit > 1 &&
    key[described.window].isFullUnlessEnded(limited)
  );
}
