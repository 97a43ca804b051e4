import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { LONGEST_TEMPORARY_SECONDS } from '../../contract/bans.ts';
import type { Exchange } from './exchange.ts';
import { sampleExchange } from './exchange.test-data.ts';
import {
  followServerClock,
  isWaitCertain,
  leastSecondsToWait,
  secondsToWait,
  type TimeSpan,
} from './server-clock.ts';

// Doubles hold today's Unix time to less than a microsecond.
const TOLERANCE = 1e-5;

const httpDate = (unixSeconds: number): string => new Date(Math.floor(unixSeconds) * 1000).toUTCString();

/** What a server's clock is ahead of the timekeeper's, in seconds; it may be wrong by years. */
const anyOffset = fc
  .integer({ min: 10 ** 9, max: 4 * 10 ** 9 })
  .chain((seconds) => fc.integer({ min: 0, max: 999_999 }).map((micros) => seconds + micros / 1e6));

/** Milliseconds: when a request is sent, how long it takes to reach the server, and the response to come back. */
const journey = fc.record({
  sentAt: fc.integer({ min: 0, max: 200_000 }),
  outward: fc.integer({ min: 0, max: 4_000 }),
  homeward: fc.integer({ min: 0, max: 4_000 }),
});

interface Answer {
  readonly exchange: Exchange;
  /** The server's true time when it answered. */
  readonly answeredAt: number;
}

function answer(
  offset: number,
  { sentAt, outward, homeward }: { sentAt: number; outward: number; homeward: number },
  staleness = 0,
): Answer {
  const answeredAt = (sentAt + outward) / 1000 + offset;
  const receivedAt = sentAt + outward + homeward;
  const headers = [['Date', httpDate(answeredAt - staleness)]] as const;
  return { exchange: sampleExchange({ headers, sentAt, receivedAt }), answeredAt };
}

/** How far the truth lies outside the span, in seconds. */
function distance(truth: number, { earliest, latest }: TimeSpan = NOTHING_KNOWN): number {
  return Math.max(0, earliest - truth, truth - latest);
}

const NOTHING_KNOWN: TimeSpan = { earliest: Number.NaN, latest: Number.NaN };

const journeys = fc.array(journey, { minLength: 1, maxLength: 20 });

describe('a clock known from Date headers', () => {
  test('never excludes the truth, however often it is narrowed', () => {
    fc.assert(
      fc.property(anyOffset, journeys, fc.integer({ min: 0, max: 10 ** 6 }), (offset, trips, moment) => {
        const clock = followServerClock();
        for (const trip of trips) {
          const { exchange, answeredAt } = answer(offset, trip);
          clock.learnFromExchange(exchange);
          expect(distance(answeredAt, clock.spanOf(exchange))).toBeLessThan(TOLERANCE);
          expect(distance(moment / 1000 + offset, clock.at(moment))).toBeLessThan(TOLERANCE);
        }
        expect(clock.source).toBe('date');
      }),
    );
  });

  test('only narrows', () => {
    fc.assert(
      fc.property(anyOffset, journeys, (offset, trips) => {
        const clock = followServerClock();
        let width = Number.POSITIVE_INFINITY;
        for (const trip of trips) {
          clock.learnFromExchange(answer(offset, trip).exchange);
          const { earliest = 0, latest = 0 } = clock.at(0) ?? {};
          expect(latest - earliest).toBeLessThanOrEqual(width + TOLERANCE);
          width = latest - earliest;
        }
      }),
    );
  });

  test('never runs ahead of the truth if the server caches its Date for a second', () => {
    fc.assert(
      fc.property(
        anyOffset,
        fc.array(fc.tuple(journey, fc.integer({ min: 0, max: 1_000 })), { minLength: 1, maxLength: 20 }),
        (offset, trips) => {
          const clock = followServerClock();
          for (const [trip, staleMilliseconds] of trips) {
            const { exchange, answeredAt } = answer(offset, trip, staleMilliseconds / 1000);
            clock.learnFromExchange(exchange);
            expect(distance(answeredAt, clock.spanOf(exchange))).toBeLessThan(TOLERANCE);
            expect(clock.at(0)?.earliest).toBeLessThanOrEqual(offset + TOLERANCE);
          }
        },
      ),
    );
  });

  test('follows a clock that was set', () => {
    const clock = followServerClock();
    const trip = { sentAt: 0, outward: 10, homeward: 10 };
    clock.learnFromExchange(answer(1_800_000_000, trip).exchange);
    const { exchange, answeredAt } = answer(1_700_000_000, trip);
    clock.learnFromExchange(exchange);
    expect(distance(answeredAt, clock.at(10))).toBeLessThan(TOLERANCE);
  });
});

