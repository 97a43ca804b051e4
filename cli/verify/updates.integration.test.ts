import { expect, test } from 'vitest';

import type { Alteration } from '../../reference-server/index.ts';
import { alterationOf, judgeAltered } from './run.test-data.ts';

/** Has one check judge a server without a control URL, on which nobody else writes. */
async function judge(check: string, alteration: Alteration) {
  const result = await judgeAltered([check], [alteration], { profile: 'standard', control: false });
  return { ...result, outcomeOf: (id: string) => result.judgementOf(id)?.outcome };
}

test('without control an entry is missed that is gone once only', async () => {
  const { outcomeOf } = await judge('update', alterationOf('list-lacks-entry-after-own-update'));
  expect(outcomeOf('update-touches-one-entry')).toBe('fail');
});

test('an update is judged without control if nothing is wrong, in any order of pet and body', async () => {
  const { outcomeOf } = await judge('update', alterationOf('body-before-pet'));
  expect(outcomeOf('update-touches-one-entry')).toBe('pass');
  expect(outcomeOf('update-persists')).toBe('pass');
});

test.each([
  ['status-unknown-of-pet-1', 'unknown-pets', 'update-exact-pet'],
  ['status-unknown-of-pet-1', 'unknown-pets', 'update-unknown-pet'],
  ['status-out-of-stock', 'update', 'update-persists'],
])('%s is no entry that %s misses', async (fault, check, requirement) => {
  const { outcomeOf } = await judge(check, alterationOf(fault));
  expect(outcomeOf('item-status')).toBe('fail');
  expect(outcomeOf(requirement)).toBe('pass');
});

/** After each of so many updates, every other pet is set to a quantity that nobody asked for, or the updated one itself. */
function disturbed(updates: number, isItself = false): Alteration {
  return {
    parts: ({ inventory }) => {
      let count = 0;
      return {
        inventory: {
          ...inventory,
          setQuantity: (petId, quantity) => {
            const updated = inventory.setQuantity(petId, quantity);
            count += 1;
            if (count <= updates) {
              for (const [index, other] of inventory.list().entries()) {
                if ((other.petId === petId) === isItself) {
                  inventory.setQuantity(other.petId, 100_000 + 100 * count + index);
                }
              }
            }
            return updated;
          },
        },
      };
    },
  };
}

const DISTURBANCES = [
  ['as long as somebody else writes', disturbed(8), 'update-touches-one-entry', 'inconclusive'],
  ['whenever it is updated', disturbed(Infinity), 'update-touches-one-entry', 'fail'],
  ['once, in the pet that was just updated', disturbed(1, true), 'update-persists', 'inconclusive'],
] as const;

// Each takes its time, so that they are judged side by side.
test('an inventory that others change is left open, and one that each update changes is a failure', async () => {
  const judged = await Promise.all(
    DISTURBANCES.map(async ([when, alteration, id]) => {
      const { outcomeOf, problems, spent, plan } = await judge('update', alteration);
      expect(spent.total).toBeLessThanOrEqual(plan.budget.total);
      return [when, outcomeOf(id), problems.some((one) => one.startsWith('Somebody else may have written'))];
    }),
  );
  expect(judged).toEqual(
    DISTURBANCES.map(([when, , , outcome]) => [when, outcome, outcome === 'inconclusive']),
  );
});
