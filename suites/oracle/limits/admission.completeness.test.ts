import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { assessAdmission, type Admission } from './admission.ts';
import {
  ALGORITHMS,
  anyExcess,
  anyModel,
  anyPace,
  burstsOf,
  fly,
  isUncut,
  observe,
  secondsOf,
  newSeries,
  spansOf,
  type Algorithm,
  type AnyPace,
  type LimiterModel,
} from './limiter-models.test-data.ts';
import { haveCommonBoundary } from '../window-phase.ts';

const RUNS = { numRuns: 100 };

/** Requests enough for the limiter to refuse one. */
const enough = ({ limit, extra }: LimiterModel, excess: number): number =>
  limit + Math.max(0, extra) + excess;

const isOver = ({ kind }: Admission): boolean => kind === 'over' || kind === 'unrefused';

/** Whether Reset leaps when a window ends. */
function tellsOfItsEnd({ algorithm, shows, resetMoves }: LimiterModel): boolean {
  return shows === 'this window' && algorithm !== 'sliding log' && !resetMoves;
}

/** What two bursts of a quarter of a window at most show, at two phases of it. */
function assessTwice(model: LimiterModel, paces: readonly AnyPace[], excess: number): readonly Admission[] {
  const bursts = burstsOf(model, paces, enough(model, excess));
  fc.pre(bursts.every(({ exchanges }) => secondsOf(exchanges) <= model.windowSeconds / 4));
  return bursts.map((burst) => assessAdmission(newSeries(model, burst)));
}

describe.each(ALGORITHMS)('a limiter that is off its limit: %s', (algorithm) => {
  test('is judged so if the burst lies within one window', () => {
    fc.assert(
      fc.property(
        anyModel([algorithm], [-3, -1, 1, 4]),
        anyPace(0.9, false),
        anyExcess,
        (model, pace, excess) => {
          const flights = fly(pace(model.windowSeconds), enough(model, excess), 0);
          fc.pre(isUncut(model, flights));
          expect(assessAdmission(newSeries(model, observe(model, flights)))).toMatchObject({
            kind: model.extra > 0 ? 'over' : 'under',
            granted: model.limit + model.extra,
          });
        },
      ),
      RUNS,
    );
  });

  test('is never found exact if no window ends unseen and no response is lost', () => {
    fc.assert(
      fc.property(
        anyModel([algorithm], [-3, -1, 1, 4]),
        anyPace(3, true),
        anyExcess,
        (model, pace, excess) => {
          // If Limit says less than Remaining counts from, one that counted in between cannot be told.
          const notFound = model.remainingCountsExtra ? { notFound: 0 } : {};
          const flights = fly(
            { ...pace(model.windowSeconds), lost: 0, ...notFound },
            enough(model, excess),
            0,
          );
          fc.pre(isUncut(model, flights) || tellsOfItsEnd(model));
          expect(assessAdmission(newSeries(model, observe(model, flights))).kind).not.toBe('exact');
        },
      ),
      RUNS,
    );
  });

  test.each([
    { what: 'too few if it grants too many', extras: [1, 4], contrary: { kind: 'under' } },
    { what: 'too many if it grants too few', extras: [-3, -1], contrary: { proven: true } },
  ])('is not accused of granting $what', ({ extras, contrary }) => {
    fc.assert(
      fc.property(anyModel([algorithm], extras), anyPace(3, true), anyExcess, (model, pace, excess) => {
        const flights = fly(pace(model.windowSeconds), enough(model, excess), 0);
        const admission = assessAdmission(newSeries(model, observe(model, flights)));
        expect(admission).not.toMatchObject(contrary);
      }),
      RUNS,
    );
  });

  test('is proven to grant too many by one burst whose Reset stands still, or that is fast with a limit above one', () => {
    fc.assert(
      fc.property(anyModel([algorithm], [1, 4]), anyPace(0.9, false), anyExcess, (drawn, pace, excess) => {
        const model = {
          ...drawn,
          shows: 'this window',
          resetMoves: false,
          remainingCountsExtra: false,
        } as const;
        const flights = fly(pace(model.windowSeconds), enough(model, excess), 0);
        const { exchanges, lostResponses } = observe(model, flights);
        const granted = exchanges.filter(({ response }) => response.status === 200);
        const sentAt = Math.max(...granted.map((exchange) => exchange.sentAt));
        const receivedAt = Math.min(...granted.map((exchange) => exchange.receivedAt));
        const isLongEnough = sentAt - receivedAt > 1000;
        const isFast =
          model.limit > 1 && secondsOf(flights) < (model.extra * model.windowSeconds) / model.limit;
        fc.pre(isUncut(model, flights) && (isLongEnough || isFast));
        expect(assessAdmission(newSeries(model, { exchanges, lostResponses }))).toMatchObject({
          proven: true,
        });
      }),
      RUNS,
    );
  });

  const twoBursts = fc.tuple(anyPace(0.2, false), anyPace(0.2, false));

  test('that grants too many does so in two bursts that no boundary explains, whatever its headers say', () => {
    fc.assert(
      fc.property(anyModel([algorithm], [1, 4]), twoBursts, anyExcess, (model, paces, excess) => {
        const admissions = assessTwice(model, paces, excess);
        expect(admissions.every(isOver)).toBe(true);
        expect(haveCommonBoundary(admissions.flatMap(spansOf), model.windowSeconds)).toBe(false);
      }),
      RUNS,
    );
  });

  test('that grants too few is seen in one of two bursts, since no boundary cuts both', () => {
    fc.assert(
      fc.property(anyModel([algorithm], [-3, -1]), twoBursts, anyExcess, (model, paces, excess) => {
        const admissions = assessTwice(model, paces, excess);
        expect(admissions.some(({ kind }) => kind === 'under')).toBe(true);
      }),
      RUNS,
    );
  });
});

describe('a token bucket', () => {
  const bucket: readonly Algorithm[] = ['token bucket'];

  test('is over its limit in bursts that take longer than it needs to refill', () => {
    fc.assert(
      fc.property(anyModel(bucket), fc.tuple(fc.integer(), fc.integer()), (drawn, seeds) => {
        const model = { ...drawn, limit: Math.max(20, drawn.limit), countsRefused: false };
        const paces = seeds.map((seed) => (windowSeconds: number) => ({
          seed,
          lanes: 1,
          seconds: windowSeconds / 5,
          jitter: 1,
          pause: { after: 1, seconds: 0 },
          notFound: 0,
          lost: 0,
        }));
        const admissions = burstsOf(model, paces, 2 * model.limit).map((burst) =>
          assessAdmission(newSeries(model, burst)),
        );
        expect(admissions.every(isOver)).toBe(true);
        expect(haveCommonBoundary(admissions.flatMap(spansOf), model.windowSeconds)).toBe(false);
      }),
      RUNS,
    );
  });

  test('is exact in a burst that is faster', () => {
    fc.assert(
      fc.property(anyModel(bucket), anyPace(1, false), anyExcess, (drawn, pace, excess) => {
        const model = { ...drawn, wholeSeconds: false };
        const flights = fly(pace(model.windowSeconds), model.limit + excess, 0);
        fc.pre(secondsOf(flights) < model.windowSeconds / model.limit);
        expect(assessAdmission(newSeries(model, observe(model, flights)))).toEqual({ kind: 'exact' });
      }),
      RUNS,
    );
  });
});
