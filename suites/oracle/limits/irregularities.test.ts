import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import type { RateLimit } from '../../../contract/rate-limit-headers.ts';
import { rateLimitFields, sampleExchange } from '../exchange.test-data.ts';
import { isAccepted, rateLimitOf, type Exchange } from '../exchange.ts';
import { findIrregularities } from './irregularities.ts';
import {
  ALGORITHMS,
  answer,
  anyModel,
  anyPace,
  fly,
  isUncut,
  observe,
  type ModelFlight,
  type LimiterModel,
  type ModelPace,
} from './limiter-models.test-data.ts';

const RUNS = { numRuns: 100 };

const oneByOne = (pace: ModelPace): ModelPace => ({ ...pace, lanes: 1, lost: 0 });

const anyLength = fc.integer({ min: 2, max: 60 });

describe('Remaining of a limiter that counts as it should', () => {
  test.each(['clock-aligned window', 'window from the first request', 'sliding log'] as const)(
    'is regular at any pace: %s',
    (algorithm) => {
      fc.assert(
        fc.property(anyModel([algorithm]), anyPace(4, true), anyLength, (drawn, pace, length) => {
          // If Reset moves along with the time, nothing tells the end of a window from a counter that is lost.
          const model = { ...drawn, resetMoves: false };
          const flights = fly(oneByOne(pace(model.windowSeconds)), length, 0);
          const { exchanges } = observe(model, flights);
          expect(findIrregularities(exchanges, model.windowSeconds)).toEqual([]);
        }),
        RUNS,
      );
    },
  );

  test('is regular in a sliding counter if no minute of the clock ends meanwhile', () => {
    fc.assert(
      fc.property(anyModel(['sliding counter']), anyPace(0.9, true), anyLength, (model, pace, length) => {
        const flights = fly(oneByOne(pace(model.windowSeconds)), length, 0);
        fc.pre(isUncut(model, flights));
        const { exchanges } = observe(model, flights);
        expect(findIrregularities(exchanges, model.windowSeconds)).toEqual([]);
      }),
      RUNS,
    );
  });

  test.each(ALGORITHMS)('is not irregular twice at different phases of the minute: %s', (algorithm) => {
    const anyPaces = fc.tuple(anyPace(0.2, true), anyPace(0.2, true));
    fc.assert(
      fc.property(anyModel([algorithm]), anyPaces, anyLength, (model, [first, second], length) => {
        const { windowSeconds } = model;
        const before = fly(oneByOne(first(windowSeconds)), length, 0);
        const end = Math.max(...before.map(({ receivedAt }) => receivedAt));
        const after = fly(oneByOne(second(windowSeconds)), length, end + 2.25 * windowSeconds * 1000);
        fc.pre([before, after].every((flights) => lastsAtMost(flights, windowSeconds / 4)));
        const answers = answer(model, [...before, ...after]).filter((exchange) => exchange !== undefined);
        const irregular = [answers.slice(0, length), answers.slice(length)].filter(
          (exchanges) => findIrregularities(exchanges, windowSeconds).length > 0,
        );
        expect(irregular.length).toBeLessThan(2);
      }),
      RUNS,
    );
  });
});

function lastsAtMost(flights: readonly ModelFlight[], seconds: number): boolean {
  return flights.every(({ receivedAt }) => receivedAt - (flights[0]?.sentAt ?? 0) <= seconds * 1000);
}

function showing({ limit, remaining, reset }: RateLimit): Exchange {
  return sampleExchange({ headers: rateLimitFields(limit, remaining, reset) });
}

describe('Remaining that is off', () => {
  const anyOff = fc.integer({ min: -30, max: 30 }).filter((off) => off !== 0);

  test.each(ALGORITHMS)('is found in one response or from one on, within a window: %s', (algorithm) => {
    fc.assert(
      fc.property(
        anyModel([algorithm]),
        anyPace(0.9, false),
        fc.record({ length: anyLength, at: fc.nat(), off: anyOff, stays: fc.boolean() }),
        (drawn, pace, { length, at, off, stays }) => {
          const model: LimiterModel = { ...drawn, limit: Math.max(60, drawn.limit) };
          const flights = fly(oneByOne(pace(model.windowSeconds)), length, 0);
          fc.pre(isUncut(model, flights));
          const { exchanges } = observe(model, flights);
          const first = 1 + (at % (length - 1));
          const disturbed = exchanges.map((exchange, index) => {
            const reading = rateLimitOf(exchange);
            const isOff = stays ? index >= first : index === first;
            return reading === undefined || !isOff
              ? exchange
              : showing({ ...reading, remaining: reading.remaining + off });
          });
          // A rise to a whole window with a leap of Reset is what the end of one looks like.
          const [before, raised] = disturbed.slice(first - 1, first + 1).map(rateLimitOf);
          fc.pre(before !== undefined && raised !== undefined);
          const hasLeapt = raised.reset - before.reset >= model.windowSeconds / 2;
          fc.pre(raised.remaining !== raised.limit - 1 || !hasLeapt);
          expect(disturbed.every(isAccepted)).toBe(true);
          expect(findIrregularities(disturbed, model.windowSeconds)).not.toHaveLength(0);
        },
      ),
      RUNS,
    );
  });
});