describe('a Date that is stale', () => {
  // Longer than any journey; up to that it makes no more than the grace.
  const anyStaleness = fc.integer({ min: 10, max: 600 });

  test('on a single answer moves nothing, wherever among the others it comes', () => {
    fc.assert(
      fc.property(
        anyOffset,
        fc.array(journey, { minLength: 3, maxLength: 20 }),
        anyStaleness,
        (offset, trips, staleness) => {
          const clock = followServerClock();
          for (const trip of trips) {
            clock.learnFromExchange(answer(offset, trip).exchange);
          }
          const stale = answer(offset, trips[0] ?? FIRST, staleness);
          clock.learnFromExchange(stale.exchange);
          expect(distance(stale.answeredAt, clock.spanOf(stale.exchange))).toBeLessThan(TOLERANCE);
          expect(distance(offset, clock.at(0))).toBeLessThan(TOLERANCE);
        },
      ),
    );
  });

  test('before any other may be our own time instead', () => {
    const clock = followServerClock();
    const now = 1_800_000_000;
    const { exchange } = answer(now, FIRST, 68);
    const first = { ...exchange, startedAt: new Date(now * 1000) };
    clock.learnFromExchange(first);
    expect(distance(now, clock.spanOf(first))).toBeLessThan(TOLERANCE);
  });

  test('on each answer, one more than another, may be our own time instead', () => {
    const now = 1_800_000_000;
    fc.assert(
      fc.property(
        fc.array(fc.tuple(journey, fc.integer({ min: 0, max: 60 })), { minLength: 1 }),
        (answers) => {
          const clock = followServerClock();
          for (const [trip, staleness] of answers) {
            const { exchange, answeredAt } = answer(now, trip, staleness);
            const ours = { ...exchange, startedAt: new Date((now + trip.sentAt / 1000) * 1000) };
            clock.learnFromExchange(ours);
            expect(distance(answeredAt, clock.spanOf(ours))).toBeLessThan(TOLERANCE);
          }
        },
      ),
    );
  });

  test('on every answer is the clock that was set back', () => {
    fc.assert(
      fc.property(anyOffset, anyStaleness, (offset, seconds) => {
        const clock = followServerClock();
        clock.learnFromExchange(answer(offset, FIRST).exchange);
        for (let second = 0; second < 10; second += 1) {
          const trip = { ...FIRST, sentAt: second * 1000 };
          clock.learnFromExchange(answer(offset - seconds, trip).exchange);
        }
        expect(distance(offset - seconds, clock.at(0))).toBeLessThan(TOLERANCE);
      }),
    );
  });
});

const cached = (offset: number, seconds: number, sentAt: number): Answer =>
  answer(offset, { ...FIRST, sentAt }, ((sentAt + FIRST.outward) / 1000) % seconds);

describe('a Date that is cached for some seconds', () => {
  test('stands on every answer to a burst, and sets no clock back', () => {
    fc.assert(
      fc.property(anyOffset, fc.integer({ min: 4, max: 10 }), (offset, seconds) => {
        const clock = followServerClock();
        for (let sentAt = 0; sentAt < 30_000; sentAt += 250) {
          clock.learnFromExchange(cached(offset, seconds, sentAt).exchange);
        }
        const late = seconds * 4_000 - 200;
        for (let count = 0; count < 150; count += 1) {
          const { exchange, answeredAt } = cached(offset, seconds, late);
          clock.learnFromExchange(exchange);
          expect(distance(answeredAt, clock.spanOf(exchange))).toBeLessThan(TOLERANCE);
        }
        expect(clock.at(0)?.earliest).toBeLessThanOrEqual(offset);
      }),
    );
  });

  test('stands on the first answers of all, from a clock that is not ours', () => {
    const clock = followServerClock();
    for (let count = 0; count < 150; count += 1) {
      const { exchange, answeredAt } = cached(1_700_000_000, 6, 5_800);
      clock.learnFromExchange(exchange);
      expect(distance(answeredAt, clock.spanOf(exchange))).toBeLessThan(TOLERANCE);
    }
  });
});

