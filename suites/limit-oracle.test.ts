import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import type { Exchange, Operation } from './exchange.ts';
import { rateLimitFields, sampleExchange } from './exchange.test-data.ts';
import { assessAdmission, findIrregularities, type Admission } from './limit-oracle.ts';

const WINDOW = 60;
// A moment at which a clock-aligned minute begins.
const EPOCH = 1_800_000_000;

interface Decision {
  readonly granted: boolean;
  readonly remaining: number;
  readonly reset: number;
}

/** Decides on one request; `counts` is false for one that is refused for another reason and not counted. */
type Limiter = (now: number, counts: boolean) => Decision;

function fixedWindow(limit: number, startOf: (now: number, start: number) => number): Limiter {
  let start = Number.NEGATIVE_INFINITY;
  let count = 0;
  return (now, counts) => {
    const current = startOf(now, start);
    if (current !== start) {
      start = current;
      count = 0;
    }
    const granted = count < limit;
    count += granted && counts ? 1 : 0;
    return { granted, remaining: limit - count, reset: Math.ceil(start + WINDOW) };
  };
}

const LIMITERS = {
  'clock-aligned window': (limit) => fixedWindow(limit, (now) => Math.floor(now / WINDOW) * WINDOW),
  'window from the first request': (limit) =>
    fixedWindow(limit, (now, start) => (now < start + WINDOW ? start : now)),
  'sliding log': (limit) => {
    let log: number[] = [];
    return (now, counts) => {
      log = log.filter((moment) => moment > now - WINDOW);
      const granted = log.length < limit;
      if (granted && counts) {
        log.push(now);
      }
      return { granted, remaining: limit - log.length, reset: Math.ceil((log[0] ?? now) + WINDOW) };
    };
  },
  'sliding counter': (limit) => {
    let start = 0;
    let before = 0;
    let count = 0;
    return (now, counts) => {
      const current = Math.floor(now / WINDOW) * WINDOW;
      if (current !== start) {
        before = current === start + WINDOW ? count : 0;
        start = current;
        count = 0;
      }
      const weighted = before * (1 - (now - start) / WINDOW);
      const granted = weighted + count + 1 <= limit;
      count += granted && counts ? 1 : 0;
      const remaining = Math.max(0, Math.floor(limit - weighted - count));
      return { granted, remaining, reset: start + WINDOW };
    };
  },
} satisfies Readonly<Record<string, (limit: number) => Limiter>>;

type LimiterName = keyof typeof LIMITERS;

const ALL: readonly LimiterName[] = [
  'clock-aligned window',
  'window from the first request',
  'sliding log',
  'sliding counter',
];

/** How long a limiter grants the whole limit and no more, whatever the phase of the minute. */
const NEVER_CUT: readonly LimiterName[] = ['window from the first request', 'sliding log'];

const anyLimit = fc.constantFrom(10, 24, 60, 77, 300);

/** Sorted moments, in seconds, all within less than one window that begins at any phase of the minute. */
const momentsOf = (count: number) =>
  fc
    .record({
      phase: fc.integer({ min: 0, max: 59_999 }),
      spread: fc.integer({ min: 1, max: 59 }),
      offsets: fc.array(fc.integer({ min: 0, max: 1_000 }), { minLength: count, maxLength: count }),
    })
    .map(({ phase, spread, offsets }) =>
      offsets.toSorted((a, b) => a - b).map((offset) => EPOCH + (phase + spread * offset) / 1000),
    );

function exchangeOf(now: number, shownLimit: number, decision: Decision): Exchange {
  return sampleExchange({
    status: decision.granted ? 200 : 429,
    headers: rateLimitFields(shownLimit, Math.max(0, decision.remaining), decision.reset),
    sentAt: now * 1000,
  });
}

function send(limiter: Limiter, shownLimit: number, moments: readonly number[]): readonly Exchange[] {
  return moments.map((now) => exchangeOf(now, shownLimit, limiter(now, true)));
}

const EXCESS = 8;

/** A limiter, the limit that its plan has, and moments enough to go beyond it. */
const burstOn = (names: readonly LimiterName[]) =>
  fc
    .tuple(fc.constantFrom(...names), anyLimit)
    .chain(([name, limit]) =>
      fc.record({ name: fc.constant(name), limit: fc.constant(limit), moments: momentsOf(limit + EXCESS) }),
    );

/** A false alarm: what would make a violation of a limiter that keeps its limit. */
const isAlarm = (admission: Admission): boolean =>
  admission.kind === 'under' || ('proven' in admission && admission.proven);

