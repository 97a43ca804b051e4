import * as fc from 'fast-check';
import { expect, test } from 'vitest';

import type { RequirementId } from '../../contract/requirements/index.ts';
import { listInventory, updateInventory } from '../../suites/target/index.ts';
import { pick } from '../engine/load-model.ts';
import { keyed, unknownKey } from '../measuring/load-mix.ts';
import { sampleKey, sampleRequest, sampleResponse } from '../engine/engine.test-data.ts';
import { followKeys } from './key-history.ts';
import { idleClient } from './replay.test-data.ts';
import { monitorResponses, shareOfTime } from './response-monitor.ts';

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
function say(
  steps: readonly Step[],
  request = REQUEST,
  id: RequirementId = 'remaining-falls',
): readonly string[] {
  const client = idleClient();
  const monitor = monitorResponses(client, false, followKeys(client, false));
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
  return client.judgements.judgementOf(id).findings.map(({ message }) => message);
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

test.each([204, 307, 400, 404])('a list with a valid key that is answered %i is a violation', (status) => {
  const step = { ...pick(falling(1), 0), status };
  const message = `GET /inventory with a valid key was answered ${status}, not 200.`;
  expect(say([step], REQUEST, 'list-succeeds')).toEqual([message]);
  const update = keyed(updateInventory(1n, 1), KEY);
  const other = unknownKey(listInventory(), ['Bearer x']);
  expect([update, other].map((request) => say([step], request, 'list-succeeds'))).toEqual([[], []]);
});

test.each([500, 503])('one that is answered %i shows no list, and accuses nobody', (status) => {
  const said = say([{ ...pick(falling(1), 0), status }], REQUEST, 'list-succeeds');
  expect(said).toEqual([expect.stringContaining(`was answered ${status} under load`)]);
});

test.each([200, 401, 403, 408, 429])('one that is answered %i is none', (status) => {
  expect(say([{ ...pick(falling(1), 0), status }], REQUEST, 'list-succeeds')).toEqual([]);
});

function budgetOn(share: number, most: number, mostASecond = Number.MAX_SAFE_INTEGER) {
  const clock = { now: 0 };
  const budget = shareOfTime(share, most, mostASecond, () => clock.now);
  const spend = (milliseconds: number): void =>
    budget.spend(() => {
      clock.now += milliseconds;
    });
  return { clock, budget, spend };
}

test('what is spent comes back with the time, and adds up to the most at most', () => {
  const { clock, budget, spend } = budgetOn(0.1, 10);
  spend(20);
  expect(budget.isLeft()).toBe(false);
  clock.now += 99;
  expect(budget.isLeft()).toBe(false);
  clock.now += 2;
  expect(budget.isLeft()).toBe(true);
  clock.now += 1_000_000;
  spend(12);
  expect(budget.isLeft()).toBe(false);
});

test('so many pieces of work are done in a second, however short they are', () => {
  const { clock, budget, spend } = budgetOn(1, 1_000, 100);
  let done = 0;
  for (; clock.now < 10_000; clock.now += 1) {
    if (budget.isLeft()) {
      spend(0);
      done += 1;
    }
  }
  // Those saved up at the beginning, and those of ten seconds.
  expect(done).toBeGreaterThanOrEqual(1_099);
  expect(done).toBeLessThanOrEqual(1_100);
});

test('work that throws is paid for', () => {
  const { clock, budget } = budgetOn(0.1, 10);
  expect(() =>
    budget.spend(() => {
      clock.now += 100;
      throw new Error('broken');
    }),
  ).toThrow('broken');
  expect(budget.isLeft()).toBe(false);
});

test('whoever asks before each piece of work never takes more than the share', () => {
  const piece = fc.record({
    waited: fc.double({ min: 0, max: 50, noNaN: true }),
    takes: fc.double({ min: 0, max: 5, noNaN: true }),
  });
  fc.assert(
    fc.property(
      fc.array(piece, { maxLength: 300 }),
      fc.double({ min: 0.01, max: 0.5, noNaN: true }),
      (pieces, share) => {
        const { clock, budget, spend } = budgetOn(share, 10);
        let spent = 0;
        for (const { waited, takes } of pieces) {
          clock.now += waited;
          if (budget.isLeft()) {
            spend(takes);
            spent += takes;
          }
        }
        // The most at the beginning, and the last piece.
        expect(spent).toBeLessThanOrEqual(10 + share * clock.now + 5);
      },
    ),
  );
});
