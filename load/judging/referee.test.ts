import { describe, expect, test } from 'vitest';

import { refereeOf, type Referee } from './referee.ts';

function watch(expectsRefusals: boolean, act: (referee: Referee) => void) {
  const stops: string[] = [];
  const referee = refereeOf(expectsRefusals, (reason) => stops.push(reason));
  act(referee);
  return { stops, verdict: referee.verdict() };
}

function times(count: number, act: () => void): void {
  for (let done = 0; done < count; done += 1) {
    act();
  }
}

describe('a load is ended once', () => {
  test.each<[string, (referee: Referee) => void]>([
    ['lost', (referee) => referee.loss()],
    ['answered 500', (referee) => referee.response(500)],
  ])('where more than half of 200 are %s', (_how, fail) => {
    const { stops, verdict } = watch(false, (referee) => {
      times(99, () => referee.response(200));
      times(501, () => fail(referee));
    });
    expect(stops).toEqual(['Stopped, since 101 of the last 200 requests were lost or answered 5xx.']);
    expect(verdict).toEqual({ kind: 'failing', reason: stops[0] });
  });

  test.each([401, 403])('where valid keys are answered %d, as by a ban', (status) => {
    const { stops, verdict } = watch(false, (referee) => {
      times(189, () => referee.response(200));
      times(400, () => referee.response(status));
    });
    expect(stops).toEqual([
      'Stopped, since 11 of the last 200 requests with valid keys were answered 401 or 403, as a ban does.',
    ]);
    expect(verdict?.kind).toBe('banned');
  });
});

test('it ends where more than half of 200 are refused for the rate', () => {
  const { stops, verdict } = watch(false, (referee) => {
    times(99, () => referee.response(200));
    times(301, () => referee.response(429));
  });
  expect(stops).toEqual([
    'Stopped, since 101 of the last 200 requests were answered 429, and who goes on may be banned.',
  ]);
  expect(verdict?.kind).toBe('refused');
});

describe('it goes on', () => {
  test.each<[string, boolean, (referee: Referee) => void]>([
    ['while fewer than 200 have come', false, (referee) => times(199, () => referee.loss())],
    [
      'at half of them lost',
      false,
      (referee) =>
        times(300, () => {
          referee.loss();
          referee.response(200);
        }),
    ],
    ['at refusals that are wanted', true, (referee) => times(1_000, () => referee.response(429))],
    [
      'at half of them refused',
      false,
      (referee) =>
        times(300, () => {
          referee.response(429);
          referee.response(200);
        }),
    ],
    ['at bans that are wanted', true, (referee) => times(1_000, () => referee.response(403))],
    [
      'at one ban in twenty',
      false,
      (referee) =>
        times(50, () => {
          times(19, () => referee.response(200));
          referee.response(401);
        }),
    ],
    [
      'after failures that are over',
      false,
      (referee) => {
        times(100, () => referee.loss());
        times(1_000, () => referee.response(200));
      },
    ],
  ])('%s', (_what, expectsRefusals, act) => {
    expect(watch(expectsRefusals, act)).toEqual({ stops: [], verdict: null });
  });
});
