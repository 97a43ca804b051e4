import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { assessAdmission } from './admission.ts';
import {
  ALGORITHMS,
  answer,
  anyExcess,
  anyModel,
  anyPace,
  burstsOf,
  fly,
  isUncut,
  observe,
  newSeries,
  spansOf,
} from './limiter-models.test-data.ts';
import { haveCommonBoundary } from '../window-phase.ts';

const RUNS = { numRuns: Number(process.env['SOUNDNESS_RUNS'] ?? 100) };

describe.each(ALGORITHMS)('a limiter that keeps its limit: %s', (algorithm) => {
  const model = anyModel([algorithm]);

  test('is never accused, however its requests were sent and decided', () => {
    fc.assert(
      fc.property(model, anyPace(3, true), anyExcess, (model, pace, excess) => {
        const flights = fly(pace(model.windowSeconds), model.limit + excess, 0);
        const admission = assessAdmission(newSeries(model, observe(model, flights)));
        expect(admission.kind).not.toBe('under');
        expect(admission).not.toMatchObject({ proven: true });
      }),
      RUNS,
    );
  });

  test('is never accused for what it had granted before', () => {
    fc.assert(
      fc.property(
        model,
        anyPace(2, false),
        anyPace(2, true),
        fc.record({
          excess: anyExcess,
          share: fc.double({ min: 0, max: 1, noNaN: true }),
          isTimeKnown: fc.boolean(),
        }),
        (model, earlier, later, { excess, share, isTimeKnown }) => {
          const before = fly(earlier(model.windowSeconds), Math.floor(share * model.limit), 0);
          const gap = share * model.windowSeconds * 1000;
          const beginning = Math.max(0, ...before.map(({ receivedAt }) => receivedAt)) + gap;
          const flights = fly(later(model.windowSeconds), model.limit + excess, beginning);
          const exchanges = answer(model, [...before, ...flights]).slice(before.length);
          const seen = exchanges.filter((exchange) => exchange !== undefined);
          const admission = assessAdmission({
            ...newSeries(model, { exchanges: seen, lostResponses: flights.length - seen.length }),
            alreadyGranted: before.length,
            ...(isTimeKnown && before.length > 0 ? { alreadyGrantedSince: 0 } : {}),
          });
          expect(admission.kind).not.toBe('under');
          expect(admission).not.toMatchObject({ proven: true });
        },
      ),
      RUNS,
    );
  });

  test('granted too many only if one boundary of its windows explains all of it', () => {
    fc.assert(
      fc.property(
        model,
        fc.array(anyPace(3, false), { minLength: 3, maxLength: 3 }),
        anyExcess,
        (...drawn) => {
          const [model, paces, excess] = drawn;
          const spans = burstsOf(model, paces, model.limit + excess)
            .map((seen) => assessAdmission(newSeries(model, seen)))
            .flatMap(spansOf);
          expect(haveCommonBoundary(spans, model.windowSeconds)).toBe(true);
        },
      ),
      RUNS,
    );
  });

  test('is found exact if no window ended meanwhile and every request was answered', () => {
    fc.assert(
      fc.property(model, anyPace(0.9, false), anyExcess, (model, pace, excess) => {
        const flights = fly(pace(model.windowSeconds), model.limit + excess, 0);
        fc.pre(isUncut(model, flights));
        expect(assessAdmission(newSeries(model, observe(model, flights)))).toEqual({ kind: 'exact' });
      }),
      RUNS,
    );
  });
});

describe('what the verdict depends on', () => {
  const anySeries = fc
    .record({
      model: anyModel(ALGORITHMS, [-2, -1, 0, 1, 2]),
      pace: anyPace(3, true),
      excess: anyExcess,
      shift: fc.integer({ min: -100_000, max: 100_000 }),
    })
    .map(({ model, pace, excess, shift }) => {
      const flights = fly(pace(model.windowSeconds), model.limit + excess, 0);
      return { model, flights, shift };
    });

  test('is neither the order in which exchanges are listed nor how often they are judged', () => {
    fc.assert(
      fc.property(anySeries, ({ model, flights }) => {
        const series = newSeries(model, observe(model, flights));
        const admission = assessAdmission(series);
        expect(assessAdmission(series)).toEqual(admission);
        const turned = assessAdmission({ ...series, exchanges: series.exchanges.toReversed() });
        expect({ ...turned, witness: null }).toEqual({ ...admission, witness: null });
      }),
      RUNS,
    );
  });

  test('is not what time the two clocks show', () => {
    fc.assert(
      fc.property(anySeries, ({ model, flights, shift }) => {
        const later = flights.map(({ fate, ...moments }) => ({
          fate,
          sentAt: moments.sentAt + shift * 1000,
          receivedAt: moments.receivedAt + shift * 1000,
          decidedAt: moments.decidedAt + shift * 1000,
        }));
        const [here, there] = [
          { model, flights },
          { model: { ...model, skewSeconds: model.skewSeconds - shift }, flights: later },
        ].map(({ model, flights }) => assessAdmission(newSeries(model, observe(model, flights))));
        expect(there?.kind).toBe(here?.kind);
      }),
      RUNS,
    );
  });
});