const FIRST = { sentAt: 0, outward: 10, homeward: 10 };

test.each([
  ['no Date', []],
  ['a Date that is none', [['Date', 'tomorrow']] as const],
])('nothing is known from a response with %s', (_name, headers) => {
  const clock = followServerClock();
  const exchange = sampleExchange({ headers });
  clock.learnFromExchange(exchange);
  expect(clock.source).toBe('none');
  expect(clock.spanOf(exchange)).toBeUndefined();
  expect(clock.at(0)).toBeUndefined();
});

describe('a control clock', () => {
  test('is within what it last said, however long ago that was', () => {
    const seconds = fc.integer({ min: 0, max: 10 ** 6 });
    fc.assert(
      fc.property(anyOffset, seconds, seconds, seconds, (offset, before, after, moment) => {
        const clock = followServerClock();
        clock.learnFromControl({ earliest: 0, latest: 0 }, 0);
        clock.learnFromControl({ earliest: offset - before, latest: offset + after }, 0);
        expect(distance(moment / 1000 + offset, clock.at(moment))).toBeLessThan(TOLERANCE);
        expect(clock.at(moment)?.earliest).toBeCloseTo(moment / 1000 + offset - before, 3);
        expect(clock.at(moment)?.latest).toBeCloseTo(moment / 1000 + offset + after, 3);
      }),
    );
  });

  test('counts for more than a Date header', () => {
    const clock = followServerClock();
    clock.learnFromControl({ earliest: 1_700_000_000.25, latest: 1_700_000_000.25 }, 0);
    const { exchange } = answer(1_800_000_000, { sentAt: 0, outward: 0, homeward: 0 });
    clock.learnFromExchange(exchange);
    expect(clock.source).toBe('control');
    expect(clock.at(1_000)).toEqual({ earliest: 1_700_000_001.25, latest: 1_700_000_001.25 });
    expect(clock.spanOf(exchange)).toEqual({ earliest: 1_700_000_000.25, latest: 1_700_000_000.25 });
  });
});

describe('a Date beside a control clock', () => {
  const start = 1_700_000_000;
  const dated = (date: number, sentAt: number, wallSeconds: number): Exchange => ({
    ...sampleExchange({ headers: [['Date', httpDate(date)]], sentAt }),
    startedAt: new Date((start + 500_000 + wallSeconds) * 1000),
  });

  /** Whether a Date is right that is stated so many seconds after the clock went on by an hour. */
  const isRightLater = (first: number, later: number, wallSeconds: number): boolean | undefined => {
    const clock = followServerClock();
    clock.learnFromControl({ earliest: start, latest: start }, 0);
    clock.learnFromExchange(dated(first, 0, 0));
    const hour = 3_600_000;
    clock.learnFromControl({ earliest: start + 3_600, latest: start + 3_600 }, hour);
    const exchange = dated(later, hour, wallSeconds);
    clock.learnFromExchange(exchange);
    return clock.isDateRight(exchange);
  };

  test.each([
    ['that moves along', start, start + 3_600, 1, true],
    ['that is cached while the clock goes on', start, start, 4, true],
    ['that stands still', start, start, 11, false],
    ['that was never right', start - 100, start - 100, 1, false],
    ['that is late since', start, start + 100, 1, false],
    ['of this machine', start + 500_000, start + 500_001, 1, true],
  ])('%s', (_how, first, later, wallSeconds, isRight) => {
    expect(isRightLater(first, later, wallSeconds)).toBe(isRight);
  });

  test('is not judged without one', () => {
    expect(followServerClock().isDateRight(dated(start, 0, 0))).toBeUndefined();
  });
});

