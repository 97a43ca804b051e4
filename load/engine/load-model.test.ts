import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { seededRandom } from '../../contract/seeded-random.ts';
import { arrivals, type ArrivalProcess } from './arrivals.ts';
import {
  cycleOf,
  dueRequests,
  type OpenLoad,
  paceOfPart,
  pick,
  countBefore,
  countFor,
  type Share,
} from './load-model.ts';
import { sampleKey, sampleRequest } from './engine.test-data.ts';

const parts = fc.integer({ min: 1, max: 12 });

function sharesOf(of: number): readonly Share[] {
  return Array.from({ length: of }, (_, index) => ({ index, of }));
}

describe('a division', () => {
  test('of things that cannot be split gives each to one share, and none gets two more than another', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1_000_000 }), parts, (total, of) => {
        const counts = sharesOf(of).map((share) => countFor(total, share));
        expect(counts.reduce((sum, count) => sum + count, 0)).toBe(total);
        expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(1);
        for (const share of sharesOf(of)) {
          const before = counts.slice(0, share.index).reduce((sum, count) => sum + count, 0);
          expect(countBefore(total, share)).toBe(before);
        }
      }),
    );
  });
});

const KEYS = [sampleKey({ label: 'a' }), sampleKey({ label: 'b' })];
const MIX = Array.from({ length: 6 }, (_, index) => sampleRequest(pick(KEYS, index)));

describe('an open load', () => {
  test('divided is sent to the moment as by a single generator, request for request', () => {
    fc.assert(
      fc.property(
        fc.constantFrom<ArrivalProcess>('constant', 'poisson'),
        fc.integer({ min: 0, max: 2 ** 32 - 1 }),
        fc.array(
          fc.record({
            from: fc.integer({ min: 0, max: 200 }),
            to: fc.integer({ min: 1, max: 200 }),
            seconds: fc.integer({ min: 1, max: 3 }),
          }),
          { minLength: 1, maxLength: 3 },
        ),
        parts,
        (process, seed, stages, of) => {
          const load: OpenLoad = { model: 'open', stages, process, seed, connections: 40, mix: MIX };
          const whole = [...arrivals(stages, process, seededRandom(seed))];
          const sent = sharesOf(of).flatMap((share) => dueRequests(load, share).toArray());
          expect(sent.toSorted(([a], [b]) => a - b)).toEqual(
            whole.map((at, number) => [at, MIX[number % MIX.length]]),
          );
        },
      ),
    );
  });
});

describe('a closed load', () => {
  test('divided has the connections of a single generator, and its highest rate', () => {
    fc.assert(
      fc.property(fc.integer({ min: 12, max: 200 }), parts, (connections, of) => {
        const load = {
          model: 'closed',
          source: 'mix',
          connections,
          seconds: 1,
          maxRate: 900,
          mix: MIX,
          behaviour: { keepsAlive: true, sendsContentLength: true },
        } as const;
        const parts = (of: number) => sharesOf(of).map((share) => ({ load, share, startsAt: 5_000 }));
        const cyclesOf = (of: number) =>
          parts(of).flatMap((part) =>
            Array.from({ length: paceOfPart(part).connections }, (_, connection) =>
              cycleOf(load, part.share, connection),
            ),
          );
        expect(cyclesOf(of)).toEqual(cyclesOf(1));

        const paces = parts(of).map(paceOfPart);
        expect(paces.reduce((sum, { maxRate }) => sum + maxRate, 0)).toBeCloseTo(900, 6);
        // Their slots follow each other as those of one generator do.
        for (const [index, { firstSlotAt }] of paces.entries()) {
          expect(firstSlotAt - 5_000).toBeCloseTo((index * 1_000) / 900, 6);
        }
      }),
    );
  });
});
