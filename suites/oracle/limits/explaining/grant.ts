import { MINUTE_SECONDS, type Plan } from '../../../../contract/plans.ts';
import { rateLimitOf, type Exchange } from '../../exchange.ts';
import type { Accusation } from '../../history-monitor.ts';
import type { Explanation } from '../../../../contract/verdict.ts';
import type { KeyLimits } from '../key-limits.ts';
import { MARGIN_MILLISECONDS } from '../margin.ts';
import { accusationOf } from '../../accusation.ts';

const MINUTE_MILLISECONDS = MINUTE_SECONDS * 1000;

/** How a request was made. */
export interface Manner {
  /** What was asked for, and in which spelling. */
  readonly form: string;
  /** Whether others were under way with it. */
  readonly isAmongOthers: boolean;
  /** And the limit was seen to hold for requests that were sent one by one. */
  readonly isOnlyConcurrent: boolean;
}

/** What was seen of the target, whichever key showed it; it is asked again once all is seen. */
interface SeenOfTarget {
  /** Operations that do not use up Remaining. */
  readonly leftOut: () => readonly string[];
  /** What was refused by a minute that was used up. */
  readonly everRefused: ReadonlySet<string>;
  /** Whether a key was granted too much that never went on after a 429. */
  readonly isExceededByAny: () => boolean;
  /** Plans of keys that were granted too much when others were under way with it. */
  readonly exceededAtOnce: ReadonlySet<Plan>;
  /** Whether a key was counted well when another had reached its limit. */
  readonly isUnmoved: () => boolean;
  /** Another key that was refused by a limit of its own since that moment. */
  readonly reachedByOther: (label: string, since: number) => string | null;
}

interface Scene {
  readonly key: KeyLimits;
  readonly exchange: Exchange;
  readonly manner: Manner;
  readonly target: SeenOfTarget;
  readonly message: string;
  /** What was answered before may be of another minute. */
  readonly lately: number;
}

/** A request was granted beyond a limit. */
export function explainGrant(
  key: KeyLimits,
  window: 'minute' | 'day',
  { exchange, manner }: { readonly exchange: Exchange; readonly manner: () => Manner },
  target: SeenOfTarget,
): Accusation {
  const { label, plan } = key;
  const { limit } = key[window];
  const granted = Math.max(limit + 1, key[window].atLeastGranted(exchange.receivedAt));
  const message = `${label} was granted ${granted} requests within a ${window}, although its limit is ${limit}`;
  const lately = exchange.receivedAt - MINUTE_MILLISECONDS + MARGIN_MILLISECONDS;
  const scene: Scene = { key, exchange, manner: manner(), target, message, lately };
  const ofPlan: Explanation = { id: `${window}-limit-${plan}`, message: `${message}.` };
  const [first = ofPlan, ...others] =
    window === 'day'
      ? []
      : [
          ...explainByLeftOut(scene),
          ...explainByEscape(scene),
          ...explainByOrder(scene),
          ...explainByNextMinute(scene),
        ];
  const perhaps = window === 'day' ? perhapsOfDay(scene) : perhapsOfMinute(scene, granted - limit);
  return accusationOf([exchange], first, ...others, ofPlan, ...perhaps);
}

function explainByLeftOut({ message, target }: Scene): readonly Explanation[] {
  const leftOut = target.leftOut();
  return leftOut.length === 0
    ? []
    : [{ id: 'limit-over-spellings', message: `${message}: ${leftOut.join(', ')} did not use it up.` }];
}

/** One form of a request is accepted when others have used the minute up. */
function explainByEscape({
  key: { refusedForms, grantedForms },
  manner: { form, isAmongOthers },
  message,
  lately,
}: Omit<Scene, 'target'>): readonly Explanation[] {
  const refused = [...refusedForms].filter(([, { last }]) => last >= lately).map(([other]) => other);
  const usedUpBy = [...grantedForms].filter(([, at]) => at >= lately).map(([other]) => other);
  const isEscape =
    refused.length > 0 ? !refused.includes(form) : usedUpBy.length > 0 && !usedUpBy.includes(form);
  const why =
    refused.length > 0
      ? `after ${refused.join(', ')} had been answered 429`
      : `when ${usedUpBy.join(', ')} had used it up`;
  return isEscape && !isAmongOthers
    ? [{ id: 'limit-over-spellings', message: `${message}: ${form} was accepted ${why}.` }]
    : [];
}

