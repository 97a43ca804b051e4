import { MINUTE_SECONDS } from '../../../../contract/plans.ts';
import type { Exchange } from '../../exchange.ts';
import { TWO_WINDOWS_SECONDS } from '../../keys.ts';
import { secondsToWait } from '../../server-clock.ts';
import {
  type Accusation,
  blameBlock,
  blameOtherRefusal,
  blameRefusal,
  blameRemainingOfRefusal,
  type Manner,
} from '../blame.ts';
import type { KeyLimits } from '../key-limits.ts';
import type { Overlap } from '../key-traffic.ts';
import type { LimitedRequest } from '../window-model.ts';
import { type Court, type Findings, forgetKey, mistrustRemaining } from './court.ts';
import { describedWindow } from './described-window.ts';
import { lookAround } from './look-around.ts';
import { isInventory } from './request-form.ts';

/** @returns whether nothing but a full minute can have refused it, if no ban has */
export function judgeRefusal(
  key: KeyLimits,
  exchange: Exchange,
  limited: LimitedRequest,
  manner: () => Manner,
  mayBeBanned: boolean,
  court: Court,
): boolean {
  const { accuse, others, context, findings } = court;
  const { minute, day } = key;
  const used = { minute: minute.atMostUsed(limited), day: day.atMostUsed(limited) };
  // If something remains of the window that the headers describe, it is not what refuses.
  const described = describedWindow(key, exchange);
  const hasRoom =
    described !== null && described.remaining > 0 && !findings.distrustsRemaining ? described.window : null;
  const byMinute = hasRoom !== 'minute' && minute.couldRefuse(limited);
  const byDay =
    hasRoom !== 'day' &&
    day.couldRefuse(limited) &&
    !(used.day === Infinity && speaksOfMinute(exchange, described, court));
  if (byMinute !== byDay) {
    passLimit(key, exchange, byDay ? 'day' : 'minute', manner(), court);
    if (!mayBeBanned) {
      court.pass('refusal-is-429');
    }
  }
  if (byMinute) {
    const { form, isAmongOthers } = manner();
    key.refusedForms.set(form, exchange.receivedAt);
    key.usedUpSince = Math.min(key.usedUpSince, exchange.receivedAt);
    const isWhole = used.minute === Infinity && minute.atLeastGranted(exchange.receivedAt) === minute.limit;
    if (used.minute === minute.limit || isWhole) {
      key.keptAt = exchange.receivedAt;
    }
    if (used.minute === minute.limit && !isAmongOthers) {
      findings.keptBy.minute.add(key.plan);
    }
  }
  if ((byMinute || byDay) && key.atLimitSince === Number.NEGATIVE_INFINITY) {
    key.atLimitSince = exchange.sentAt;
  }
  const blame = (): readonly Accusation[] =>
    blameRefusal(key, exchange, used, {
      ...lookAround(key, exchange, others, context),
      manner: manner(),
      isKept: {
        minute: !manner().isAmongOthers && findings.keptBy.minute.has(key.plan),
        day: !manner().isAmongOthers && findings.keptBy.day.has(key.plan),
      },
    });
  if (byMinute && !byDay && !mayBeBanned && used.minute < minute.limit) {
    findings.onlySliding.note(minute.explained('counters'), blame());
  }
  if (byMinute || mayBeBanned || byDay) {
    noteFullWindow(key, limited, manner(), { byMinute, byDay, mayBeBanned, usedToday: used.day }, findings);
    return byMinute && !byDay;
  }
  const isFull =
    (hasRoom === 'minute' && minute.atLeastGranted(exchange.receivedAt) >= minute.limit) ||
    (hasRoom === 'day' && used.day === day.limit);
  if (described !== null && isFull) {
    // As the refusal says.
    accuse(blameRemainingOfRefusal(key, exchange, described.remaining));
    mistrustRemaining(court);
    return false;
  }
  blame().forEach(accuse);
  forgetKey(key, exchange.receivedAt);
  return false;
}

