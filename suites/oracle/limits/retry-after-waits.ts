import { LONGEST_TEMPORARY_SECONDS } from '../../../contract/bans.ts';
import { rateLimitOf, retryAfterOf, type Exchange } from '../exchange.ts';
import { isWaitCertain, leastSecondsToWait, secondsToWait, type ServerClock } from '../server-clock.ts';
import type { KeyTraffic, Overlap } from './key-traffic.ts';

/** A wait after which a client was let in. */
export interface KeptWait {
  readonly wasBanned: boolean;
  /** Whether it had been refused only once. */
  readonly isFirst: boolean;
}

/** A wait that was kept for nothing. */
export interface Broken {
  readonly refusal: Exchange;
  /** Whether the key was banned before, by what its answers say. */
  readonly wasBanned: boolean;
}

// Whole seconds, rounded either way.
const SAME_END_MILLISECONDS = 3_000;

interface Told {
  /** Whether the last refusal came by itself, so that it was the last to be decided. */
  readonly isOrdered: boolean;
  readonly refusals: number;
  readonly first: Exchange;
  readonly last: Exchange;
  /** Whether every refusal was a 429. */
  readonly only429: boolean;
  readonly ends: number;
  readonly until: number;
  /** The same without bans of which nobody told the end: whoever is let in has seen it. */
  readonly toldUntil: number;
  /** Whether an answer showed a ban: by its status, or by a later end than that of the first. */
  readonly showsBan: boolean;
}

/** Whether nothing else of its key was under way with a request. */
function isByItself({ underWay, answeredMeanwhile }: Overlap): boolean {
  return underWay === 0 && answeredMeanwhile === 0;
}

/** When what a refusal asked for has passed, in milliseconds of the timekeeper. */
function endOfWait(exchange: Exchange, clock: ServerClock): number {
  const wait = isWaitCertain(exchange, clock) ? secondsToWait(exchange, clock) : undefined;
  const isUntold429 = exchange.response.status === 429 && wait === undefined;
  const seconds = isUntold429 ? Infinity : (wait ?? LONGEST_TEMPORARY_SECONDS);
  return exchange.receivedAt + seconds * 1000;
}

/** Whether a refusal asks to wait for longer than until a moment, however its Retry-After is rounded, and by whichever clock. */
function lastsBeyond(exchange: Exchange, moment: number, clock: ServerClock): boolean {
  const wait = leastSecondsToWait(exchange, clock) ?? Number.NEGATIVE_INFINITY;
  const ends = exchange.receivedAt + Math.min(wait, LONGEST_TEMPORARY_SECONDS) * 1000;
  return ends > moment + SAME_END_MILLISECONDS;
}

/** Whether the headers of two refusals name one limit each: what lasts longer then is the day, and no ban. */
function namesOtherLimit(exchange: Exchange, first: Exchange): boolean {
  const [limit, before] = [rateLimitOf(exchange)?.limit, rateLimitOf(first)?.limit];
  return limit !== undefined && before !== undefined && limit !== before;
}

/** What is told with one more refusal. */
function tellMore(
  told: Told | null,
  exchange: Exchange,
  { isOrdered, has429SinceGrant }: { readonly isOrdered: boolean; readonly has429SinceGrant: boolean },
  clock: ServerClock,
): Told {
  const isBan = exchange.response.status !== 429;
  const isUntold = isBan && has429SinceGrant && retryAfterOf(exchange) === undefined;
  const ends = endOfWait(exchange, clock);
  const grew =
    told !== null && lastsBeyond(exchange, told.ends, clock) && !namesOtherLimit(exchange, told.first);
  return {
    isOrdered,
    refusals: (told?.refusals ?? 0) + 1,
    first: told?.first ?? exchange,
    last: exchange,
    only429: !isBan && told?.only429 !== false,
    ends,
    until: Math.max(ends, told?.until ?? ends),
    toldUntil: Math.max(
      isUntold ? Number.NEGATIVE_INFINITY : ends,
      told?.toldUntil ?? Number.NEGATIVE_INFINITY,
    ),
    showsBan: isBan || told?.showsBan === true || grew,
  };
}

/** Whether a request came by itself, after refusals that are all seen. */
function isAfterAll(
  before: Told | null,
  overlap: Overlap,
  { lost, unseenUntil }: Readonly<KeyTraffic>,
): before is Told {
  return before !== null && isByItself(overlap) && lost === 0 && before.first.sentAt >= unseenUntil;
}

