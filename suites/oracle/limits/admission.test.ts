import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import type { Exchange, Operation } from '../exchange.ts';
import { rateLimitFields, sampleExchange } from '../exchange.test-data.ts';
import { assessAdmission } from './admission.ts';
import { findIrregularities } from './irregularities.ts';
import { observe, newSeries, type ModelFlight, type LimiterModel } from './limiter-models.test-data.ts';

// A moment at which a clock-aligned minute begins.
const EPOCH = 1_800_000_000;

const KEPT: LimiterModel = {
  algorithm: 'clock-aligned window',
  limit: 60,
  windowSeconds: 60,
  extra: 0,
  countsRefused: false,
  shows: 'this window',
  resetMoves: false,
  remainingCountsExtra: false,
  wholeSeconds: false,
  skewSeconds: EPOCH,
};

/** Requests that are decided and answered at once; seconds. */
const at = (moments: readonly number[], fate: ModelFlight['fate'] = 'accepted'): readonly ModelFlight[] =>
  moments
    .map((seconds) => seconds * 1000)
    .map((now) => ({ sentAt: now, decidedAt: now, receivedAt: now, fate }));

/** That many moments, so many seconds apart. */
const every = (step: number, count: number, from = 0): readonly number[] =>
  Array.from({ length: count }, (_, index) => from + index * step);

const assess = (model: LimiterModel, flights: readonly ModelFlight[]) =>
  assessAdmission(newSeries(model, observe(model, flights)));

describe('assessAdmission', () => {
  test('names the last granted request if one too many is granted, and the first refusal if one too few', () => {
    const model: LimiterModel = { ...KEPT, algorithm: 'sliding log' };
    const over = observe({ ...model, extra: 1 }, at(every(0.1, 64)));
    const under = observe({ ...model, extra: -1 }, at(every(0.1, 64)));
    expect(assessAdmission(newSeries(model, over))).toMatchObject({
      kind: 'over',
      granted: 61,
      witness: over.exchanges[60],
    });
    expect(assessAdmission(newSeries(model, under))).toEqual({
      kind: 'under',
      granted: 59,
      witness: under.exchanges[59],
    });
  });

  test('calls a limit that never refuses unrefused, with proof if Remaining and Reset show no new window', () => {
    const admission = assess({ ...KEPT, extra: 1_000 }, at(every(0.01, 68)));
    expect(admission).toMatchObject({ kind: 'unrefused', granted: 68, proven: true });
  });

  test.each([
    ['nothing was sent', [], 0],
    ['too little was sent to be refused', [200, 200], 0],
    ['a request without response may have counted', [200, 200, 429], 1],
    ['a 404 may have counted', [200, 404, 200, 429], 0],
    ['a limit of four may have counted a 404', [200, 404, 200, 200, 429], 0],
    ['a limit of four may have counted a request without response', [200, 200, 200, 429], 1],
  ])('leaves it open if %s', (_why, statuses, lostResponses) => {
    const exchanges = statuses.map((status) => sampleExchange({ status }));
    const { kind } = assessAdmission({ limit: 3, alreadyGranted: 0, exchanges, lostResponses });
    expect(kind).toBe('uncertain');
  });

  test('does not take what a ban answers for a request that may have counted', () => {
    const exchanges = [200, 200, 200, 429, 403, 401].map((status) => sampleExchange({ status }));
    const series = { limit: 3, alreadyGranted: 0, exchanges, lostResponses: 0 };
    expect(assessAdmission(series)).toEqual({ kind: 'exact' });
  });

  test('says how many answers leave it open', () => {
    const exchanges = [200, 200, 404, 429].map((status) => sampleExchange({ status }));
    const admission = assessAdmission({ limit: 4, alreadyGranted: 0, exchanges, lostResponses: 1 });
    expect(admission).toMatchObject({ reason: '2 requests may have counted or not.', transient: true });
  });

  test('takes a ban that overtakes its 429 for a refusal', () => {
    const exchanges = [200, 200, 403, 429].map((status) => sampleExchange({ status }));
    const admission = assessAdmission({ limit: 3, alreadyGranted: 0, exchanges, lostResponses: 0 });
    expect(admission).toMatchObject({ kind: 'under', granted: 2 });
  });

  test('knows from Remaining that a response that was lost did not count', () => {
    const { exchanges } = observe(KEPT, at(every(0.1, 61)));
    const series = { limit: 60, alreadyGranted: 0, exchanges, lostResponses: 1 };
    expect(assessAdmission(series)).toEqual({ kind: 'exact' });
  });

  test.each([
    ['two in the midst', [20, 40], 'exact'],
    ['the first, whose place may have been taken by any other', [0, 40], 'uncertain'],
    ['the last that was granted', [59], 'uncertain'],
    ['the first refusal and one before it', [30, 60], 'exact'],
  ])('knows from Remaining whether responses that were lost counted: %s', (_which, lost, kind) => {
    const flights = every(0.1, 64).flatMap((seconds, index) =>
      at([seconds], lost.includes(index) ? 'lost' : 'accepted'),
    );
    expect(assess(KEPT, flights)).toMatchObject({ kind });
  });

  test('does not take a value of Remaining that was left out for a lost response', () => {
    const exchanges = observe({ ...KEPT, extra: -1 }, at(every(0.1, 64))).exchanges.toSpliced(20, 1);
    const series = { limit: 60, alreadyGranted: 0, exchanges, lostResponses: 2 };
    expect(assessAdmission(series)).toMatchObject({ kind: 'uncertain' });
  });
});

