import type { Exchange } from '../../exchange.ts';
import { explainExcess, explainRenewal } from '../explaining/grant.ts';
import { explainIntrusion, explainRemaining } from '../explaining/remaining.ts';
import type { Accusation } from '../../history-monitor.ts';
import type { DescribedWindow, KeyLimits, ToldRemaining } from '../key-limits.ts';
import { readRemaining } from '../remaining.ts';
import { isAlone } from '../windows/counted-requests.ts';
import { type JudgedAnswer, type JudgingContext, mistrustRemaining } from './judging-context.ts';
import { judgeEvenFalls } from './judge-even-falls.ts';
import { judgeGrowth } from './judge-growth.ts';
import { lookAround, underWayOfAll, usedByOthers } from './look-around.ts';
import { servedStatuses } from './request-form.ts';
import { judgeSharedWindow } from './shared-window.ts';

// So many right values of X-RateLimit-Remaining show that a key by itself is counted well.
const RIGHT_ENOUGH = 3;

/** @param amid how many answers other keys got since the one before; 0 if others of its own key were under way */
export function judgeRemaining(
  key: KeyLimits,
  answer: JudgedAnswer,
  amid: number,
  judging: JudgingContext,
): void {
  const { accuse, pass, findings } = judging;
  const { exchange, limited, overlap, operation, described } = answer;
  if (described === null) {
    return;
  }
  const least = judgeSharedWindow(key, answer, described, judging);
  if (!key.isExclusive) {
    judgeEvenFalls(key, answer, described, judging);
    return;
  }
  const { window } = described;
  const model = window === 'minute' ? key.minute : key.day;
  const reading = readRemaining(described, limited.decided, overlap, key.traffic);
  const { used } = reading;
  if (findings.distrustsRemaining) {
    // Which operations a wrong one leaves out tells still what is wrong.
    noteUsed(key, answer, { window, used, amid }, judging);
    return;
  }
  if (judgeMinuteToldAsDay(key, exchange, described, judging) || findings.mayHaveBegun(window, reading)) {
    return;
  }
  const { lastUsed } = key;
  const isSame = lastUsed?.window === window;
  const excessOf = (): number => used - (isSame ? lastUsed.used : model.atMostUsed(limited)) - 1;
  const now = { window, reading, exchange };
  if (!judgeGrowth(key, now, judging)) {
    if (amid > 0) {
      judgeIntrusion(key, answer, { excess: excessOf(), byOthers: amid }, judging);
    }
    return;
  }
  const could = model.couldTell(limited, reading);
  const { isOfGrant, explain } = whatWouldBeWrong(key, answer, now, judging);
  if (could === 'sliding') {
    findings.toldOnlyBySliding.note(model.explained('counters or segments'), explain());
  }
  const isRight = !isGivenBack(key, answer, used, least) && (could === 'sliding' || could);
  const accusation = isRight === false ? explain() : null;
  const isNext = isSame && lastUsed.answered === overlap.sent.answered;
  const fallsByOne = isNext && used === lastUsed.used + 1;
  if (isRight === true || (isRight === null && fallsByOne)) {
    pass('remaining-falls');
  }
  if (isNext) {
    if (fallsByOne && lastUsed.operation !== operation) {
      pass('remaining-counts-operations');
    }
    findings.rightAlone += isRight === true && amid === 0 ? 1 : 0;
    const since = (other: KeyLimits): boolean => other !== key && other.atLimitSince >= key.grantedAt;
    findings.isUnmoved ||= fallsByOne && amid > 0 && [...judging.others.values()].some(since);
  }
  if (accusation !== null) {
    accuse(accusation);
    if (isOfGrant) {
      key[window].forget(exchange.receivedAt);
    } else {
      // What stands still was moved by nobody.
      const hasMoved = isSame && amid > 0 && used !== lastUsed.used && used !== lastUsed.used + 1;
      // At its own limit, what is wrong is that it was granted.
      if ((hasMoved || lastUsed === null) && key.atLimitSince === -Infinity && used > 0) {
        const byOthers = lastUsed === null ? findings.answers : amid;
        judgeIntrusion(key, answer, { excess: excessOf(), byOthers }, judging);
      }
      mistrustRemaining(judging);
    }
  }
  if (window === 'minute' && used === 1 && isRight !== false && isAlone(limited)) {
    key.minuteBeganAt = exchange.sentAt;
  }
  key.usedByOperation.set(operation, used);
  noteUsed(key, answer, { window, used, amid }, judging);
}

/** @returns whether it was shown that X-RateLimit-Remaining is that of a minute beside the limit of a day */
function judgeMinuteToldAsDay(
  key: KeyLimits,
  exchange: Exchange,
  described: DescribedWindow,
  judging: JudgingContext,
): boolean {
  const accusation = judging.findings.minutesToldAsDays.note(key, exchange, described);
  if (accusation !== null) {
    judging.accuse(accusation);
    mistrustRemaining(judging);
  }
  return accusation !== null;
}

/** Whether less is used than was granted since the window began, and than its operation was told before. */
function isGivenBack(
  { usedByOperation }: KeyLimits,
  { operation, overlap }: Pick<JudgedAnswer, 'operation' | 'overlap'>,
  used: number,
  least: number,
): boolean {
  const told = usedByOperation.get(operation) ?? 0;
  return overlap.answeredMeanwhile === 0 && used < least && used < told;
}