/** What was kept by a request that was granted, `null` if it had not waited for all refusals before. */
function waitKept(
  before: Told | null,
  { sentAt }: Exchange,
  overlap: Overlap,
  traffic: Readonly<KeyTraffic>,
): KeptWait | null {
  // Whatever else was sent, whoever is let in has seen the end of a ban of which nobody told it.
  const isSeen = before !== null && before.toldUntil < before.until && isByItself(overlap);
  if (!isSeen && !isAfterAll(before, overlap, traffic)) {
    return null;
  }
  // What came last tells what holds now: of one end whole seconds make several.
  const until = before.isOrdered ? Math.min(before.toldUntil, before.ends) : before.toldUntil;
  return sentAt >= until
    ? { wasBanned: before.showsBan, isFirst: before.refusals === 1 && before.only429 }
    : null;
}

/** Follows what the refusals of a key since its last accepted request asked its client to wait for. */
export function followRetryAfterWaits(clock: ServerClock) {
  let told: Told | null = null;
  // Of requests that were under way together, nobody knows which was decided last.
  let isCertain = true;
  let has429SinceGrant = false;

  const add = (exchange: Exchange, overlap: Overlap): void => {
    // Whatever was granted was decided before a refusal that came by itself.
    isCertain ||= isByItself(overlap);
    has429SinceGrant ||= exchange.response.status === 429;
    told = tellMore(told, exchange, { isOrdered: isByItself(overlap), has429SinceGrant }, clock);
  };

  /** A request was answered otherwise, and may have used up what the waits were for that were told before it was sent. */
  const end = ({ sentAt }: Exchange, overlap: Overlap): void => {
    isCertain = isByItself(overlap);
    told = isCertain || (told?.last.receivedAt ?? sentAt) < sentAt ? null : told;
  };

  return {
    /** Whether it was told of a ban, by a status or by a later end than that of the first refusal. */
    showsBan: (): boolean => told?.showsBan === true,
    /** Whether a refusal is that of the ban which was told of, by the same signs, and not one more like the first. */
    isOfBan: (exchange: Exchange): boolean =>
      told?.showsBan === true &&
      (exchange.response.status !== 429 || lastsBeyond(exchange, endOfWait(told.first, clock), clock)),
    /** Until when the key may be refused by what it was told, in milliseconds of the timekeeper. */
    until: (): number => told?.until ?? Number.NEGATIVE_INFINITY,
    /** The first and the last request that were refused since. */
    refusedFirst: (): Exchange | undefined => told?.first,
    refusedLast: (): Exchange | undefined => told?.last,
    /** The only refusal since its last accepted request, if that is a 429 by which nothing else can have been meant. */
    onlyRefusal: (): Exchange | null =>
      told?.refusals === 1 && told.only429 && told.isOrdered && isCertain ? told.last : null,
    /** Whether two refusals name the same end. */
    haveSameEnd: (one: Exchange, other: Exchange): boolean =>
      Math.abs(endOfWait(one, clock) - endOfWait(other, clock)) <= SAME_END_MILLISECONDS,
    /** A request was granted. @returns what was kept if its client had waited as all refusals before told it */
    grant: (exchange: Exchange, overlap: Overlap, traffic: Readonly<KeyTraffic>): KeptWait | null => {
      const kept = isCertain ? waitKept(told, exchange, overlap, traffic) : null;
      end(exchange, overlap);
      has429SinceGrant = false;
      return kept;
    },
    end,
    /** Begins anew, as with a key of which nothing is known. */
    forget: (): void => {
      told = null;
      isCertain = true;
    },
    /**
     * Takes a refusal: a 429, or a 401 or 403 that may be a ban.
     * @param mayBeFull whether a limit may have been reached
     * @returns what was broken if its client had waited for all refusals before
     */
    refuse: (
      exchange: Exchange,
      overlap: Overlap,
      traffic: Readonly<KeyTraffic>,
      mayBeFull: () => boolean,
    ): Broken | null => {
      const before: Told | null = told;
      const is429 = exchange.response.status === 429;
      // Of several 429s the last one tells what holds now.
      const isReplaced = before?.only429 === true && before.isOrdered && is429;
      const hasWaited =
        isCertain &&
        isAfterAll(before, overlap, traffic) &&
        exchange.sentAt >= (isReplaced ? before.ends : before.until);
      // After a ban by 401 or 403 the minute may still be used up.
      const isBroken = hasWaited && (!is429 || before.only429 || !mayBeFull());
      add(exchange, overlap);
      if (!isBroken) {
        return null;
      }
      told = null;
      return { refusal: before.last, wasBanned: before.showsBan };
    },
  };
}
