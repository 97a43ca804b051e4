import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import {
  ALGORITHMS,
  anyExcess,
  anyModel,
  anyPace,
  fly,
  type Flight,
  type LimiterModel,
} from '../../suites/oracle/limiter-models.test-data.ts';
import { TIMEOUT } from '../engine/load-request.ts';
import { replay } from './ledger-replay.test-data.ts';
import { sampleKey, sampleRequest, sampleResponse } from '../engine/load-request.test-data.ts';
import { pick } from '../engine/load-model.ts';
import { keepRemainingLedger, type RemainingLedger } from './remaining-ledger.ts';

const KEY = sampleKey();
const REQUEST = sampleRequest(KEY);

/** What the ledger says of a limiter, by flights of one key whose answers come in the order of their moments. */
function judge(model: LimiterModel, flights: readonly Flight[]): ReturnType<RemainingLedger['close']> {
  const ledger = keepRemainingLedger();
  replay(model, flights, REQUEST, () => ledger);
  return ledger.close(true);
}

describe.each(ALGORITHMS)('a limiter that keeps its limit is not accused: %s', (algorithm) => {
  test.each([
    ['within a window and beyond', 3],
    ['hardly longer than a window', 1.05],
  ])('however its requests were under way, %s', (_length, windows) => {
    fc.assert(
      fc.property(
        anyModel([algorithm]),
        anyPace(windows, true),
        anyPace(windows, false),
        anyExcess,
        fc.boolean(),
        (model, rough, smooth, excess, isRough) => {
          const pace = (isRough ? rough : smooth)(model.windowSeconds);
          expect(judge(model, fly(pace, model.limit + excess, 0))).toEqual([]);
          expect(judge(model, fly(pace, Math.ceil(model.limit / 2), 0))).toEqual([]);
        },
      ),
      { numRuns: 300 },
    );
  });
});

const FIELDS = { limit: 100, reset: 60, retryAfter: undefined };

interface Step {
  readonly remaining: number;
  readonly from: number;
  readonly to: number;
  readonly status?: number;
  readonly reset?: number;
}

/** What the ledger says of answers in this order. */
function say(
  steps: readonly Step[],
  isComplete = true,
  before: (ledger: RemainingLedger) => void = () => {},
) {
  const ledger = keepRemainingLedger();
  before(ledger);
  for (const { remaining, from, to, status = 200, reset = 60 } of steps) {
    const times = { dueAt: from, sentAt: from, answeredAt: to };
    ledger.response(sampleResponse({ request: REQUEST, status, ...times }), { ...FIELDS, remaining, reset });
  }
  return ledger.close(isComplete).map(({ message }) => message);
}

function falling(count: number): readonly Step[] {
  return Array.from({ length: count }, (_, index) => ({
    remaining: 99 - index,
    from: 10 * index,
    to: 10 * index + 9,
  }));
}

describe('accused is', () => {
  test('a value that is shown again to a request sent after it', () => {
    const [message] = say([...falling(3), { remaining: 97, from: 100, to: 110 }]);
    expect(message).toBe(
      'X-RateLimit-Remaining of enterprise#load1 was 97, and 97 on a request that was sent after that was answered.',
    );
  });

  test('a value that rises', () => {
    expect(say([...falling(5), { remaining: 96, from: 100, to: 110 }])).toHaveLength(1);
  });

  test('a value that two requests under way at once are shown', () => {
    const [message] = say([...falling(3), { remaining: 97, from: 5, to: 40 }]);
    expect(message).toBe(
      'enterprise#load1 was granted 4 requests of one window, while X-RateLimit-Remaining fell from 99 to 97.',
    );
  });

  test('a value that is skipped, once all is complete', () => {
    const steps = falling(6).toSpliced(3, 1);
    expect(say(steps)).toEqual([
      'enterprise#load1 was granted 5 requests of one window, while X-RateLimit-Remaining fell from 99 to 94.',
    ]);
    expect(say(steps, false)).toEqual([]);
  });

  test.each([1, 2, 3])('any limiter in whose answers one value is off, seed %i', (seed) => {
    fc.assert(
      fc.property(fc.integer({ min: 3, max: 40 }), fc.nat(), fc.constantFrom(-1, 1), (count, at, shift) => {
        const steps = falling(count);
        const index = 1 + (at % (count - 1));
        const { remaining, from, to } = pick(steps, index);
        const spoiled = steps.with(index, { remaining: remaining + shift, from, to });
        expect(say(spoiled)).toHaveLength(1);
      }),
      { seed },
    );
  });
});

