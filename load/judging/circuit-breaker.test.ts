import { describe, expect, test } from 'vitest';

import { createCircuitBreaker, type CircuitBreaker } from './circuit-breaker.ts';

function breakWith(expectsRefusals: boolean, act: (breaker: CircuitBreaker) => void) {
  const stops: string[] = [];
  const breaker = createCircuitBreaker(expectsRefusals, (reason) => stops.push(reason));
  act(breaker);
  return { stops, trip: breaker.trip() };
}

function times(count: number, act: () => void): void {
  for (let done = 0; done < count; done += 1) {
    act();
  }
}

describe('a load is ended once', () => {
  test.each<[string, (breaker: CircuitBreaker) => void]>([
    ['lost', (breaker) => breaker.loss()],
    ['answered 500', (breaker) => breaker.response(500)],
  ])('when more than half of 200 are %s', (_how, fail) => {
    const { stops, trip } = breakWith(false, (breaker) => {
      times(99, () => breaker.response(200));
      times(501, () => fail(breaker));
    });
    expect(stops).toEqual(['Stopped: 101 of the last 200 requests were lost or answered 5xx.']);
    expect(trip).toEqual({ kind: 'failing', reason: stops[0] });
  });

  test.each([401, 403])('when valid keys are answered %d, as by a ban', (status) => {
    const { stops, trip } = breakWith(false, (breaker) => {
      times(189, () => breaker.response(200));
      times(400, () => breaker.response(status));
    });
    expect(stops).toEqual([
      'Stopped: 11 of the last 200 requests with valid keys were answered 401 or 403, as if banned.',
    ]);
    expect(trip?.kind).toBe('banned');
  });
});

test('it ends when more than half of 200 are refused for the rate', () => {
  const { stops, trip } = breakWith(false, (breaker) => {
    times(99, () => breaker.response(200));
    times(301, () => breaker.response(429));
  });
  expect(stops).toEqual([
    'Stopped: 101 of the last 200 requests were answered 429, and going on might lead to a ban.',
  ]);
  expect(trip?.kind).toBe('refused');
});

describe('it goes on', () => {
  test.each<[string, boolean, (breaker: CircuitBreaker) => void]>([
    ['while fewer than 200 have come', false, (breaker) => times(199, () => breaker.loss())],
    [
      'at half of them lost',
      false,
      (breaker) =>
        times(300, () => {
          breaker.loss();
          breaker.response(200);
        }),
    ],
    ['at refusals that are wanted', true, (breaker) => times(1_000, () => breaker.response(429))],
    [
      'at half of them refused',
      false,
      (breaker) =>
        times(300, () => {
          breaker.response(429);
          breaker.response(200);
        }),
    ],
    ['at bans that are wanted', true, (breaker) => times(1_000, () => breaker.response(403))],
    [
      'at one ban in twenty',
      false,
      (breaker) =>
        times(50, () => {
          times(19, () => breaker.response(200));
          breaker.response(401);
        }),
    ],
    [
      'after failures that are over',
      false,
      (breaker) => {
        times(100, () => breaker.loss());
        times(1_000, () => breaker.response(200));
      },
    ],
  ])('%s', (_what, expectsRefusals, act) => {
    expect(breakWith(expectsRefusals, act)).toEqual({ stops: [], trip: null });
  });
});