/** What is asked for after a 429 had come back does not race with what reached the limit. */
function explainByOrder(scene: Scene): readonly Explanation[] {
  const { key, exchange, manner, target, message } = scene;
  const isOfSeveralPlans =
    manner.isAmongOthers && target.exceededAtOnce.difference(new Set([key.plan])).size > 1;
  const isLikely = manner.isOnlyConcurrent || isOfSeveralPlans;
  const why = manner.isOnlyConcurrent
    ? 'it holds for requests that are sent one by one'
    : 'so were other plans, when requests were under way together';
  const wasRefused = isBackAtOnce(scene) || wasRefusedLately(key, manner.form, exchange);
  return isLikely && !key.hasGoneOn && !wasRefused
    ? [
        {
          id: 'limit-under-concurrency',
          message: `${message}: ${why}.`,
        },
      ]
    : [];
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
  return isAfterAnother || isTooEarly || isForgotten
    ? [{ id: 'limit-renews', message: `${message}, in a minute after another.` }]
    : [];
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

/** What may be why if it is why of much else. */
function perhapsOfMinute(scene: Scene, beyond: number): readonly Explanation[] {
  const { key, exchange, message, lately } = scene;
  const { receivedAt } = exchange;
  const seconds = (receivedAt - key.minute.firstGranted(receivedAt)) / 1000;
  const mayHaveRenewed =
    beyond <= (key.minute.limit * seconds) / MINUTE_SECONDS ||
    isBackAtOnce(scene) ||
    key.firstGrantedAt < lately;
  return [
    ...perhapsAtOnce(scene),
    perhapsByForms(scene, lately - MINUTE_MILLISECONDS),
    ...perhapsByOthers(scene),
    ...(mayHaveRenewed
      ? [{ id: 'limit-renews', message: `${message}: its minute began anew too early.` } as const]
      : []),
  ];
}

function perhapsOfDay(scene: Scene): readonly Explanation[] {
  const { key, message } = scene;
  const wasRefused = key.traffic.refused > 0 || key.usedUpSince < Infinity;
  return [
    ...perhapsAtOnce(scene),
    perhapsByForms(scene, scene.lately - MINUTE_MILLISECONDS),
    ...perhapsByOthers(scene),
    ...(wasRefused
      ? [{ id: 'limit-renews', message: `${message}: its day began anew too early.` } as const]
      : []),
  ];
}

/** What was sent over several connections may have been counted by each of them. */
function perhapsAtOnce({ key, manner: { isAmongOthers }, target, message }: Scene): readonly Explanation[] {
  const { hasGoneOn, hasSeveralConnections } = key;
  return hasSeveralConnections
    ? [
        {
          id: 'limit-under-concurrency',
          message: `${message}. Requests were sent at once, or over several connections.`,
          // Of who went on after a 429 a ban is why, if no other key was granted too much.
          isRuledOut: () => hasGoneOn && !isAmongOthers && !target.isExceededByAny(),
        },
      ]
    : [];
}

/** One form alone counts all the same, unless others are refused, and it never is, or it does not use up Remaining. */
function perhapsByForms(
  { key, exchange, manner: { form }, target, message }: Scene,
  since: number,
): Explanation {
  const before = [...key.grantedForms].filter(([, at]) => at >= since);
  const wasRefused = wasRefusedLately(key, form, exchange);
  const forms = [...new Set([form, ...before.map(([one]) => one)])];
  const { everRefused, leftOut } = target;
  const isLimited = (): boolean =>
    forms.some((one) => everRefused.has(one)) && !leftOut().some((operation) => form.startsWith(operation));
  return {
    id: 'limit-over-spellings',
    message: `${message}, by ${forms.join(', ')}.`,
    isRuledOut: () => everRefused.size === 0 || wasRefused || (forms.length === 1 && isLimited()),
  };
}

/** What another key that reached its limit has to do with it. */
function perhapsByOthers({
  target: { isUnmoved, reachedByOther },
  key,
  message,
}: Scene): readonly Explanation[] {
  const other = reachedByOther(key.label, key.firstGrantedAt);
  return other === null
    ? []
    : [
        {
          id: 'keys-independent-at-limit',
          message: `${message}: ${other} had reached its own.`,
          isRuledOut: isUnmoved,
        },
      ];
}

/** Whether the same had been answered 429 within a minute, before it was asked for. */
function wasRefusedLately(
  { refusedForms }: Pick<KeyLimits, 'refusedForms'>,
  form: string,
  { sentAt, receivedAt }: Exchange,
): boolean {
  const refused = refusedForms.get(form);
  return (
    refused !== undefined &&
    refused.first < sentAt &&
    refused.last >= receivedAt - MINUTE_MILLISECONDS + MARGIN_MILLISECONDS
  );
}

/** A key at its limit was granted a request of a new minute, when no permitted limiter begins one. */
export function explainRenewal(key: KeyLimits, exchange: Exchange, manner: Manner): Accusation {
  const { remaining, limit } = rateLimitOf(exchange) ?? { remaining: 0, limit: 0 };
  const told = `${key.label} was refused by its limit, and is told then that ${remaining} of ${limit} requests remain`;
  const lately = exchange.receivedAt - MINUTE_MILLISECONDS + MARGIN_MILLISECONDS;
  return accusationOf(
    [exchange],
    {
      id: 'limit-renews',
      message: `${told}: no window of a minute that fits its other answers begins there.`,
    },
    ...explainByEscape({ key, exchange, manner, message: told, lately }),
    ...(key.grantedForms.size > 1
      ? [{ id: 'limit-over-spellings', message: `${told}, after requests in several forms.` } as const]
      : []),
    ...(key.hasSeveralConnections
      ? [
          {
            id: 'limit-under-concurrency',
            message: `${told}, after requests over several connections.`,
          } as const,
        ]
      : []),
  );
}