describe('nothing is said', () => {
  test('of a gap if a request of the key was lost', () => {
    const loss = { request: REQUEST, dueAt: 0, sentAt: 0, givenUpAt: 1, cause: TIMEOUT };
    expect(say(falling(6).toSpliced(3, 1), true, (ledger) => ledger.loss(loss))).toEqual([]);
  });

  test('of a value shown twice if a sliding window may forget what was lost before', () => {
    const loss = { request: REQUEST, dueAt: 0, sentAt: 0, givenUpAt: 1, cause: TIMEOUT };
    const steps = [...falling(3), { remaining: 97, from: 30, to: 39 }, { remaining: 96, from: 40, to: 49 }];
    expect(say(steps, true, (ledger) => ledger.loss(loss))).toEqual([]);
    expect(say(steps)).toHaveLength(1);
  });

  test('of a value shown twice if an answer of the window before comes late', () => {
    const steps = [...falling(3), { remaining: 97, from: 30, to: 39 }, { remaining: 96, from: 40, to: 49 }];
    expect(say([...steps, { remaining: 99, from: 0, to: 100, reset: 0 }])).toEqual([]);
    expect(say([...steps, { remaining: 99, from: 90, to: 100, reset: 120 }])).toHaveLength(1);
  });

  test('of a gap if a response cannot be read', () => {
    const steps = falling(6).with(3, { remaining: -1, from: 30, to: 39 });
    expect(say(steps)).toEqual([]);
  });

  test('of a key whose first answer is a refusal', () => {
    expect(say([{ remaining: 0, from: 0, to: 1, status: 429 }, ...falling(3)])).toEqual([]);
    expect(say([{ remaining: 100, from: 0, to: 1, status: 503 }])).toEqual([]);
  });

  test('after another Reset, or a minute after the first request', () => {
    expect(say([...falling(3), { remaining: 99, from: 50, to: 51, reset: 61 }])).toEqual([]);
    expect(say([...falling(3), { remaining: 97, from: 59_500, to: 60_100 }])).toEqual([]);
  });

  test('of a key that others may use too', () => {
    const shared = sampleRequest(sampleKey({ issued: false }));
    const ledger = keepRemainingLedger();
    for (const sentAt of [0, 10, 20]) {
      ledger.response(sampleResponse({ request: shared, sentAt, answeredAt: sentAt + 1 }), {
        ...FIELDS,
        remaining: 99,
      });
    }
    expect(ledger.close(true)).toEqual([]);
  });

  test('of a request that was never sent', () => {
    const loss = { request: REQUEST, dueAt: 0, sentAt: null, givenUpAt: 1, cause: 'ECONNREFUSED' };
    const steps = falling(6).toSpliced(3, 1);
    expect(say(steps, true, (ledger) => ledger.loss(loss))).toHaveLength(1);
  });
});

test('each key is accused by itself, and once', () => {
  const ledger = keepRemainingLedger();
  const keys = ['a', 'b', 'c'].map((label) => sampleKey({ label }));
  for (let sent = 0; sent < 5; sent += 1) {
    for (const key of keys) {
      const remaining = key.label === 'b' ? 50 : 99 - sent;
      const times = { sentAt: 10 * sent, answeredAt: 10 * sent + 5 };
      ledger.response(sampleResponse({ request: sampleRequest(key), ...times }), { ...FIELDS, remaining });
    }
  }
  expect(ledger.close(true).map(({ key }) => key.label)).toEqual(['b']);
});