/** Whether a refusal says that a minute was used up: where nobody knows what counted in the day before, that rules it out. */
function speaksOfMinute(
  exchange: Exchange,
  described: ReturnType<typeof describedWindow>,
  { context: { clock } }: Court,
): boolean {
  const wait = secondsToWait(exchange, clock);
  return (
    described?.window === 'minute' &&
    described.remaining === 0 &&
    wait !== undefined &&
    wait <= TWO_WINDOWS_SECONDS
  );
}

/**
 * A key that was refused once, and is refused until the same moment when nothing of its minute and its day counts any
 * more, was banned with that first refusal, without a continued request.
 */
export function judgeBlock(
  key: KeyLimits,
  exchange: Exchange,
  limited: LimitedRequest,
  first: Exchange | null,
  { accuse, context }: Court,
): void {
  if (
    first !== null &&
    exchange.sentAt - first.receivedAt >= TWO_WINDOWS_SECONDS * 1000 &&
    !context.mayBeBanned(key.label, first) &&
    !key.minute.couldRefuse(limited) &&
    !key.day.couldRefuse(limited) &&
    key.waits.haveSameEnd(first, exchange)
  ) {
    accuse(blameBlock(key.label, first, exchange));
  }
}

/** A key was granted exactly its limit before it was refused. */
function passLimit(
  key: KeyLimits,
  { sentAt, receivedAt }: Exchange,
  window: 'minute' | 'day',
  { isAmongOthers }: Manner,
  { pass }: Court,
): void {
  if (key[window].atLeastGranted(receivedAt) !== key[window].limit) {
    return;
  }
  pass(`${window}-limit-${key.plan}`);
  if (window === 'minute' && isAmongOthers) {
    pass('limit-under-concurrency');
  }
  if (window === 'minute' && key.keptAt < sentAt - MINUTE_SECONDS * 1000 && key.keptAt > -Infinity) {
    pass('limit-renews');
  }
}

/** Takes note of a refusal that one window alone explains. */
function noteFullWindow(
  key: KeyLimits,
  limited: LimitedRequest,
  { isAmongOthers }: Manner,
  by: {
    readonly byMinute: boolean;
    readonly byDay: boolean;
    readonly mayBeBanned: boolean;
    readonly usedToday: number;
  },
  { keptBy }: Findings,
): void {
  if (by.byMinute && !by.byDay) {
    // A ban does not end as soon as it is told either.
    key.bursts.refuse(limited);
  }
  if (by.mayBeBanned) {
    return;
  }
  if (!by.byMinute) {
    const { answered, underWay } = key.traffic;
    key.wasDayFull = true;
    if (answered + underWay < key.day.limit) {
      key.firstDay?.refuse(limited.decided);
    }
    if (by.usedToday === key.day.limit && !isAmongOthers) {
      keptBy.day.add(key.plan);
    }
  }
}

/** A 403 is no answer to a valid key that is not banned, and neither is a 503 at its limit. */
export function judgeOtherRefusal(
  key: KeyLimits,
  exchange: Exchange,
  limited: LimitedRequest,
  overlap: Overlap,
  mayBeBanned: boolean,
  { accuse, context }: Court,
): void {
  const { status } = exchange.response;
  const isBeyond = status >= 500 && isBeyondLimit(key, exchange, limited, overlap);
  if (!isBeyond && (mayBeBanned || status !== 403 || !isInventory(exchange))) {
    return;
  }
  const by = {
    minute: isBeyond || key.minute.couldRefuse(limited),
    day: key.day.couldRefuse(limited),
  };
  accuse(blameOtherRefusal(key.label, exchange, by, secondsToWait(exchange, context.clock)));
  forgetKey(key, exchange.receivedAt);
}

/** Whether nothing remained of a window before a request, and nothing remains after it. */
function isBeyondLimit(
  key: KeyLimits,
  exchange: Exchange,
  limited: LimitedRequest,
  { sent }: Overlap,
): boolean {
  const described = describedWindow(key, exchange);
  const before = key.lastDescribed;
  return (
    described?.remaining === 0 &&
    before?.remaining === 0 &&
    before.window === described.window &&
    key.describedAt === sent.answered &&
    // A window of one request shows the same in every request.
    key[described.window].limit > 1 &&
    key[described.window].isFullUnlessEnded(limited)
  );
}
