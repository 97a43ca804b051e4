import type { Exchange } from '../../exchange.ts';
import { explainRefusal } from '../explaining/refusal.ts';
import type { KeyLimits, RequestGroup } from '../key-limits.ts';
import type { Overlap } from '../key-traffic.ts';
import { type JudgedAnswer, type JudgingContext, forgetKey } from './judging-context.ts';
import { describedWindow } from './described-window.ts';
import { isHardlyOfDay, lookAround, suspectsOf } from './look-around.ts';

/** The group of an answer, which it may begin. */
export function joinGroup(key: KeyLimits, { sentAt }: Exchange, { overlapsFrom }: Overlap): RequestGroup {
  const from = Math.min(sentAt, overlapsFrom);
  key.group ??= { from, mayBeBanned: key.mayBeBanned, refusals: [] };
  return key.group;
}

/**
 * Ends a group with its last answer, once that was judged by itself. Each refusal of a group may have come after the
 * others, which may count; but one of them came first.
 */
export function leaveGroup(
  key: KeyLimits,
  { from, mayBeBanned, refusals }: RequestGroup,
  { limited: { decided, lost }, isAmongOthers, manner }: JudgedAnswer,
  judging: JudgingContext,
): void {
  if (key.traffic.underWay > 0) {
    return;
  }
  key.group = null;
  const { minute, day } = key;
  // What was refused at the limit needs room to be granted now, and so does what is told to be the first of its minute.
  const madeRoomAt = Math.max(
    key.refusedAt ?? Number.NEGATIVE_INFINITY,
    judging.findings.distrustsRemaining ? Number.NEGATIVE_INFINITY : key.minuteBeganAt,
  );
  key.refusedAt = refusals.length > 0 ? decided.to : key.refusedAt;
  // A ban follows a 429.
  const first = refusals.find(({ response }) => response.status === 429);
  if (first === undefined || mayBeBanned || lost > 0) {
    return;
  }
  const span = { from, to: decided.to };
  const granted = minute.grantedLately(decided.to, madeRoomAt);
  if (isAmongOthers && granted.atLeast === minute.limit && granted.atMost === minute.limit) {
    judging.pass('limit-under-concurrency');
    if (day.atMostInTwo(span) < day.limit) {
      judging.pass(`minute-limit-${key.plan}`);
    }
  }
  if (refusals.length === 1) {
    return;
  }
  const around = lookAround(key, first, judging);
  const ofDay = day.atMostInTwo(span) - refusals.length;
  const isHardly = ofDay === Infinity && isHardlyOfDay(key, describedWindow(key, first), around);
  const used = {
    minute: minute.atMostInTwo(span) - refusals.length,
    day: isHardly ? 0 : ofDay,
  };
  if (used.minute < minute.limit && used.day < day.limit) {
    const isKept = { minute: false, day: false };
    judging.accuse(
      explainRefusal(key, first, used, {
        ...suspectsOf(key, { exchange: first, manner }, around, judging),
        isKept,
      }),
    );
    forgetKey(key, decided.to);
  }
}
