import { LONGEST_TEMPORARY_SECONDS } from '../../contract/bans.ts';
import { dateOf, retryAfterOf, type Exchange } from './exchange.ts';

/** A span of Unix seconds in which a moment lies. */
export interface TimeSpan {
  readonly earliest: number;
  readonly latest: number;
}

/** How much faster and slower than the timekeeper a clock was seen to go between two readings; shares of the time. */
export interface ClockDrift {
  readonly gains: number;
  readonly loses: number;
}

interface OffsetSpan {
  readonly low: number;
  readonly high: number;
}

/** What the control clock said last. */
interface ControlReading extends OffsetSpan, ClockDrift {
  /** Milliseconds of the timekeeper. */
  readonly at: number;
}

/** Answers in a row whose Dates are behind the known offset, and agree. */
interface Behind {
  readonly span: OffsetSpan;
  readonly answers: number;
  readonly dates: number;
  readonly stated: number;
}

// A server may cache its Date header; a second late is common.
const DATE_STALENESS_SECONDS = 1;
// A single Date may be older than that on a busy server; so far behind, the clock was set.
const STALE_SECONDS = 3_600;
// As many answers that agree may tell of a clock that was set back, or carry one cached Date.
const DOUBTFUL_ANSWERS = 10;
// As many Dates that agree, none of them told twice, are no stale ones.
const SET_BACK_DATES = 10;
const DATE_GRACE_SECONDS = 60;
const CACHED_MILLISECONDS = 10_000;
const STALE_SECONDS_AT_MOST = 120;
// Until as many different ones are known, the only ones may be the stale ones.
const FEW_DATES = 3;
const CACHED_SECONDS = 10;

// A clock of which nothing is known may be behind ours by so much.
const CLOCKS_APART_SECONDS = 5;

export type ServerClock = ReturnType<typeof followServerClock>;

/**
 * Follows the server's own clock by narrowing the offset between it and the timekeeper. Moments are given as milliseconds of the
 * timekeeper, which moves along with the control clock; answers are Unix seconds by the server.
 */
export function followServerClock() {
  let control: ControlReading | undefined;
  const dates = followDates();
  const rightDates = keepRightDates();

  return {
    /** Where the answer comes from; without a source nothing is known of the server's time of day. */
    get source(): 'control' | 'date' | 'none' {
      return control !== undefined ? 'control' : dates.areKnown() ? 'date' : 'none';
    },
    /** When the server answered this exchange. */
    spanOf(exchange: Exchange): TimeSpan | undefined {
      if (control !== undefined) {
        return spanByControl(control, exchange.sentAt, exchange.receivedAt);
      }
      const stated = dateOf(exchange);
      return stated === undefined ? undefined : dates.spanOf(exchange, stated);
    },
    /** The server's time at a moment. */
    at(milliseconds: number): TimeSpan | undefined {
      return control === undefined
        ? dates.at(milliseconds)
        : spanByControl(control, milliseconds, milliseconds);
    },
    /**
     * Whether its Date is right within a minute by the control clock or by this machine's, or was a few seconds ago, since
     * a Date that is cached stays when the clock is advanced. `undefined` without a control clock.
     */
    isDateRight(exchange: Exchange): boolean | undefined {
      if (control === undefined) {
        return undefined;
      }
      const stated = dateOf(exchange);
      if (stated === undefined) {
        return false;
      }
      const wall = exchange.startedAt.getTime();
      return (
        isNear(stated, spanByControl(control, exchange.sentAt, exchange.receivedAt)) ||
        // A Date that the system tells does not move along with the control clock.
        isNear(stated, { earliest: wall / 1000, latest: wall / 1000 + 1 }) ||
        rightDates.has(stated, wall)
      );
    },
    /** Learns from a Date header. */
    learnFromExchange(exchange: Exchange): void {
      const stated = dateOf(exchange);
      if (stated === undefined) {
        return;
      }
      if (
        control !== undefined &&
        isNear(stated, spanByControl(control, exchange.sentAt, exchange.receivedAt))
      ) {
        rightDates.note(stated, exchange.startedAt.getTime());
      }
      dates.learn(exchange, stated);
    },
    /**
     * Learns from the control clock, which was within that span at that moment; what it said before no longer counts.
     * @param drift none by default
     */
    learnFromControl({ earliest, latest }: TimeSpan, at: number, drift?: ClockDrift): void {
      const { gains, loses } = drift ?? { gains: 0, loses: 0 };
      control = { low: earliest - at / 1000, high: latest - at / 1000, at, gains, loses };
    },
  };
}

