import { BAN_STATUSES } from '../../../../contract/bans.ts';
import { MINUTE_SECONDS, type PlanLimits } from '../../../../contract/plans.ts';
import type { RequirementId } from '../../../../contract/requirements/index.ts';
import { rateLimitOf, type Exchange } from '../../exchange.ts';
import type { Accusation } from '../../history-monitor.ts';
import type { Explanation } from '../../../../contract/verdict.ts';
import type { KeyLimits } from '../key-limits.ts';
import { accusationOf, explainIf } from '../../accusation.ts';
import type { Manner } from '../judging/judging-context.ts';

const MINUTE_MILLISECONDS = MINUTE_SECONDS * 1000;
// A sliding counter is full for two windows at most.
const LONGEST_MINUTE_WAIT_SECONDS = 122;

/** What else may have had a request refused. */
export interface Suspects {
  /** Another key that was refused by its own limit just now. */
  readonly atLimit: string | null;
  /** Another key that may be banned just now. */
  readonly banned: string | null;
  /** Other keys that are told to wait, whenever this one was served. */
  readonly beside: Readonly<
    Record<'banned' | 'atLimit', { readonly label: string; readonly isRuledOut: () => boolean } | null>
  >;
  /**
   * If requests of other keys use up a limit of this one, if they count on it as well: whether they turned out not to. Else
   * `null`.
   */
  readonly isApart: (() => boolean) | null;
  /** Whether requests of other keys, if they count on this one as well, make up just what its minute grants. */
  readonly isUsedByOthers: boolean;
  /** Seconds that the answer asks for. */
  readonly wait: number | undefined;
  /** Whether one request was seen to use up more than one. */
  readonly fellByMore: () => boolean;
  readonly manner: Manner;
  /** Whether another key of the plan was refused after exactly as many requests as its limit. */
  readonly isKept: Readonly<Record<'minute' | 'day', boolean>>;
}

/** A request was answered 429, though neither limit can have been reached and no ban can have begun. */
export function explainRefusal(
  key: KeyLimits,
  exchange: Exchange,
  used: { readonly minute: number; readonly day: number },
  suspects: Suspects,
): Accusation {
  const { perMinute, perDay } = key.limits;
  const ofDay = used.day === Infinity ? '' : ` and ${used.day} of ${perDay} in a day`;
  const soFar = `${key.label} was answered 429 when at most ${used.minute} of ${perMinute} requests in a minute${ofDay} had counted`;
  const { wait } = suspects;
  // A day of which nobody knows what counted is no reason, or it would not be asked for one.
  const day = used.day === Infinity ? 0 : used.day;
  const isDay = isOfDay(exchange, day, key.limits);
  const reading = rateLimitOf(exchange);
  const isTold = !isDay && hasToldItself(key);
  const scene: Scene = {
    key,
    exchange,
    // What other keys come to shows in none of its own answers before, unless they share its count.
    suspects: isTold
      ? { ...suspects, atLimit: null, banned: null, beside: { banned: null, atLimit: null } }
      : suspects,
    isFar: 2 * used.minute < perMinute && 2 * day < perDay,
    isDay,
    isSaidOfDay: reading?.limit === perDay && reading.remaining === 0,
    isLong: wait !== undefined && wait > LONGEST_MINUTE_WAIT_SECONDS,
    when: (holds, id, more, isRuledOut) => explainIf(holds, id, `${soFar}${more}`, isRuledOut),
  };
  const ofPlan: Explanation = {
    id: scene.isDay ? `day-limit-${key.plan}` : `minute-limit-${key.plan}`,
    message: `${soFar}${isTold ? ', as its X-RateLimit-Remaining had told before' : ''}.`,
  };
  const [first = ofPlan, ...others] = likelyOfRefusal(scene);
  return accusationOf([exchange], first, ...others, ofPlan, ...perhapsOfRefusal(scene));
}

interface Scene {
  readonly key: KeyLimits;
  readonly exchange: Exchange;
  readonly suspects: Suspects;
  /** Whether each limit was far. */
  readonly isFar: boolean;
  /** Whether the day is what refuses. */
  readonly isDay: boolean;
  /** Whether the answer says that nothing remains of the day. */
  readonly isSaidOfDay: boolean;
  /** Whether no minute asks for so long a wait. */
  readonly isLong: boolean;
  readonly when: (
    holds: boolean,
    id: RequirementId,
    more: string,
    isRuledOut?: () => boolean,
  ) => readonly Explanation[];
}