describe('what is no proof that too many were granted', () => {
  test('a sliding log that forgets the first request when the limit is just reached', () => {
    const admission = assess({ ...KEPT, algorithm: 'sliding log' }, at(every(1, 62)));
    expect(admission).toMatchObject({ kind: 'unrefused', granted: 62, proven: false });
  });

  test('a sliding log that forgets a request from before the series', () => {
    const model: LimiterModel = { ...KEPT, algorithm: 'sliding log' };
    const exchanges = observe(model, at([0, ...every(0.5, 60, 31)])).exchanges.slice(1);
    const series = { limit: 60, alreadyGranted: 1, exchanges, lostResponses: 0 };
    expect(assessAdmission(series)).toMatchObject({ granted: 61, proven: false });
    expect(assessAdmission({ ...series, alreadyGrantedSince: 0 })).toMatchObject({
      proven: false,
      span: { from: 0, to: 60_500 },
    });
  });

  test('a sliding counter that lets one more in, a second after the minute turned', () => {
    const model: LimiterModel = { ...KEPT, algorithm: 'sliding counter', resetMoves: true };
    const admission = assess(model, at([...every(0.01, 60, 59.4), 61.1]));
    expect(admission).toMatchObject({ granted: 61, proven: false });
  });

  test('a sliding log whose Reset moved by a second only, when the first request was a minute old', () => {
    const flights = at([...every(0.01, 60), 60.005]);
    expect(assess({ ...KEPT, algorithm: 'sliding log' }, flights)).toMatchObject({
      granted: 61,
      proven: false,
    });
  });

  test('a Reset that had no time to move, with what a sliding counter may let in meanwhile', () => {
    const admission = assess({ ...KEPT, limit: 300, extra: 1 }, at(every(0.003, 302)));
    expect(admission).toMatchObject({ granted: 301, proven: false });
  });

  test('a limit of one, granted just before and just after the end of a window whose Reset does not tell', () => {
    const admission = assess({ ...KEPT, limit: 1, resetMoves: true }, at([59.9, 60, 60.1]));
    expect(admission).toMatchObject({ granted: 2, proven: false });
  });

  test('a request from before the series that nobody knows the time of', () => {
    const model: LimiterModel = { ...KEPT, algorithm: 'sliding log', resetMoves: true };
    const exchanges = observe(model, at([0, ...every(0.01, 59, 59.3), 60.1])).exchanges.slice(1);
    const series = { limit: 60, alreadyGranted: 1, exchanges, lostResponses: 0 };
    expect(assessAdmission(series)).toMatchObject({ granted: 61, proven: false });
  });
});

