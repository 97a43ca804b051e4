import type { InventoryItem } from '../../../contract/inventory.ts';
import { INT64_MAX } from '../../../contract/json/index.ts';
import { EDGE_PET_IDS, storeForChecks } from '../../../fixtures/corpora/index.ts';
import type { Check } from '../check.ts';
import { fetchListing, LISTING_JUDGES, requireServed, Undecided } from '../check-context.ts';
import { undocumented, updateInventory } from '../../target/index.ts';

/** Ids at which integer types end, if the inventory can be replaced. */
export const edgePets: Check = {
  id: 'edge-pets',
  title: 'Pets at the edges of integer types can be updated, the largest int64 among them',
  judges: ['update-exact-pet', 'update-persists', 'item-pet-id', 'list-complete'],
  alsoJudges: [...LISTING_JUDGES, 'update-succeeds'],
  needs: {
    profile: 'full',
    control: ['inventory'],
    alone: true,
    keys: [{ plan: 'any', use: 'share', requests: EDGE_PET_IDS.length + 3 }],
  },
  run: async (context) => {
    const { control } = context;
    if (control === null) {
      throw new Undecided('There is no control URL.');
    }
    const items = EDGE_PET_IDS.map((petId, index): InventoryItem => ({
      petId,
      quantity: 20 + index,
      status: 'available',
    }));
    try {
      await control.replaceInventory(items);
      const key = context.key();
      for (const { petId, quantity } of items) {
        const update = updateInventory(petId, Number(quantity) + DIFFERENCE);
        requireServed(context, await context.send(update, { key }));
      }
      // An id beyond int64 is not the id of the last pet.
      const { path, body } = updateInventory(INT64_MAX + 1n, QUANTITY_BEYOND);
      await context.send(undocumented('PATCH', path, body), { key });
      await fetchListing(context, key);
    } finally {
      await control.replaceInventory(storeForChecks());
    }
  },
};

const DIFFERENCE = 281;
const QUANTITY_BEYOND = 471;