describe('assessAdmission', () => {
  test.each(ALL)('raises no alarm over a correct limiter: %s', (name) => {
    fc.assert(
      fc.property(burstOn([name]), ({ limit, moments }) => {
        const exchanges = send(LIMITERS[name](limit), limit, moments);
        const admission = assessAdmission({ limit, alreadyGranted: 0, exchanges, unanswered: 0 });
        expect(isAlarm(admission)).toBe(false);
      }),
      { numRuns: 300 },
    );
  });

  test('finds a limiter exact whose window no boundary cuts', () => {
    fc.assert(
      fc.property(burstOn(NEVER_CUT), ({ name, limit, moments }) => {
        const exchanges = send(LIMITERS[name](limit), limit, moments);
        const admission = assessAdmission({ limit, alreadyGranted: 0, exchanges, unanswered: 0 });
        expect(admission).toEqual({ kind: 'exact' });
      }),
    );
  });

  test('takes into account what the window granted before the series', () => {
    fc.assert(
      fc.property(burstOn(NEVER_CUT), fc.nat({ max: 9 }), ({ name, limit, moments }, before) => {
        const exchanges = send(LIMITERS[name](limit), limit, moments);
        const series = { limit, exchanges: exchanges.slice(before), unanswered: 0 };
        expect(assessAdmission({ ...series, alreadyGranted: before })).toEqual({ kind: 'exact' });
      }),
    );
  });

  test('raises no alarm where the window ends between what it granted before and the series', () => {
    fc.assert(
      fc.property(anyLimit, fc.integer({ min: 1, max: 9 }), (limit, before) => {
        const moments = Array.from({ length: limit + EXCESS }, (_, index) => EPOCH + index / 1000);
        const early = moments.slice(0, before).map((moment) => moment - 1);
        const exchanges = send(LIMITERS['clock-aligned window'](limit), limit, [...early, ...moments]);
        const series = { limit, exchanges: exchanges.slice(before), unanswered: 0 };
        expect(isAlarm(assessAdmission({ ...series, alreadyGranted: before }))).toBe(false);
      }),
    );
  });

  test.each([1, -1])('never calls a limiter exact that is off by %i', (off) => {
    fc.assert(
      fc.property(burstOn(NEVER_CUT), fc.boolean(), ({ name, limit, moments }, shows) => {
        const shown = shows ? limit + off : limit;
        const exchanges = send(LIMITERS[name](limit + off), shown, moments);
        const { kind } = assessAdmission({ limit, alreadyGranted: 0, exchanges, unanswered: 0 });
        expect(kind).toBe(off > 0 ? 'over' : 'under');
      }),
    );
  });

  test('names the last granted request where one too many is granted, and the first refusal where one too few', () => {
    const moments = Array.from({ length: 64 }, (_, index) => EPOCH + index / 10);
    const [over, under] = [61, 59].map((granted) => {
      const exchanges = send(LIMITERS['sliding log'](granted), 60, moments);
      return {
        exchanges,
        admission: assessAdmission({ limit: 60, alreadyGranted: 0, exchanges, unanswered: 0 }),
      };
    });
    expect(over?.admission).toMatchObject({ kind: 'over', granted: 61, witness: over?.exchanges[60] });
    expect(under?.admission).toEqual({ kind: 'under', granted: 59, witness: under?.exchanges[59] });
  });

  test('has proof at once where one too many is granted and Remaining and Reset show no new window', () => {
    let granted = 0;
    const exchanges = Array.from({ length: 62 }, (_, index) => {
      granted += granted < 61 ? 1 : 0;
      const decision = { granted: index < 61, remaining: 60 - granted, reset: EPOCH + WINDOW };
      return exchangeOf(EPOCH + index / 100, 60, decision);
    });
    const admission = assessAdmission({ limit: 60, alreadyGranted: 0, exchanges, unanswered: 0 });
    expect(admission).toMatchObject({ kind: 'over', granted: 61, proven: true });
  });

  test('calls a limit that never refuses unrefused', () => {
    const exchanges = Array.from({ length: 68 }, (_, index) =>
      exchangeOf(EPOCH + index / 100, 60, { granted: true, remaining: 59 - index, reset: EPOCH + WINDOW }),
    );
    const admission = assessAdmission({ limit: 60, alreadyGranted: 0, exchanges, unanswered: 0 });
    expect(admission).toMatchObject({ kind: 'unrefused', granted: 68, proven: true });
  });

  test.each([
    ['nothing was sent', [], 0],
    ['too little was sent to be refused', [200, 200], 0],
    ['a request without response may have counted', [200, 200, 429], 1],
    ['a 404 may have counted', [200, 404, 200, 429], 0],
  ])('leaves it open where %s', (_why, statuses, unanswered) => {
    const exchanges = statuses.map((status) => sampleExchange({ status }));
    const { kind } = assessAdmission({ limit: 3, alreadyGranted: 0, exchanges, unanswered });
    expect(kind).toBe('uncertain');
  });
});

