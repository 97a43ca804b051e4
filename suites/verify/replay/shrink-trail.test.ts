import * as fc from 'fast-check';
import { expect, test } from 'vitest';

import {
  requestsInTrail,
  requestsOfTrail,
  type Trail,
  type TrailRequest,
  type TrailStep,
} from '../../../contract/trail.ts';
import { isShort, promisingTrails, shrinkTrail } from './shrink-trail.ts';

function request(petId: number, more: Partial<TrailRequest> = {}): TrailRequest {
  return {
    method: 'PATCH',
    path: `/inventory/${petId}`,
    authorization: [[`Bearer `, { key: 1 }]],
    headers: [['Content-Type', 'application/json']],
    body: '{"quantity":1}',
    operation: 'updateInventory',
    key: 1,
    times: 1,
    answers: [],
    ...more,
  };
}

function send(...requests: readonly TrailRequest[]): Extract<TrailStep, { readonly do: 'send' }> {
  return { do: 'send', at: 0, connections: 1, requests };
}

const KEY = {
  label: 'free#1',
  plan: 'free',
  perMinute: 60,
  perDay: 1_000,
  usedToday: 0,
  issued: true,
} as const;

function trailOf(...steps: readonly TrailStep[]): Trail {
  const issue: TrailStep = { do: 'issue key', at: 0, key: 1 };
  return { keys: [KEY], startedAt: null, steps: [issue, ...steps], attempts: 1 };
}

function at(step: TrailStep, moment: number): TrailStep {
  return { ...step, at: moment };
}

/** A target on which something goes wrong once all these pets were updated, however. */
function failsAfter(petIds: ReadonlySet<number>) {
  return async (trail: Trail): Promise<Trail | null> => {
    const updated = new Set(requestsOfTrail(trail).map(({ path }) => path));
    return [...petIds].every((petId) => updated.has(`/inventory/${petId}`)) ? trail : null;
  };
}

test('what is left is what it takes, whatever steps it was spread over', async () => {
  const cases = fc
    .uniqueArray(fc.integer({ min: 1, max: 1_000 }), { minLength: 1, maxLength: 20 })
    .chain((petIds) =>
      fc.record({
        petIds: fc.constant(petIds),
        culprits: fc.subarray(petIds, { minLength: 1 }),
        inStep: fc.integer({ min: 1, max: 5 }),
        times: fc.integer({ min: 1, max: 4 }),
      }),
    );
  await fc.assert(
    fc.asyncProperty(cases, async ({ petIds, culprits, inStep, times }) => {
      const requests = petIds.map((petId) => request(petId, { times }));
      const steps = requests.flatMap((_, index) =>
        index % inStep === 0 ? [send(...requests.slice(index, index + inStep))] : [],
      );
      const shrunk = await shrinkTrail(trailOf(...steps), failsAfter(new Set(culprits)));
      expect(requestsOfTrail(shrunk)).toEqual(culprits.map((petId) => request(petId)));
    }),
  );
});

test('what is spelled oddly without need is spelled as the specification does', async () => {
  const odd = request(7, {
    path: '/inventory/7?x=1',
    headers: [
      ['Content-Type', 'application/json'],
      ['X-Odd', '1'],
    ],
  });
  const shrunk = await shrinkTrail(trailOf(send(odd)), async (trail) =>
    requestsOfTrail(trail).some(({ method }) => method === 'PATCH') ? trail : null,
  );
  expect(requestsOfTrail(shrunk)).toEqual([request(7)]);
  expect([isShort(trailOf(send(odd))), isShort(shrunk)]).toEqual([false, true]);
});

test('keys that nothing is sent with any more are not issued, and others keep their numbers', async () => {
  const { keys, ...rest } = trailOf(
    send(request(1)),
    send(request(2, { key: 2, authorization: [['Bearer ', { key: 2 }]] })),
  );
  const second: TrailStep = { do: 'issue key', at: 0, key: 2 };
  const trail = { ...rest, keys: [...keys, ...keys], steps: [second, ...rest.steps] };
  const shrunk = await shrinkTrail(trail, failsAfter(new Set([2])));
  expect(shrunk.steps).toEqual([
    second,
    send(request(2, { key: 2, authorization: [['Bearer ', { key: 2 }]] })),
  ]);
});

test('what follows a wait that is left out follows as much earlier', async () => {
  const trail = trailOf(
    at(send(request(1)), 0),
    { do: 'wait', at: 10, seconds: 60 },
    at(send(request(2)), 60_010),
  );
  const shrunk = await shrinkTrail(trail, failsAfter(new Set([1, 2])));
  expect(shrunk.steps.map(({ at: moment }) => moment)).toEqual([0, 0, 10]);
});

test('of pets that fill the inventory those stay that are asked for', async () => {
  const items = Array.from({ length: 40 }, (_, petId) => ({
    petId: `${petId}`,
    quantity: '1',
    status: 'sold',
  }));
  const trail = trailOf({ do: 'replace inventory', at: 0, items }, send(request(7)));
  let plays = 0;
  const shrunk = await shrinkTrail(trail, async (candidate) => {
    plays += 1;
    return failsAfter(new Set([7]))(candidate);
  });
  expect(shrunk.steps.find((step) => step.do === 'replace inventory')).toMatchObject({
    items: [{ petId: '7' }],
  });
  expect(plays).toBeLessThan(20);
});

test('without requests left the shortest so far is kept', async () => {
  const trail = trailOf(send(request(1)), send(request(2)), send(request(3)), send(request(4)));
  let left = 1;
  const shrunk = await shrinkTrail(trail, async (candidate) => {
    left -= 1;
    return left < 0 ? undefined : failsAfter(new Set([4]))(candidate);
  });
  expect(requestsInTrail(shrunk)).toBeLessThanOrEqual(4);
  expect(requestsOfTrail(shrunk).at(-1)).toEqual(request(4));
});

test('what is promising is tried from the fewest requests to all, at its own time of day at last', () => {
  const trail = {
    ...trailOf(...Array.from({ length: 20 }, (_, petId) => send(request(petId)))),
    startedAt: 1_800_000_000,
  };
  const tried = [...promisingTrails(trail)].map((one) => [requestsInTrail(one), one.startedAt !== null]);
  expect(tried).toEqual([
    [2, false],
    [4, false],
    [8, false],
    [16, false],
    [20, false],
    [20, true],
  ]);
});
