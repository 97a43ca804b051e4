import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { MINUTE_SECONDS } from '../../contract/plans.ts';
import type { Key } from '../../suites/oracle/index.ts';
import {
  ALGORITHMS,
  anyExcess,
  anyModel,
  anyPace,
  fly,
  type ModelFlight,
  type LimiterModel,
} from '../../suites/oracle/limits/limiter-models.test-data.ts';
import { pick } from '../engine/load-model.ts';
import { sampleKey, sampleRequest, sampleResponse } from '../engine/load-request.test-data.ts';
import { idleClient, replay } from './replay.test-data.ts';
import { monitorResponses } from './response-monitor.ts';

const LIMITS_ARE_JUDGED = [
  'minute-limit-enterprise',
  'day-limit-enterprise',
  'limit-renews',
  'limit-under-concurrency',
  'remaining-falls',
  'remaining-counts-operations',
  'refusal-is-429',
  'ban-only-after-continued',
] as const;

/** A key with the limits of the model; its day is never reached. */
function keyOf({ limit }: Pick<LimiterModel, 'limit'>): Key {
  return sampleKey({ limits: { perMinute: limit, perDay: 50_000_000 } });
}

/** What is said against a limiter, by flights of one key. */
function judge(model: LimiterModel, flights: readonly ModelFlight[]): readonly string[] {
  const client = idleClient();
  const monitor = monitorResponses(client, false);
  replay(model, flights, sampleRequest(keyOf(model)), () => monitor);
  return LIMITS_ARE_JUDGED.flatMap((id) =>
    client.judgements.judgementOf(id).findings.map(({ message }) => `${id}: ${message}`),
  );
}

describe.each(ALGORITHMS)('a limiter that keeps its limit is not accused: %s', (algorithm) => {
  const anyMinute = anyModel([algorithm]).filter(({ windowSeconds }) => windowSeconds === MINUTE_SECONDS);

  test.each([
    ['within a window and beyond', 3],
    ['hardly longer than a window', 1.05],
  ])('however its requests were under way, %s', (_length, windows) => {
    fc.assert(
      fc.property(
        anyMinute,
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
      { numRuns: 25 },
    );
  });
});

interface Step {
  readonly remaining: number;
  readonly from: number;
  readonly to: number;
  readonly status?: number;
  readonly reset?: number;
}

const LIMIT = 100;
const REQUEST = sampleRequest(keyOf({ limit: LIMIT }));

/** What is said of answers that came in this order; the last 10 ms each are waited for. */
function say(steps: readonly Step[], request = REQUEST): readonly string[] {
  const client = idleClient();
  const monitor = monitorResponses(client, false);
  const events = steps.flatMap((step) => [
    { at: step.from, step, isLeaving: true },
    { at: step.to, step, isLeaving: false },
  ]);
  const departures = new Map<Step, number>();
  for (const { step, isLeaving } of events.toSorted((a, b) => a.at - b.at)) {
    if (isLeaving) {
      departures.set(step, monitor.leaving(request, step.from));
      continue;
    }
    const { remaining, from, to, status = 200, reset = 60 } = step;
    const rawHeaders = [
      ['X-RateLimit-Limit', `${LIMIT}`],
      ['X-RateLimit-Remaining', `${remaining}`],
      ['X-RateLimit-Reset', `${reset}`],
    ].flat();
    const times = { dueAt: from, sentAt: from, answeredAt: to };
    monitor.response(
      sampleResponse({ request, departure: departures.get(step) ?? 0, status, rawHeaders, ...times }),
    );
  }
  return client.judgements.judgementOf('remaining-falls').findings.map(({ message }) => message);
}

function falling(count: number): readonly Step[] {
  return Array.from({ length: count }, (_, index) => ({
    remaining: LIMIT - 1 - index,
    from: 10 * index,
    to: 10 * index + 9,
  }));
}

describe('accused is', () => {
  test.each<[string, readonly Step[]]>([
    [
      'a value that is shown again to a request sent after it',
      [...falling(3), { remaining: 97, from: 100, to: 110 }],
    ],
    ['a value that rises', [...falling(5), { remaining: 96, from: 100, to: 110 }]],
    [
      'a value that two requests under way at once are shown',
      [...falling(3), { remaining: 97, from: 15, to: 40 }],
    ],
    ['a value that is skipped', falling(6).toSpliced(3, 1)],
  ])('%s', (_what, steps) => {
    expect(say(steps)).toHaveLength(1);
  });

  test('any limiter in whose answers one value is off', () => {
    fc.assert(
      fc.property(fc.integer({ min: 3, max: 40 }), fc.nat(), fc.constantFrom(-1, 1), (count, at, shift) => {
        const steps = falling(count);
        const index = 1 + (at % (count - 1));
        const { remaining, from, to } = pick(steps, index);
        expect(say(steps.with(index, { remaining: remaining + shift, from, to }))).toHaveLength(1);
      }),
    );
  });
});

test('of a key that others may use, too, Remaining is not judged', () => {
  const shared = sampleRequest({ ...keyOf({ limit: LIMIT }), issued: false });
  const steps = [...falling(3), { remaining: 97, from: 100, to: 110 }];
  expect([say(steps), say(steps, shared)]).toEqual([[expect.any(String)], []]);
});