describe('what is not exact though as many were granted as the limit', () => {
  test('one too few in a window that ends after the refusal', () => {
    const flights = at([...every(0.1, 60, 50), 60.1]);
    expect(assess({ ...KEPT, extra: -1 }, flights)).toMatchObject({ kind: 'under', granted: 59 });
  });

  test('one too few in a window that began after the first request', () => {
    const flights = at([59.9, ...every(0.1, 61, 60)]);
    expect(assess({ ...KEPT, extra: -1 }, flights).kind).toBe('uncertain');
  });

  const counting: LimiterModel = { ...KEPT, extra: 1, countsRefused: true };

  test.each([
    ['in between', [...at(every(0.1, 30)), ...at([3], 'not found'), ...at(every(0.1, 31, 3.1))]],
    ['when Remaining was 1', [...at(every(0.1, 59)), ...at([6], 'not found'), ...at([6.1, 6.2])]],
  ])('one too many, with a 404 that counted %s', (_when, flights) => {
    expect(assess(counting, flights).kind).toBe('uncertain');
  });

  test('one too many, with a 404 that counted at first, if the headers speak of another window', () => {
    const flights = [...at([0], 'not found'), ...at(every(0.1, 61, 1))];
    expect(assess({ ...counting, shows: 'another' }, flights).kind).toBe('uncertain');
  });

  test('one too many in two windows, each with a 404 that counted', () => {
    const flights = [...at([50], 'not found'), ...at([51, 52]), ...at([53], 'not found'), ...at([54, 61])];
    expect(assess({ ...counting, limit: 3 }, flights).kind).toBe('uncertain');
  });
});

type Fault = 'none' | 'misses one operation' | 'counts twice' | 'stands still' | 'off in one of fifteen';

const OPERATIONS: readonly Operation[] = ['listInventory', 'getPet', 'updateInventory', 'listOrders'];

/** What a series, sent one by one with a fresh key, says of its remaining requests under a fault. */
function sendWithFault(fault: Fault, length: number, off = 1, place = 7): readonly Exchange[] {
  let counted = 0;
  return Array.from({ length }, (_, index) => {
    const operation = OPERATIONS[index % OPERATIONS.length] ?? null;
    const misses = fault === 'misses one operation' && operation === 'getPet';
    counted += fault === 'counts twice' ? 2 : misses ? 0 : 1;
    const deviation = fault === 'off in one of fifteen' && index % 15 === place ? off : 0;
    const remaining = fault === 'stands still' ? 59 : 60 - counted + deviation;
    return sampleExchange({ operation, headers: rateLimitFields(60, remaining, EPOCH + 60) });
  });
}

const shown = (remaining: number, reset: number): Exchange =>
  sampleExchange({ headers: rateLimitFields(60, remaining, EPOCH + reset) });

describe('findIrregularities', () => {
  test('finds nothing if nothing is wrong', () => {
    expect(findIrregularities(sendWithFault('none', 48))).toEqual([]);
  });

  test('finds nothing in a sliding log that forgets what is a minute old', () => {
    const { exchanges } = observe({ ...KEPT, algorithm: 'sliding log' }, at(every(1.3, 48)));
    expect(findIrregularities(exchanges)).toEqual([]);
  });

  test('finds one operation that does not count, and names it', () => {
    const found = findIrregularities(sendWithFault('misses one operation', 16));
    const guilty = new Set(found.map(({ exchange }) => exchange.request.operation));
    expect([...guilty]).toEqual(['getPet']);
    // It was the second request, and the first left 59.
    expect(found[0]?.message).toContain('went from 59 to 59');
  });

  test.each(['counts twice', 'stands still'] as const)('finds a Remaining that %s', (fault) => {
    expect(findIrregularities(sendWithFault(fault, 16))).not.toHaveLength(0);
  });

  test('finds one response of fifteen that is off', () => {
    const anyOffset = fc.integer({ min: -40, max: 40 }).filter((off) => off !== 0);
    fc.assert(
      fc.property(anyOffset, fc.nat({ max: 14 }), (off, place) => {
        expect(findIrregularities(sendWithFault('off in one of fifteen', 16, off, place))).not.toHaveLength(
          0,
        );
      }),
    );
  });

  test('takes only one rise to a full window for the end of a window', () => {
    const exchanges = [shown(50, 60), shown(59, 120), shown(58, 120), shown(59, 180), shown(58, 180)];
    expect(findIrregularities(exchanges.slice(0, 3))).toEqual([]);
    expect(findIrregularities(exchanges)).toHaveLength(1);
  });

  test('finds a rise to a full window if Reset tells that none has ended', () => {
    expect(findIrregularities([shown(50, 60), shown(59, 60), shown(58, 60)])).toHaveLength(1);
    expect(findIrregularities([shown(50, 60), shown(59, 71), shown(58, 71)])).toHaveLength(1);
  });

  test('does not compare what two limits leave', () => {
    const exchanges = [
      sampleExchange({ headers: rateLimitFields(60, 10, EPOCH + 60) }),
      sampleExchange({ headers: rateLimitFields(1_000, 900, EPOCH + 86_400) }),
    ];
    expect(findIrregularities(exchanges)).toEqual([]);
  });
});