const withRetryAfter = (value: string, receivedAt = 0, startedAt = new Date(0)): Exchange =>
  sampleExchange({ status: 429, headers: [['Retry-After', value]], receivedAt, startedAt });

describe('secondsToWait', () => {
  test('is what delta-seconds says, whatever the clock, and no longer than a ban may last', () => {
    fc.assert(
      fc.property(fc.nat({ max: 2 * LONGEST_TEMPORARY_SECONDS }), (seconds) => {
        const wait = secondsToWait(withRetryAfter(String(seconds)), followServerClock());
        expect(wait).toBe(Math.min(seconds, LONGEST_TEMPORARY_SECONDS));
      }),
    );
  });

  test('lasts until the date has certainly come for the server', () => {
    fc.assert(
      fc.property(anyOffset, journeys, fc.integer({ min: -90, max: 90_000 }), (offset, trips, ahead) => {
        const clock = followServerClock();
        for (const trip of trips) {
          clock.learnFromExchange(answer(offset, trip).exchange);
        }
        const date = Math.floor(offset + ahead);
        const wait = secondsToWait(withRetryAfter(httpDate(date), 5_000), clock) ?? Number.NaN;
        expect(wait).toBeGreaterThanOrEqual(0);
        expect(5 + wait + offset).toBeGreaterThanOrEqual(date - TOLERANCE);
      }),
    );
  });

  test('takes our own clock if the server tells no time, and some seconds more', () => {
    const startedAt = new Date('2026-01-01T00:00:00Z');
    const exchange = withRetryAfter('Thu, 01 Jan 2026 00:01:00 GMT', 0, startedAt);
    expect(secondsToWait(exchange, followServerClock())).toBe(65);
  });

  test.each(['soon', '-1', '1.5', ''])('is unknown if Retry-After is "%s"', (value) => {
    expect(secondsToWait(withRetryAfter(value), followServerClock())).toBeUndefined();
  });

  test('is unknown without Retry-After', () => {
    expect(secondsToWait(sampleExchange({ status: 429 }), followServerClock())).toBeUndefined();
  });
});

describe('leastSecondsToWait', () => {
  test('is what delta-seconds says', () => {
    expect(leastSecondsToWait(withRetryAfter('61'), followServerClock())).toBe(61);
  });

  test('is no longer than it is by the server, whose clock the Date tells', () => {
    fc.assert(
      fc.property(anyOffset, journeys, fc.integer({ min: 0, max: 90_000 }), (offset, trips, ahead) => {
        const clock = followServerClock();
        for (const trip of trips) {
          clock.learnFromExchange(answer(offset, trip).exchange);
        }
        const date = Math.floor(offset + ahead);
        const wait = leastSecondsToWait(withRetryAfter(httpDate(date), 5_000), clock) ?? Number.NaN;
        expect(wait).toBeLessThanOrEqual(Math.max(0, date - offset - 5) + TOLERANCE);
      }),
    );
  });

  test('is unknown for a date of a server that tells no time', () => {
    const exchange = withRetryAfter('Thu, 01 Jan 2026 00:01:00 GMT', 0, new Date('2026-01-01T00:00:00Z'));
    expect(leastSecondsToWait(exchange, followServerClock())).toBeUndefined();
  });
});

describe('when a Retry-After has passed', () => {
  const date = 'Thu, 01 Jan 2026 00:01:00 GMT';

  test('is certain for delta-seconds, and not for a date of a server that tells no time', () => {
    expect(isWaitCertain(withRetryAfter('61'), followServerClock())).toBe(true);
    expect(isWaitCertain(withRetryAfter(date), followServerClock())).toBe(false);
  });

  test('is certain for a date once a Date was seen', () => {
    const clock = followServerClock();
    clock.learnFromExchange(answer(1_700_000_000, FIRST).exchange);
    expect(isWaitCertain(withRetryAfter(date), clock)).toBe(true);
  });
});