function likelyOfRefusal(scene: Scene): readonly Explanation[] {
  const { key, exchange, suspects, isFar, isDay, isSaidOfDay, isLong, when } = scene;
  const { limits, plan, keptAt, usedUpSince } = key;
  const { wait, manner, isKept, fellByMore } = suspects;
  const lastMinute = exchange.sentAt - MINUTE_MILLISECONDS;
  return [
    ...when(
      isFar && !isDay && key.banEndedAt > keptAt,
      'ban-ends',
      ', when its ban was over for another request.',
    ),
    ...when(
      hasWaited(key, exchange),
      'retry-after-honoured',
      ', and what it had been told to wait for had passed.',
    ),
    ...when(
      isFar && !isDay && suspects.isUsedByOthers,
      'keys-independent-at-limit',
      ', and those of other keys make up the rest.',
      suspects.isApart ?? undefined,
    ),
    // The minute before it may be what refuses.
    ...when(
      !isDay && !isLong && key.minute.atLeastInTwo(exchange.sentAt) >= limits.perMinute,
      'limit-renews',
      ', in a minute after another that was used up.',
      fellByMore,
    ),
    // A limit of one is never far: a key that is refused at once may never be served.
    ...(limits.perMinute > 1 && (isFar || isKept[isDay ? 'day' : 'minute']) ? byOthers(scene) : []),
    ...when(
      isFar && usedUpSince < lastMinute && !isDay,
      'limit-renews',
      ', in a minute after another that was used up.',
      fellByMore,
    ),
    ...when((isDay || isLong) && isFar && hasUsedUpDay(key), 'limit-renews', ', in a day after another.'),
    ...when(isDay || (isLong && hasUsedUpDay(key)), `day-limit-${plan}`, '.'),
    ...when(
      isLong && !isSaidOfDay,
      'ban-only-after-continued',
      `, and is to wait ${Math.ceil(wait ?? 0)} s: it is banned, though it never went on after a 429.`,
    ),
    ...when(
      manner.isOnlyConcurrent,
      'limit-under-concurrency',
      ': the whole limit is granted to requests that are sent one by one.',
    ),
    ...when(
      !isDay && keptAt < lastMinute && keptAt > Number.NEGATIVE_INFINITY,
      'limit-renews',
      ', in a minute after another.',
      fellByMore,
    ),
  ];
}

/** Whether what it was to wait for by its last refusal has passed. */
function hasWaited({ toldUntil }: KeyLimits, { sentAt }: Exchange): boolean {
  return toldUntil > Number.NEGATIVE_INFINITY && toldUntil <= sentAt;
}

/** Whether a key that nobody else ever used was told before that nothing remains of its minute. */
function hasToldItself({ issuedAt, lastUsed, limits }: KeyLimits): boolean {
  return issuedAt !== undefined && lastUsed?.window === 'minute' && lastUsed.used === limits.perMinute;
}

function hasUsedUpDay({ usedToday, traffic, limits }: KeyLimits): boolean {
  return (usedToday ?? 0) + traffic.granted >= limits.perDay;
}

/** What may be why if it is why of much else. */
function perhapsOfRefusal(scene: Scene): readonly Explanation[] {
  const { key, exchange, suspects, isDay, isLong, when } = scene;
  const { manner, isApart, beside, fellByMore } = suspects;
  // Another key is at its limit, or uses up that of this one.
  const ruledOut = [beside.atLimit?.isRuledOut, isApart].filter((one) => typeof one === 'function');
  return [
    // What is to wait for long may wait for the end of a day.
    ...when(isLong, `day-limit-${key.plan}`, '.'),
    ...when(key.limits.perMinute === key.limits.perDay, `minute-limit-${key.plan}`, '.'),
    ...when(isDay || hasUsedUpDay(key), 'limit-renews', ', in a day after another.'),
    ...when(key.usedUpSince < Infinity, 'limit-renews', ', in a minute after another.', fellByMore),
    ...when(
      key.waitedAt > exchange.sentAt - MINUTE_MILLISECONDS,
      'retry-after-honoured',
      ', soon after it had waited as told.',
      fellByMore,
    ),
    ...when(hasWaited(key, exchange), 'ban-only-after-continued', ': it is banned all the same.'),
    ...when(manner.isAmongOthers, 'limit-under-concurrency', '. Some were under way together.'),
    ...when(key.banEndedAt > Number.NEGATIVE_INFINITY, 'ban-ends', ', after its ban.'),
    ...byOthers(scene),
    ...when(
      beside.banned !== null,
      'keys-independent-in-ban',
      `, while ${beside.banned?.label} was banned.`,
      beside.banned?.isRuledOut,
    ),
    ...when(ruledOut.length > 0, 'keys-independent-at-limit', ', with those of other keys more.', () =>
      ruledOut.every((isRuledOut) => isRuledOut()),
    ),
  ];
}

