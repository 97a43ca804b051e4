import * as fc from 'fast-check';
import { expect, test } from 'vitest';

import { pick } from '../engine/load-model.ts';
import { sampleKey, sampleRequest, sampleResponse } from '../engine/load-request.test-data.ts';
import { idleClient } from './replay.test-data.ts';
import { monitorResponses } from './response-monitor.ts';

interface Step {
  readonly remaining: number;
  readonly from: number;
  readonly to: number;
  readonly status?: number;
  readonly reset?: number;
}

const LIMIT = 100;
const KEY = sampleKey({ limits: { perMinute: LIMIT, perDay: 50_000_000 } });
const REQUEST = sampleRequest(KEY);

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

test('a limiter in whose answers one value is off is accused', () => {
  fc.assert(
    fc.property(fc.integer({ min: 3, max: 40 }), fc.nat(), fc.constantFrom(-1, 1), (count, at, shift) => {
      const steps = falling(count);
      const index = 1 + (at % (count - 1));
      const { remaining, from, to } = pick(steps, index);
      expect(say(steps.with(index, { remaining: remaining + shift, from, to }))).toHaveLength(1);
    }),
  );
});

test('of a key that others may use, too, Remaining is not judged', () => {
  const shared = sampleRequest({ ...KEY, issued: false });
  const steps = [...falling(3), { remaining: 97, from: 100, to: 110 }];
  expect([say(steps), say(steps, shared)]).toEqual([[expect.any(String)], []]);
});