/** What is wrong if no right limiter could have told a value: the value, or that the request was granted then. */
function whatWouldBeWrong(
  key: KeyLimits,
  answer: JudgedAnswer,
  told: ToldRemaining,
  judging: JudgingContext,
): { readonly isOfGrant: boolean; readonly explain: () => Accusation } {
  const {
    window,
    reading: { used, underWay },
    exchange,
  } = told;
  const { operations } = judging;
  const { lastUsed } = key;
  const { limit } = key[window];
  const isUsedUp = used === limit && lastUsed?.window === window && lastUsed.used === limit;
  // Nothing remained before.
  if (isUsedUp && key[window].atLeastGranted(exchange.receivedAt) >= limit) {
    return { isOfGrant: true, explain: () => explainExcess(key, window, answer, judging) };
  }
  // It was refused, and is told of a new minute, which began too early; nothing is used of no minute, though.
  if (window === 'minute' && key.atLimitSince > -Infinity && used > 0 && used <= underWay + 1) {
    return { isOfGrant: true, explain: () => explainRenewal(key, exchange, answer.manner()) };
  }
  const byOthers = usedByOthers(key, told, judging);
  const explain = (): Accusation => {
    const most = key[window].atMostUsed(answer.limited) + 1;
    const { form } = answer.manner();
    const wrong = { window, used, most, operation: answer.operation, form, ...byOthers };
    return explainRemaining(key, exchange, wrong, operations[window]);
  };
  return { isOfGrant: false, explain };
}

/** Whether no other request, of any key, can have counted since the answer before. */
function isUndisturbed({ limited }: JudgedAnswer, amid: number, judging: JudgingContext): boolean {
  return amid === 0 && isAlone(limited) && underWayOfAll(judging) === 0;
}

/**
 * A key that is counted well by itself is not when others are used in between: no more is charged to it than they sent, and
 * nothing is given back but by what refused them.
 */
function judgeIntrusion(
  key: KeyLimits,
  { request, exchange, operation }: JudgedAnswer,
  { excess, byOthers }: { readonly excess: number; readonly byOthers: number },
  judging: JudgingContext,
): void {
  const { accuse, findings } = judging;
  // What was used of a key before its first request is that of the others, since whenever it was.
  const grantedAt = key.lastUsed === null ? Number.NEGATIVE_INFINITY : key.grantedAt;
  const around = lookAround({ label: key.label, grantedAt }, exchange, judging);
  // An update that may be treated apart is no sign of others.
  const isUsual = operation !== 'updateInventory' || servedStatuses(request) !== null;
  const isPlausible = excess > 0 ? excess <= byOthers : around.atLimit !== null || around.banned !== null;
  // What the key itself was refused in between may as well have moved it.
  const isOnlyOthers = key.lastUsed === null || key.traffic.answered - key.lastUsed.answered <= 1;
  if (isUsual && isPlausible && isOnlyOthers && findings.rightAlone >= RIGHT_ENOUGH) {
    accuse(explainIntrusion(key, exchange, around));
  }
}

/** Accuses what sliding windows alone could have told, once they are ruled out. */
export function settleTold(judging: JudgingContext): void {
  const [first] = judging.findings.distrustsRemaining ? [] : judging.findings.toldOnlyBySliding.settle();
  if (first !== undefined) {
    judging.accuse(first);
    mistrustRemaining(judging);
  }
}

// Answers to a documented request that no limit and no ban refused.
const REFUSED_FOR_CONTENT = new Set([400, 404]);

/** A request that is refused for what it asks may count or not; what remains is no less for that, and no more. */
export function judgeRemainingOfRefused(key: KeyLimits, answer: JudgedAnswer, judging: JudgingContext): void {
  const { exchange, limited, overlap, described } = answer;
  const { status } = exchange.response;
  if (described === null || judging.findings.distrustsRemaining || !REFUSED_FOR_CONTENT.has(status)) {
    return;
  }
  const { window, limit, remaining } = described;
  const now = { window, reading: readRemaining(described, limited.decided, overlap, key.traffic), exchange };
  const least = judgeSharedWindow(key, answer, described, judging);
  const isTooHigh = isGivenBack(key, answer, limit - remaining, least);
  if (isTooHigh || !key[window].couldShow(limited, limit - remaining)) {
    const counted = isTooHigh ? `at least ${least}` : `at most ${key[window].atMostUsed(limited) + 1}`;
    judging.accuse({
      id: 'remaining-falls',
      message: `X-RateLimit-Remaining of ${key.label} is ${remaining} of ${limit} in an answer ${status}, when ${counted} requests had counted.`,
      proof: [exchange],
    });
    mistrustRemaining(judging);
    return;
  }
  judgeGrowth(key, now, judging);
}

function noteUsed(
  key: KeyLimits,
  answer: JudgedAnswer,
  { window, used, amid }: { readonly window: 'minute' | 'day'; readonly used: number; readonly amid: number },
  judging: JudgingContext,
): void {
  const { exchange, operation, overlap, manner, isAmongOthers } = answer;
  const { lastUsed } = key;
  const asked = { operation, form: manner().form };
  if (lastUsed?.window === window && lastUsed.answered === overlap.sent.answered) {
    // The last of several to be answered is not always the last to be counted.
    const areAlone = !lastUsed.isAmongOthers && isUndisturbed(answer, amid, judging);
    judging.operations[window].note(asked, used, lastUsed, areAlone);
  }
  const { connection } = exchange.response;
  const standsStill = lastUsed?.window === window && lastUsed.used === used;
  const { answered } = key.traffic;
  key.lastUsed = { ...asked, isAmongOthers, window, used, standsStill, connection, answered };
}