/** What other keys have come to since it was last served. */
function byOthers({ suspects: { atLimit, banned }, when }: Scene): readonly Explanation[] {
  return [
    ...when(banned !== null, 'keys-independent-in-ban', `, while ${banned} was banned.`),
    ...when(atLimit !== null, 'keys-independent-at-limit', `, while ${atLimit} was at its limit.`),
  ];
}

/** Which limit refuses, by the headers if they tell, else by what is near. */
function isOfDay(exchange: Exchange, used: number, { perMinute, perDay }: PlanLimits): boolean {
  const reading = rateLimitOf(exchange);
  const isOfMinute = reading?.limit === perMinute && reading.remaining === 0;
  return reading?.limit === perDay || (!isOfMinute && 2 * used >= perDay);
}

/**
 * A valid key was refused, neither by 429 nor in a ban of its own.
 * @param by which limits may have been reached
 * @param wasRefused whether the same had been answered 429 lately
 * @param isSeenFar whether keys far from each limit were answered so, by what was seen until it is asked
 */
export function explainOtherRefusal(
  { label, continued, grantedAt, minute, limits }: KeyLimits,
  exchange: Exchange,
  {
    by,
    wasRefused,
    isSeenFar,
  }: {
    readonly by: { readonly minute: boolean; readonly day: boolean };
    readonly wasRefused: boolean;
    readonly isSeenFar: () => boolean;
  },
  {
    banned,
    beside,
    wait,
  }: Pick<Suspects, 'banned' | 'wait'> & { readonly beside: Suspects['beside']['banned'] },
): Accusation {
  const { status } = exchange.response;
  const isLong = wait !== undefined && wait > LONGEST_MINUTE_WAIT_SECONDS;
  const isBan = BAN_STATUSES.has(status) && (continued > 0 || (!by.day && (!by.minute || isLong)));
  const ofBan: Explanation = {
    id: 'ban-only-after-continued',
    message: `${label} was answered ${status}, though it never went on after a 429.`,
  };
  const ofLimit: Explanation = {
    id: 'refusal-is-429',
    message: `${label} was answered ${status} when its limit was reached, and not 429.`,
    isRuledOut: isSeenFar,
  };
  const ofOther = explainIf(
    beside !== null,
    'keys-independent-in-ban',
    `${label} was answered ${status} while ${beside?.label} was banned.`,
    beside?.isRuledOut,
  );
  const isFar = 2 * minute.atLeastGranted(exchange.receivedAt) < limits.perMinute;
  // Nobody knows of a key that was never served whether it is known at all; if it is not, that is a 401.
  const ofKey = explainIf(
    grantedAt === Infinity || isFar,
    'valid-key-accepted',
    `${label} was answered ${status}, though the key is valid.`,
  );
  const ofBanAnswer = explainIf(
    continued > 0 && !BAN_STATUSES.has(status),
    'ban-answer',
    `${label}, which had gone on after a 429, was answered ${status}.`,
  );
  const [first = ofBan, ...others] = [
    ...(status === 403 && isFar ? ofOther : []),
    ...(grantedAt === Infinity ? ofKey : []),
    ...explainIf(
      banned !== null,
      'keys-independent-in-ban',
      `${label}, which had been served before, was answered ${status} while ${banned} was banned.`,
    ),
    ...(isFar ? ofOther : []),
    // The limit itself answers that 429.
    ...(wasRefused ? ofBanAnswer : []),
    ...(isBan ? [ofBan, ofLimit] : [ofLimit, ofBan]),
    ...ofBanAnswer,
    ...(isFar ? [] : ofOther),
    ...ofKey,
  ];
  return accusationOf([exchange], first, ...others);
}
