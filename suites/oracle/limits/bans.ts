import { BAN_STATUSES } from '../../../contract/bans.ts';
import { MINUTE_SECONDS } from '../../../contract/plans.ts';
import { isAccepted, type Exchange } from '../exchange.ts';
import type { HistoryEvent, KnownKey, SentRequest } from '../history.ts';
import { isWaitCertain, secondsToWait, type ServerClock } from '../server-clock.ts';
import type { KeyTraffics, Overlap } from './key-traffic.ts';
import { openTimeline, type Timeline } from './timeline.ts';
import { MARGIN_MILLISECONDS } from './margin.ts';

type Ending = Extract<HistoryEvent, { readonly type: 'response-received' | 'response-lost' }>;

/** How the client of a key behaves. */
interface Conduct {
  key: KnownKey | null;
  /** What was sent lately. */
  readonly sent: Timeline;
  sentInAll: number;
  /** Whether every request is known that counts into its day. */
  isWhole: boolean;
  /** Since when nobody else has used it, if not that. */
  wholeSince: number;
  /** Before this moment a patient client sends nothing. */
  retryAt: number;
  /** Whether a request may have been decided after a 429 and before its Retry-After had passed. */
  continued: boolean;
  /** What the first 429 since the last granted request asked to wait for, and how many like it followed. */
  firstWait: { readonly until: number; endured: number } | null;
}

// A Retry-After that goes this much further is no longer that of the limit.
const LONGER_MILLISECONDS = 3_000;

/** Of so many requests a day none is likely to be the last one. */
export const MANY_A_DAY = 500;

// A sliding counter weighs the window before, too.
const LOOK_BACK_MILLISECONDS = 2 * MINUTE_SECONDS * 1000 + MARGIN_MILLISECONDS;

function openConduct(): Conduct {
  return {
    key: null,
    sent: openTimeline(LOOK_BACK_MILLISECONDS + MARGIN_MILLISECONDS),
    sentInAll: 0,
    isWhole: true,
    wholeSince: Infinity,
    retryAt: Number.NEGATIVE_INFINITY,
    continued: false,
    firstWait: null,
  };
}

/**
 * Follows which keys may be banned: those whose client went on after a 429 (specification, section "Behaviour at the limit").
 * A target may see a request as continued that was under way already when the client got the 429, unless it was granted.
 * What was sent too early is forgiven once a request is accepted that had waited, with no other under way.
 */
export function followBans(clock: ServerClock, traffic: Pick<KeyTraffics, 'of'>) {
  const conducts = new Map<string, Conduct>();
  let mostEndured = 0;
  // What held when an exchange was decided that may be the answer of a ban.
  const decided = new WeakMap<Exchange, { readonly label: string; readonly mayBeBanned: boolean }>();
  const conductOf = (label: string): Conduct => {
    let conduct = conducts.get(label);
    if (conduct === undefined) {
      conduct = openConduct();
      conducts.set(label, conduct);
    }
    return conduct;
  };
  /** Until a request is accepted, the key may be banned for what nobody saw. */
  const distrust = (label: string): void => {
    traffic.of(label).refused += 1;
    const conduct = conductOf(label);
    conduct.retryAt = Infinity;
    conduct.continued = true;
    conduct.isWhole = false;
    conduct.wholeSince = Infinity;
  };
  return {
    known: (key: KnownKey): void => {
      conductOf(key.label).key = key;
      // What others do with a key nobody knows in any case.
      if (key.isExclusive && key.usedToday === null) {
        distrust(key.label);
        conductOf(key.label).wholeSince = key.exclusiveSince ?? Infinity;
      }
    },
    /** Something was not seen. */
    missed: (): void => [...conducts.keys()].forEach(distrust),
    sent: (label: string, { at }: SentRequest): void => {
      const conduct = conductOf(label);
      conduct.sent.add({ from: at, to: at }, 'perhaps');
      conduct.sentInAll += 1;
      conduct.continued ||= at < conduct.retryAt;
    },
    ended: (label: string, event: Ending, overlap: Overlap): void => {
      const conduct = conductOf(label);
      if (event.type === 'response-lost') {
        // It may have been a 429 that asked for any wait.
        conduct.retryAt = Infinity;
        conduct.continued ||= overlap.underWay > 0 || overlap.refusedMeanwhile > 0;
        return;
      }
      const { exchange } = event;
      if (isAccepted(exchange)) {
        forgive(conduct, exchange, overlap);
      } else {
        const isAmongOthers = overlap.underWay > 0 || overlap.answeredMeanwhile > 0;
        // Of requests that were under way together, the target may have answered another with the first 429.
        const mayBeBanned = conduct.continued || (isAmongOthers && mayReachLimit(conduct, exchange));
        decided.set(exchange, { label, mayBeBanned });
        refuse(conduct, exchange, mayBeBanned, clock);
        mostEndured = Math.max(mostEndured, conduct.firstWait?.endured ?? 0);
      }
    },
    forget: (label: string): void => {
      conducts.delete(label);
    },
    /** The most requests that one key went on with after a 429, and that were answered as that was. */
    mostEndured: (): number => mostEndured,
    /** Whether another key was refused, and may be banned by now. */
    mayOtherBeBanned: (label: string): boolean =>
      conducts
        .entries()
        .some(([other, { continued, firstWait }]) => other !== label && continued && firstWait !== null),
    /** When this exchange was decided, or by now. */
    mayBeBanned: (label: string, exchange?: Exchange): boolean => {
      if (exchange?.key === label && (isAccepted(exchange) || isComplaint(exchange))) {
        return false;
      }
      const own = exchange === undefined ? undefined : decided.get(exchange);
      return own?.label === label ? own.mayBeBanned : conducts.get(label)?.continued === true;
    },
  };
}

