import { MINUTE_SECONDS } from '../../../../contract/plans.ts';
import { rateLimitOf, type Exchange } from '../../exchange.ts';
import type { Accusation } from '../../history-monitor.ts';
import type { Explanation } from '../../../../contract/verdict.ts';
import type { KeyLimits } from '../key-limits.ts';
import { MARGIN_MILLISECONDS } from '../margin.ts';
import { accusationOf, explainIf } from '../../accusation.ts';
import type { Findings, JudgedAnswer, JudgingContext, Manner } from '../judging/judging-context.ts';

const MINUTE_MILLISECONDS = MINUTE_SECONDS * 1000;
// More than are under way at once are hardly let in by a race.
const MOST_AT_ONCE = 30;

interface Scene {
  readonly key: KeyLimits;
  readonly exchange: Exchange;
  readonly manner: Manner;
  readonly leftOut: () => readonly string[];
  readonly findings: Findings;
  readonly message: string;
  /** What was answered before may be of another minute. */
  readonly lately: number;
}

/** A request was granted beyond a limit. That it was is known from then on, however it is explained. */
export function explainExcess(
  key: KeyLimits,
  window: 'minute' | 'day',
  { exchange, manner, isAmongOthers }: Pick<JudgedAnswer, 'exchange' | 'manner' | 'isAmongOthers'>,
  { operations, findings }: Pick<JudgingContext, 'operations' | 'findings'>,
): Accusation {
  const { label, plan } = key;
  const { limit } = key[window];
  const granted = Math.max(limit + 1, key[window].atLeastGranted(exchange.receivedAt));
  const message = `${label} was granted ${granted} requests within a ${window}, although its limit is ${limit}`;
  const lately = latelyOf(exchange);
  const { leftOut } = operations.minute;
  const scene: Scene = { key, exchange, manner: manner(), leftOut, findings, message, lately };
  const ofPlan: Explanation = { id: `${window}-limit-${plan}`, message: `${message}.` };
  const likely =
    window === 'day'
      ? []
      : [
          ...explainByLeftOut(scene),
          ...explainByEscape(scene),
          ...explainByConnection(scene),
          ...explainByOrder(scene, granted - limit),
          ...explainByNextMinute(scene),
        ];
  const hasNoLimit = (): boolean => isUnlimited(findings);
  // Then there is none that some requests could escape.
  const [first = ofPlan, ...others] = likely.map(({ id, message: words }) => ({
    id,
    message: words,
    isRuledOut: hasNoLimit,
  }));
  const mayHaveRenewed =
    window === 'day'
      ? key.traffic.refused > 0 || key.usedUpSince < Infinity
      : mayHaveRenewedMinute(scene, granted - limit);
  const accusation = accusationOf(
    [exchange],
    first,
    ...others,
    ofPlan,
    ...perhapsAtOnce(scene),
    perhapsByForms(scene),
    ...perhapsByOthers(scene),
    ...explainIf(
      mayHaveRenewed,
      'limit-renews',
      `${message}: its ${window} began anew too early.`,
      () => hasNoLimit() && !leavesRoom(exchange),
    ),
  );
  findings.isExceededByAny ||= !key.hasGoneOn;
  if (isAmongOthers) {
    findings.exceededAtOnce.add(plan);
  }
  return accusation;
}

/** Whether no minute refused anything, though a key went beyond its limit, and not as each connection has its own. */
function isUnlimited({ everRefused, isExceededOnOneConnection }: Findings): boolean {
  return everRefused.size === 0 && isExceededOnOneConnection;
}

/** What was answered before may be of another minute. */
function latelyOf({ receivedAt }: Exchange): number {
  return receivedAt - MINUTE_MILLISECONDS + MARGIN_MILLISECONDS;
}

function explainByLeftOut({ message, leftOut }: Scene): readonly Explanation[] {
  const names = leftOut();
  const why = `${names.join(', ')} did not use it up.`;
  return explainIf(names.length > 0, 'limit-over-spellings', `${message}: ${why}`);
}

/** One form of a request is accepted when others have used the minute up. */
function explainByEscape({
  key: { refusedForms, grantedForms },
  exchange,
  manner: { form, isAmongOthers },
  message,
  lately,
}: Pick<Scene, 'key' | 'exchange' | 'manner' | 'message' | 'lately'>): readonly Explanation[] {
  const refusals = [...refusedForms].filter(([, { last }]) => last >= lately);
  // Whatever is asked for once the wait is over is accepted.
  const isOver = refusals.some(([, { until }]) => until <= exchange.sentAt);
  const refused = refusals.map(([other]) => other);
  const usedUpBy = [...grantedForms].filter(([, at]) => at >= lately).map(([other]) => other);
  const isEscape =
    refused.length > 0 ? !refused.includes(form) : usedUpBy.length > 0 && !usedUpBy.includes(form);
  const why =
    refused.length > 0
      ? `after ${refused.join(', ')} had been answered 429`
      : `when ${usedUpBy.join(', ')} had used it up`;
  return explainIf(
    isEscape && !isAmongOthers && !isOver,
    'limit-over-spellings',
    `${message}: ${form} was accepted ${why}.`,
  );
}

/** A connection that is new may be counted by itself. */
function explainByConnection({ key: { isOnNewConnection }, message }: Scene): readonly Explanation[] {
  return explainIf(
    isOnNewConnection,
    'limit-under-concurrency',
    `${message}: it came over a new connection.`,
  );
}

