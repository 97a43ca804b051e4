import type { Check } from '../check.ts';
import { fetchListing, LISTING_JUDGES, Undecided } from '../check-context.ts';
import { getPet, listOrders, undocumented } from '../../target/index.ts';
import { unusualQuantity, updatePet } from './updates.ts';

/** What one key wrote another one reads. */
export const updateSeenByOthers: Check = {
  id: 'update-seen-by-others',
  title: 'An update is seen with every key',
  judges: ['update-persists', 'update-succeeds'],
  alsoJudges: [...LISTING_JUDGES, 'status-after-update'],
  needs: {
    profile: 'standard',
    keys: [
      { plan: 'any', use: 'spare', requests: 8 },
      { plan: 'any', use: 'spare', requests: 2 },
    ],
    pets: 1,
  },
  run: async (context) => {
    const [writer, reader] = context.keys;
    const [pet] = context.pets;
    if (
      writer === undefined ||
      writer === null ||
      reader === undefined ||
      reader === null ||
      pet === undefined
    ) {
      throw new Undecided('Two keys and a pet are needed.');
    }
    // What was read before may be kept somewhere, and shown again.
    await fetchListing(context, reader);
    await context.send(QUERIED_LIST, { key: writer });
    await updatePet(context, writer, pet, unusualQuantity());
    await fetchListing(context, reader);
    await context.send(QUERIED_LIST, { key: writer });
    await context.send(getPet(pet.petId), { key: writer });
    await context.send(listOrders(), { key: writer });
    await fetchListing(context, writer);
  },
};

const QUERIED_LIST = undocumented('GET', '/inventory?x=1');
