import * as fc from 'fast-check';
import { expect, test } from 'vitest';

import { sampleRequest, sampleResponse } from '../engine/engine.test-data.ts';
import { newTraceparent, traceIdOf, keepTraces, mergeTraces } from './traced-requests.ts';

const STARTS_AT = 1_000;

const REQUEST = sampleRequest();

interface Sent {
  readonly part: number;
  readonly due: number;
  readonly takes: number;
  readonly status: number;
  readonly cause: string | null;
}

const sent: fc.Arbitrary<Sent> = fc.record({
  part: fc.nat({ max: 2 }),
  due: fc.integer({ min: 0, max: 5_000 }),
  takes: fc.integer({ min: 0, max: 5_000 }),
  status: fc.constantFrom(200, 200, 404, 500, 503),
  cause: fc.constantFrom(null, null, null, 'timeout', 'ECONNRESET'),
});

test('the slowest of all generators are kept, and some of those that failed in each way', () => {
  fc.assert(
    fc.property(fc.array(sent, { maxLength: 80 }), (all) => {
      const keepers = [0, 1, 2].map(() => keepTraces(STARTS_AT));
      const ids = all.map(({ part, due, takes, status, cause }) => {
        const traceparent = newTraceparent();
        const dueAt = STARTS_AT + due;
        const until = dueAt + takes;
        if (cause === null) {
          keepers[part]?.response(
            sampleResponse({
              request: REQUEST,
              traceparent,
              status,
              dueAt,
              sentAt: dueAt,
              answeredAt: until,
            }),
          );
        } else {
          keepers[part]?.loss({
            request: REQUEST,
            traceparent,
            dueAt,
            departure: 0,
            sentAt: dueAt,
            givenUpAt: until,
            cause,
          });
        }
        return traceIdOf(traceparent);
      });
      const merged = mergeTraces(keepers.map((keeper) => keeper.kept()));
      const answered = all.filter(({ cause }) => cause === null).map(({ takes }) => takes);
      const slowest = answered.toSorted((one, other) => other - one).slice(0, 10);
      expect(merged?.slowest.map(({ milliseconds }) => milliseconds) ?? []).toEqual(slowest);
      const ways = new Set(all.flatMap(({ status, cause }) => cause ?? (status >= 500 ? status : [])));
      expect(new Set(merged?.failed.map(({ status, cause }) => cause ?? status))).toEqual(ways);
      for (const { traceId, milliseconds, atSeconds, status, cause } of merged?.failed ?? []) {
        const original = all[ids.indexOf(traceId)];
        expect({ milliseconds, at: Math.round(atSeconds * 1000), status, cause }).toEqual({
          milliseconds: original?.takes,
          at: original?.due,
          status: original?.cause === null ? original.status : null,
          cause: original?.cause,
        });
      }
    }),
    { numRuns: 100 },
  );
});

test('nothing is kept of requests without a trace', () => {
  const keeper = keepTraces(STARTS_AT);
  keeper.response(sampleResponse({ status: 503 }));
  expect(keeper.kept()).toBeNull();
  expect(mergeTraces([null, keeper.kept()])).toBeNull();
});

test('each request begins a trace of its own, which is sampled', () => {
  const all = Array.from({ length: 1_000 }, newTraceparent);
  // W3C Trace Context, section 3.2.2: version, trace-id, parent-id, trace-flags.
  expect(all.filter((value) => !/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/.test(value))).toEqual([]);
  expect(new Set(all.map(traceIdOf)).size).toBe(all.length);
  expect(all.every((value) => value.startsWith(`00-${traceIdOf(value)}-`))).toBe(true);
});