/** What is asked for after a 429 had come back does not race with what reached the limit. */
function explainByOrder(scene: Scene, beyond: number): readonly Explanation[] {
  const { key, exchange, manner, findings, message } = scene;
  // One that holds for another plan, one by one, makes a race likelier than two wrong limits.
  const fewest = findings.keptBy.minute.size > 0 ? 1 : 2;
  const isOfSeveralPlans =
    manner.isAmongOthers && findings.exceededAtOnce.difference(new Set([key.plan])).size >= fewest;
  const isLikely = manner.isOnlyConcurrent || isOfSeveralPlans;
  const why = manner.isOnlyConcurrent
    ? 'it holds for requests that are sent one by one'
    : 'so were other plans, when requests were under way together';
  const wasRefused = isBackAtOnce(scene) || wasRefusedLately(key, manner.form, exchange);
  const isFew = beyond <= Math.max(MOST_AT_ONCE, key.minute.limit / 2);
  const holds = isLikely && isFew && !key.hasGoneOn && !wasRefused;
  return explainIf(holds, 'limit-under-concurrency', `${message}: ${why}.`);
}

function explainByNextMinute({
  key: { keptAt, isExclusive, bursts, minute, otherwiseAt },
  exchange,
  message,
  lately,
}: Scene): readonly Explanation[] {
  const isAfterAnother = keptAt < lately && keptAt > Number.NEGATIVE_INFINITY;
  // Each of several windows was kept, and one of them came too early.
  const isTooEarly = isExclusive && bursts.length() <= minute.limit;
  // What was refused for its content may have begun the minute anew.
  const isForgotten = otherwiseAt >= lately && leavesRoom(exchange);
  const holds = isAfterAnother || isTooEarly || isForgotten;
  return explainIf(holds, 'limit-renews', `${message}, in a minute after another.`);
}

/** Whether a new minute is named right after a refusal. */
function isBackAtOnce({ key, exchange, lately }: Scene): boolean {
  const wasRefused =
    key.otherwiseAt >= lately || [...key.refusedForms.values()].some(({ last }) => last >= lately);
  return wasRefused && leavesRoom(exchange);
}

function leavesRoom(exchange: Exchange): boolean {
  return (rateLimitOf(exchange)?.remaining ?? 0) > 0;
}

/** Whether so many beyond a limit may be of a minute that began anew too early. */
function mayHaveRenewedMinute(scene: Scene, beyond: number): boolean {
  const { key, exchange, lately } = scene;
  const { receivedAt } = exchange;
  const seconds = (receivedAt - key.minute.firstGranted(receivedAt)) / 1000;
  return (
    beyond <= (key.minute.limit * seconds) / MINUTE_SECONDS ||
    isBackAtOnce(scene) ||
    key.firstGrantedAt < lately
  );
}

/** What was sent over several connections may have been counted by each of them. */
function perhapsAtOnce({ key, manner: { isAmongOthers }, findings, message }: Scene): readonly Explanation[] {
  const { hasGoneOn, hasSeveralConnections } = key;
  return explainIf(
    hasSeveralConnections,
    'limit-under-concurrency',
    `${message}. Requests were sent at once, or over several connections.`,
    // Of who went on after a 429 a ban is why, if no other key was granted too much.
    () => isUnlimited(findings) || (hasGoneOn && !isAmongOthers && !findings.isExceededByAny),
  );
}

/** One form alone counts all the same, unless others are refused, and it never is, or it does not use up Remaining. */
function perhapsByForms(scene: Scene): Explanation {
  const { key, exchange, message, leftOut, lately } = scene;
  const { form } = scene.manner;
  const before = [...key.grantedForms].filter(([, at]) => at >= lately - MINUTE_MILLISECONDS);
  const wasRefused = wasRefusedLately(key, form, exchange);
  const forms = [...new Set([form, ...before.map(([one]) => one)])];
  const { everRefused } = scene.findings;
  const isLimited = (): boolean =>
    forms.some((one) => everRefused.has(one)) && !leftOut().some((operation) => form.startsWith(operation));
  return {
    id: 'limit-over-spellings',
    message: `${message}, by ${forms.join(', ')}.`,
    isRuledOut: () => everRefused.size === 0 || wasRefused || (forms.length === 1 && isLimited()),
  };
}

/** What another key that reached its limit has to do with it. */
function perhapsByOthers({ findings, key, message }: Scene): readonly Explanation[] {
  const other = findings.limitsReached.findLast(
    ({ label, at }) => label !== key.label && at >= key.firstGrantedAt,
  );
  return explainIf(
    other !== undefined,
    'keys-independent-at-limit',
    `${message}: ${other?.label} had reached its own.`,
    () => findings.isUnmoved || isUnlimited(findings),
  );
}

/** Whether the same had been answered 429 within a minute, before it was asked for. */
function wasRefusedLately(
  { refusedForms }: Pick<KeyLimits, 'refusedForms'>,
  form: string,
  exchange: Exchange,
): boolean {
  const refused = refusedForms.get(form);
  return refused !== undefined && refused.first < exchange.sentAt && refused.last >= latelyOf(exchange);
}

/** A key at its limit was granted a request of a new minute, when no permitted limiter begins one. */
export function explainRenewal(key: KeyLimits, exchange: Exchange, manner: Manner): Accusation {
  const { remaining, limit } = rateLimitOf(exchange) ?? { remaining: 0, limit: 0 };
  const told = `${key.label} was refused by its limit, and is told then that ${remaining} of ${limit} requests remain`;
  return accusationOf(
    [exchange],
    {
      id: 'limit-renews',
      message: `${told}: no window of a minute that fits its other answers begins there.`,
    },
    ...explainByEscape({ key, exchange, manner, message: told, lately: latelyOf(exchange) }),
    ...explainIf(
      key.grantedForms.size > 1,
      'limit-over-spellings',
      `${told}, after requests in several forms.`,
    ),
    ...explainIf(
      key.hasSeveralConnections,
      'limit-under-concurrency',
      `${told}, after requests over several connections.`,
    ),
  );
}