/** Follows the offset that the Dates of all answers tell, since a single one may be stale. */
function followDates() {
  let known: OffsetSpan | undefined;
  let changes = 0;
  let newest: number | undefined;
  let behind: Behind | undefined;

  /** If the clock was set back, it is so low, as long as a cached Date could say the same. */
  const lowest = ({ low }: OffsetSpan): number =>
    behind !== undefined && behind.answers >= DOUBTFUL_ANSWERS ? Math.min(low, behind.span.low) : low;

  return {
    areKnown: (): boolean => known !== undefined,
    /** When the server answered an exchange with that Date. */
    spanOf: (exchange: Exchange, stated: number): TimeSpan => {
      if (known === undefined) {
        return { earliest: stated, latest: stated + 1 + DATE_STALENESS_SECONDS };
      }
      // No Date is ahead of its clock, so the answer's own one still tells the earliest moment.
      const earliest = Math.max(stated, exchange.sentAt / 1000 + lowest(known));
      const latest = Math.max(stated, exchange.receivedAt / 1000 + known.high) + DATE_STALENESS_SECONDS;
      const wall = (exchange.startedAt.getTime() + exchange.durationMilliseconds) / 1000;
      // Dates that are behind this machine's clock may be stale, all of them.
      const byWall = wall - stated < STALE_SECONDS_AT_MOST ? wall : latest;
      return { earliest, latest: Math.max(latest + (changes < FEW_DATES ? CACHED_SECONDS : 0), byWall) };
    },
    at: (milliseconds: number): TimeSpan | undefined =>
      known && {
        earliest: milliseconds / 1000 + lowest(known),
        latest: milliseconds / 1000 + known.high,
      },
    learn: (exchange: Exchange, stated: number): void => {
      changes += stated === newest ? 0 : 1;
      newest = stated;
      const sample = { low: stated - exchange.receivedAt / 1000, high: stated + 1 - exchange.sentAt / 1000 };
      const lag = known === undefined ? 0 : known.low - sample.high;
      if (lag <= 0 || lag > STALE_SECONDS) {
        known = narrow(known, sample);
        behind = undefined;
        return;
      }
      behind = further(behind, sample, stated);
      if (behind.dates >= SET_BACK_DATES) {
        known = behind.span;
        behind = undefined;
      }
    },
  };
}

function further(behind: Behind | undefined, sample: OffsetSpan, stated: number): Behind {
  if (behind === undefined || behind.span.low > sample.high || sample.low > behind.span.high) {
    return { span: sample, answers: 1, dates: 1, stated };
  }
  return {
    span: narrow(behind.span, sample),
    answers: behind.answers + 1,
    dates: behind.dates + (stated === behind.stated ? 0 : 1),
    stated,
  };
}

/** Keeps Dates that were right by the control clock in the last seconds; moments are milliseconds of this machine. */
function keepRightDates() {
  const lastAt = new Map<number, number>();
  return {
    note: (date: number, moment: number): void => {
      for (const [other, last] of lastAt) {
        if (moment - last > CACHED_MILLISECONDS) {
          lastAt.delete(other);
        }
      }
      lastAt.set(date, moment);
    },
    has: (date: number, moment: number): boolean =>
      moment - (lastAt.get(date) ?? Number.NEGATIVE_INFINITY) <= CACHED_MILLISECONDS,
  };
}

/** The server's time between two moments, by its control clock. */
function spanByControl({ low, high, at, gains, loses }: ControlReading, from: number, to: number): TimeSpan {
  const secondsSince = (moment: number): number => Math.max(0, moment - at) / 1000;
  return {
    earliest: from / 1000 + low - loses * secondsSince(from),
    latest: to / 1000 + high + gains * secondsSince(to),
  };
}

function isNear(moment: number, { earliest, latest }: TimeSpan): boolean {
  return moment >= earliest - DATE_GRACE_SECONDS && moment <= latest + DATE_GRACE_SECONDS;
}

/** The overlap; if two samples exclude each other the clock was set, and the newer one counts. */
function narrow(known: OffsetSpan | undefined, sample: OffsetSpan): OffsetSpan {
  if (known === undefined) {
    return sample;
  }
  const low = Math.max(known.low, sample.low);
  const high = Math.min(known.high, sample.high);
  return low <= high ? { low, high } : sample;
}

/**
 * Seconds from the receipt of a response until its Retry-After has certainly passed for the server, or what it may ask
 * for at most: nobody who was asked for decades is told apart from one that is never let in.
 */
export function secondsToWait(exchange: Exchange, clock: ServerClock): number | undefined {
  const asked = secondsAsked(exchange, clock);
  const apart = isWaitCertain(exchange, clock) ? 0 : CLOCKS_APART_SECONDS;
  return asked === undefined ? undefined : Math.min(asked + apart, LONGEST_TEMPORARY_SECONDS);
}

/** The same, however long it is. */
export function secondsAsked(exchange: Exchange, clock: ServerClock): number | undefined {
  const retryAfter = retryAfterOf(exchange);
  if (retryAfter === undefined) {
    return undefined;
  }
  if (retryAfter.form === 'delta-seconds') {
    return retryAfter.seconds;
  }
  const now = clock.at(exchange.receivedAt)?.earliest ?? exchange.startedAt.getTime() / 1000;
  return Math.max(0, retryAfter.unixSeconds - now);
}

/** The shortest that such a wait may be: a date is compared with the latest that the server's clock may say. */
export function leastSecondsToWait(exchange: Exchange, clock: ServerClock): number | undefined {
  const retryAfter = retryAfterOf(exchange);
  if (retryAfter?.form !== 'http-date') {
    return retryAfter?.seconds;
  }
  const now = clock.at(exchange.receivedAt)?.latest;
  return now === undefined ? undefined : Math.max(0, retryAfter.unixSeconds - now);
}

/** Whether it is certain when a Retry-After has passed: not of a date on a clock that nothing is known of. */
export function isWaitCertain(exchange: Exchange, clock: ServerClock): boolean {
  return clock.source !== 'none' || retryAfterOf(exchange)?.form !== 'http-date';
}
