import { describe, expect, test } from 'vitest';

import { createCircuitBreaker, noOutcomes, noteOutcome, sumOfOutcomes } from './circuit-breaker.ts';

type Outcome = number | null;

const LOST = null;

/** What becomes of a load whose requests end like that. */
function breakWith(expectsRefusals: boolean, ...outcomes: readonly (readonly Outcome[])[]) {
  const stops: string[] = [];
  const breaker = createCircuitBreaker(expectsRefusals, (reason) => stops.push(reason));
  const counts = noOutcomes();
  for (const outcome of outcomes.flat()) {
    noteOutcome(counts, outcome);
    breaker.look(counts);
  }
  return { stops, trip: breaker.trip() };
}

function times(count: number, ...outcomes: readonly Outcome[]): readonly Outcome[] {
  return Array.from({ length: count }, () => outcomes).flat();
}

const FAILING = 'Stopped: 101 of the last 200 requests were lost, not sent or answered 5xx.';
const BANNED = 'Stopped: 11 of the last 200 requests with valid keys were answered 401 or 403, as if banned.';
const REFUSED = 'Stopped: 101 of the last 200 requests were answered 429, and going on might lead to a ban.';

test.each([
  ['are lost', 99, LOST, FAILING, 'failing'],
  ['are answered 500', 99, 500, FAILING, 'failing'],
  ['are refused for the rate', 99, 429, REFUSED, 'refused'],
  ['are answered 401, as by a ban', 189, 401, BANNED, 'banned'],
  ['are answered 403, as by a ban', 189, 403, BANNED, 'banned'],
])('a load is ended once when too many of 200 %s', (_how, good, outcome, reason, kind) => {
  const { stops, trip } = breakWith(false, times(good, 200), times(501, outcome));
  expect(stops).toEqual([reason]);
  expect(trip).toEqual({ kind, reason });
});

describe('it goes on', () => {
  test.each([
    ['while fewer than 200 have come', false, times(199, LOST)],
    ['at half of them lost', false, times(300, LOST, 200)],
    ['at refusals that are wanted', true, times(1_000, 429)],
    ['at half of them refused', false, times(300, 429, 200)],
    ['at bans that are wanted', true, times(1_000, 403)],
    ['at one ban in twenty', false, times(50, ...times(19, 200), 401)],
    ['after failures that are over', false, [...times(100, LOST), ...times(1_000, 200)]],
  ])('%s', (_what, expectsRefusals, outcomes) => {
    expect(breakWith(expectsRefusals, outcomes)).toEqual({ stops: [], trip: null });
  });
});

test('how the requests of several generators ended is added up', () => {
  const [one, other] = [noOutcomes(), noOutcomes()];
  times(2, 200, LOST).forEach((outcome) => noteOutcome(one, outcome));
  [401, 429, 503].forEach((outcome) => noteOutcome(other, outcome));
  expect(sumOfOutcomes([one, other])).toEqual({ seen: 7, failed: 3, banned: 1, refused: 1 });
});
