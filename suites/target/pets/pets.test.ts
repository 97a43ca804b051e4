import { setImmediate as turn } from 'node:timers/promises';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';

import { updateInventory } from '../http/operations.ts';
import { followQuantities, leasePets, type Pet } from './pets.ts';
import { followServerClock } from '../../oracle/index.ts';
import { keepTime } from '../control/timekeeper.ts';

const petsOf = (count: number): readonly Pet[] =>
  Array.from({ length: count }, (_, index) => {
    const petId = BigInt(index + 1);
    return { petId, item: { petId, quantity: 5, status: 'available' } };
  });

const realTime = () => keepTime(null, followServerClock(), new AbortController().signal);
const idsOf = (pets: readonly Pet[]) => pets.map(({ petId }) => petId);

test('no pet is ever leased to two at once, and everyone gets at least as many as it needs', async () => {
  const demands = fc.array(
    fc.record({
      count: fc.integer({ min: 2, max: 5 }),
      fewest: fc.constantFrom(1, 2),
      turns: fc.nat({ max: 4 }),
    }),
    {
      maxLength: 15,
    },
  );
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 6 }), demands, async (total, plan) => {
      const time = realTime();
      const leases = leasePets(petsOf(total), time);
      const held = new Set<bigint>();
      await Promise.all(
        plan.map(({ count, fewest, turns }) =>
          time.participate(async () => {
            const pets = await leases.lease(count, fewest);
            expect(pets.length).toBeGreaterThanOrEqual(Math.min(fewest, total));
            expect(pets.length).toBeLessThanOrEqual(count);
            for (const petId of idsOf(pets)) {
              expect(held.has(petId)).toBe(false);
              held.add(petId);
            }
            for (let passed = 0; passed < turns; passed += 1) {
              await turn();
            }
            for (const petId of idsOf(pets)) {
              held.delete(petId);
            }
            leases.release(pets);
          }),
        ),
      );
      expect(held.size).toBe(0);
    }),
  );
});

test('the preferred pets are leased first', async () => {
  const time = realTime();
  const leases = leasePets(petsOf(4), time);
  await time.participate(async () => {
    expect(idsOf(await leases.lease(2))).toEqual([1n, 2n]);
    expect(idsOf(await leases.lease(9))).toEqual([3n, 4n]);
  });
  expect(leases.total).toBe(4);
});

test('those who wait are served in their order', async () => {
  const time = realTime();
  const leases = leasePets(petsOf(1), time);
  const served: number[] = [];
  await Promise.all(
    [1, 2, 3, 4].map((number) =>
      time.participate(async () => {
        const pets = await leases.lease(1);
        served.push(number);
        await turn();
        leases.release(pets);
      }),
    ),
  );
  expect(served).toEqual([1, 2, 3, 4]);
});

test('who shares one in real time leaves the last to others, and the last who has it gives it back', async () => {
  const leases = leasePets(petsOf(2), realTime());
  const [shared, second] = [await leases.lease(1, 1, true), await leases.lease(1, 1, true)];
  expect([idsOf(shared), second, idsOf(await leases.lease(1))]).toEqual([[1n], shared, [2n]]);
  expect(shared.map((pet) => leases.isShared(pet))).toEqual([true]);
  leases.release(shared);
  expect(shared.map((pet) => leases.isShared(pet))).toEqual([false]);
  const waiting = leases.lease(1);
  leases.release(shared);
  expect(await waiting).toEqual(shared);
});

test('if there are no pets at all nobody waits for one', async () => {
  const time = realTime();
  const leases = leasePets([], time);
  let leased: readonly Pet[] | undefined;
  void time.participate(async () => {
    leased = await leases.lease(1);
  });
  await turn();
  expect(leased).toEqual([]);
});

test.each([
  ['refused as invalid', 437, 400, false],
  ['accepted', 437, 200, true],
  ['refused for its rate', 437, 429, true],
  ['refused though it is small', 12, 400, true],
])('an update that is %s tells of the bound of quantities', (_title, quantity, status, takesThreeDigits) => {
  const quantities = followQuantities();
  quantities.note(updateInventory(7n, quantity), status);
  expect(quantities.isWithinBound(437)).toBe(takesThreeDigits);
  const drawn = Array.from({ length: 100 }, quantities.unusual);
  expect(drawn.every(quantities.isWithinBound)).toBe(true);
});