type Fault = 'none' | 'misses one operation' | 'counts twice' | 'stands still' | 'off in one of fifteen';

const OPERATIONS: readonly Operation[] = ['listInventory', 'getPet', 'updateInventory', 'listOrders'];

/** What a series, sent one by one with a fresh key, says of its remaining requests under a fault. */
function sendWithFault(fault: Fault, length: number, off = 1, at = 7): readonly Exchange[] {
  let counted = 0;
  return Array.from({ length }, (_, index) => {
    const operation = OPERATIONS[index % OPERATIONS.length] ?? null;
    const misses = fault === 'misses one operation' && operation === 'getPet';
    counted += fault === 'counts twice' ? 2 : misses ? 0 : 1;
    const deviation = fault === 'off in one of fifteen' && index % 15 === at ? off : 0;
    const remaining = fault === 'stands still' ? 59 : 60 - counted + deviation;
    return sampleExchange({ operation, headers: rateLimitFields(60, remaining, EPOCH + 60) });
  });
}

describe('findIrregularities', () => {
  const series = fc.tuple(fc.integer({ min: 2, max: 48 }), fc.boolean()).chain(([length, refusedCount]) =>
    fc.record({
      refusedCount: fc.constant(refusedCount),
      moments: momentsOf(length),
      refused: fc.array(fc.boolean(), { minLength: length, maxLength: length }),
    }),
  );

  test.each(['clock-aligned window', 'window from the first request', 'sliding log'] as const)(
    'finds nothing in a correct series with 4xx in between: %s',
    (name) => {
      fc.assert(
        fc.property(series, ({ moments, refused, refusedCount }) => {
          const limiter = LIMITERS[name](60);
          const exchanges = moments.map((now, index) => {
            const isRefused = refused[index] === true;
            const { remaining, reset } = limiter(now, !isRefused || refusedCount);
            const headers = rateLimitFields(60, remaining, reset);
            return sampleExchange({ status: isRefused ? 404 : 200, headers });
          });
          expect(findIrregularities(exchanges)).toEqual([]);
        }),
        { numRuns: 300 },
      );
    },
  );

  test('finds nothing where nothing is wrong', () => {
    expect(findIrregularities(sendWithFault('none', 48))).toEqual([]);
  });

  test('finds one operation that does not count, and names it', () => {
    const found = findIrregularities(sendWithFault('misses one operation', 16));
    const guilty = new Set(found.map(({ exchange }) => exchange.request.operation));
    expect([...guilty]).toEqual(['getPet']);
    // It was the sixth request, and the fifth that counted left 56.
    expect(found[0]?.message).toContain('went from 56 to 56');
  });

  test.each(['counts twice', 'stands still'] as const)('finds a Remaining that %s', (fault) => {
    expect(findIrregularities(sendWithFault(fault, 16))).not.toHaveLength(0);
  });

  test('finds one response of fifteen that is off', () => {
    const anyOffset = fc.integer({ min: -40, max: 40 }).filter((off) => off !== 0);
    fc.assert(
      fc.property(anyOffset, fc.nat({ max: 14 }), (off, at) => {
        expect(findIrregularities(sendWithFault('off in one of fifteen', 16, off, at))).not.toHaveLength(0);
      }),
    );
  });

  test('takes only one rise to a full window for the end of a window', () => {
    const exchanges = [50, 59, 58, 59, 58].map((remaining) =>
      sampleExchange({ headers: rateLimitFields(60, remaining, EPOCH + 60) }),
    );
    expect(findIrregularities(exchanges.slice(0, 3))).toEqual([]);
    expect(findIrregularities(exchanges)).toHaveLength(1);
  });

  test('does not compare what two limits leave', () => {
    const exchanges = [
      sampleExchange({ headers: rateLimitFields(60, 10, EPOCH + 60) }),
      sampleExchange({ headers: rateLimitFields(1_000, 900, EPOCH + 86_400) }),
    ];
    expect(findIrregularities(exchanges)).toEqual([]);
  });
});
