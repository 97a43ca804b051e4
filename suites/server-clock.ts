import { dateOf, type Exchange } from './exchange.ts';

/** A span of Unix seconds in which a moment lies. */
export interface TimeSpan {
  readonly earliest: number;
  readonly latest: number;
}

/**
 * What is known of the server's own clock. Moments are given as milliseconds of the timekeeper, which
 * moves along with the control clock; answers are Unix seconds by the server.
 */
export interface ServerClock {
  /** Where the answer comes from; without a source nothing is known of the server's time of day. */
  readonly source: 'control' | 'date' | 'none';
  /** When the server answered this exchange. */
  spanOf(exchange: Exchange): TimeSpan | undefined;
  /** The server's time at a moment. */
  at(milliseconds: number): TimeSpan | undefined;
  /** Learns from a Date header. */
  learnFromExchange(exchange: Exchange): void;
  /** Learns from the control clock: it said `now` at some moment between the two. */
  learnFromControl(now: number, sentAt: number, receivedAt: number): void;
}

interface OffsetSpan {
  low: number;
  high: number;
}

// A server may cache its Date header; a second late is common.
const DATE_STALENESS_SECONDS = 1;

/** Follows the server's clock by narrowing the offset between it and the timekeeper. */
export function followServerClock(): ServerClock {
  let control: OffsetSpan | undefined;
  let date: OffsetSpan | undefined;
  return {
    get source() {
      return control !== undefined ? 'control' : date !== undefined ? 'date' : 'none';
    },
    spanOf(exchange) {
      if (control !== undefined) {
        return {
          earliest: exchange.sentAt / 1000 + control.low,
          latest: exchange.receivedAt / 1000 + control.high,
        };
      }
      const stated = dateOf(exchange);
      return stated === undefined
        ? undefined
        : { earliest: stated, latest: stated + 1 + DATE_STALENESS_SECONDS };
    },
    at(milliseconds) {
      const offset = control ?? date;
      return offset === undefined
        ? undefined
        : { earliest: milliseconds / 1000 + offset.low, latest: milliseconds / 1000 + offset.high };
    },
    learnFromExchange(exchange) {
      const stated = dateOf(exchange);
      if (stated === undefined) {
        return;
      }
      const sample = { low: stated - exchange.receivedAt / 1000, high: stated + 1 - exchange.sentAt / 1000 };
      date = narrow(date, sample);
    },
    learnFromControl(now, sentAt, receivedAt) {
      // A whole number may have been rounded down.
      const rounding = Number.isInteger(now) ? 1 : 0;
      control = narrow(control, { low: now - receivedAt / 1000, high: now + rounding - sentAt / 1000 });
    },
  };
}

/** The overlap; where two samples exclude each other the clock was set, and the newer one counts. */
function narrow(known: OffsetSpan | undefined, sample: OffsetSpan): OffsetSpan {
  if (known === undefined) {
    return sample;
  }
  const low = Math.max(known.low, sample.low);
  const high = Math.min(known.high, sample.high);
  return low <= high ? { low, high } : sample;
}