/** A complaint about the request itself, which no ban answers. */
function isComplaint({ response: { status } }: Exchange): boolean {
  return status === 400 || status === 404;
}

function forgive(
  conduct: Conduct,
  { sentAt }: Exchange,
  { underWay, refusedMeanwhile, sent }: Overlap,
): void {
  conduct.firstWait = null;
  const hasWaited = sentAt >= conduct.retryAt || conduct.retryAt === Infinity;
  if (underWay === 0 && refusedMeanwhile === 0 && hasWaited && sentAt >= sent.traffic.unseenUntil) {
    conduct.continued = false;
    conduct.retryAt = Number.NEGATIVE_INFINITY;
  }
}

function refuse(conduct: Conduct, exchange: Exchange, mayBeBanned: boolean, clock: ServerClock): void {
  const { status } = exchange.response;
  if (!BAN_STATUSES.has(status)) {
    return;
  }
  // One that was sent before another refusal had passed may have been decided after it.
  conduct.continued ||= status === 429 ? exchange.sentAt < conduct.retryAt : mayBeBanned;
  // Nobody knows when a date has come by a clock of which nothing is known.
  if (!isWaitCertain(exchange, clock)) {
    conduct.firstWait ??= { until: Infinity, endured: 0 };
    conduct.retryAt = Infinity;
    return;
  }
  // Nobody knows how long a Retry-After that cannot be read asks for; a minute is patient.
  const wait = secondsToWait(exchange, clock) ?? (status === 429 ? MINUTE_SECONDS : undefined);
  if (wait === undefined) {
    return;
  }
  const until = exchange.receivedAt + wait * 1000;
  const { firstWait } = conduct;
  if (firstWait === null) {
    conduct.firstWait = { until, endured: 0 };
  } else if (
    status === 429 &&
    exchange.sentAt < conduct.retryAt &&
    until <= firstWait.until + LONGER_MILLISECONDS
  ) {
    firstWait.endured += 1;
  }
  conduct.retryAt = Math.max(conduct.retryAt, until);
}

/** Whether so many requests left that one of them may have gone beyond a limit. */
function mayReachLimit(
  { key, sent, sentInAll, isWhole, wholeSince }: Conduct,
  { sentAt, receivedAt }: Exchange,
): boolean {
  if (key === null || key.limits === null) {
    return true;
  }
  const { perMinute, perDay } = key.limits;
  const isMinuteKnown = sentAt >= wholeSince + LOOK_BACK_MILLISECONDS && perDay >= MANY_A_DAY;
  const isBeyondMinute = sent.atMost(sentAt - LOOK_BACK_MILLISECONDS, receivedAt) > perMinute;
  return isWhole
    ? isBeyondMinute || sentInAll + (key.usedToday ?? 0) > perDay
    : isBeyondMinute || !isMinuteKnown;
}
