import type { InventoryItem } from '../../../contract/inventory.ts';
import { INT64_MAX } from '../../../contract/json/index.ts';
import type { RequirementId } from '../../../contract/requirements/index.ts';
import { EDGE_PET_IDS } from '../../../fixtures/corpora/index.ts';
import {
  header,
  itemInAnswer,
  type Key,
  type Listing,
  type RequestMessage,
  TWO_WINDOWS_SECONDS,
} from '../../oracle/index.ts';
import {
  FIELD_NAME_SPELLINGS,
  listInventory,
  type Pet,
  undocumented,
  updateInventory,
  updateWithBody,
  withFieldNames,
  withFields,
} from '../../target/index.ts';
import {
  LISTING_JUDGES,
  fetchListing,
  replacingInventory,
  requireAnswer,
  requireServed,
  type CheckContext,
} from '../check-context.ts';
import { needsOfStore, needsOfUpdates, type Check } from '../check.ts';
import { agreedKey, OF_TWO } from '../provoking/use-up.ts';

/** Sets one pet's quantity, or another one within the bound that shows. @throws {Undecided} if it was not answered 200 */
export async function updatePet(context: CheckContext, key: Key, pet: Pet, wanted: number): Promise<void> {
  const { isWithinBound, unusual } = context.quantities;
  const quantity = isWithinBound(wanted) ? wanted : unusual();
  const exchange = await context.send(updateInventory(pet.petId, quantity), { key });
  if (!isWithinBound(quantity)) {
    return updatePet(context, key, pet, quantity);
  }
  requireAnswer(context, exchange);
  const answered = itemInAnswer(exchange);
  if (answered !== undefined) {
    const kept = answered.status === pet.item.status ? 'kept' : 'changed';
    context.observe('status-after-update', Number(answered.quantity) === 0 ? `${kept} at 0` : kept);
  }
}

/** Updates all leased pets between two lists. @returns whether every pet that was listed before still is */
async function updateRound(
  context: CheckContext,
  key: Key,
  quantities: (pet: Pet, index: number) => number,
  list?: RequestMessage,
): Promise<boolean> {
  const before = await fetchListing(context, key, list);
  const after = await updateAll(context, key, quantities, list);
  return askForHidden(context, key, before, after);
}

/** @returns the list afterwards */
async function updateAll(
  context: CheckContext,
  key: Key,
  quantities: (pet: Pet, index: number) => number,
  list?: RequestMessage,
): Promise<Listing> {
  for (const [index, pet] of context.pets.entries()) {
    await updatePet(context, key, pet, quantities(pet, index));
  }
  return fetchListing(context, key, list);
}

/**
 * Asks whether a pet that left the list with updates of others is still in the store, with updates that change nothing.
 * @returns whether every pet that was listed before still is
 */
async function askForHidden(
  context: CheckContext,
  key: Key,
  before: Listing,
  after: Listing,
): Promise<boolean> {
  const isLeased = new Set(context.pets.map(({ petId }) => petId));
  const isWhole = before.isWhole && after.isWhole;
  const lost = before.items
    .values()
    .map(({ petId }) => petId)
    .find((petId) => isWhole && !after.petIds.has(petId) && !isLeased.has(petId));
  if (lost !== undefined) {
    for (const petId of [lost, context.facts.missingPet ?? 404_404_404n]) {
      await context.send(updateWithBody(petId, '{}'), { key });
    }
    await fetchListing(context, key);
  }
  return lost === undefined;
}

/** Asks for the list unless it has this tag still. @returns the tag that it has; `undefined` if there is none */
export async function askUnlessTagged(
  context: CheckContext,
  key: Key,
  tag: string | undefined,
): Promise<string | undefined> {
  const condition = tag === undefined ? [] : ([['If-None-Match', tag]] as const);
  return header(await context.send(withFields(listInventory(), condition), { key }), 'ETag');
}

/** Asks for the list unless it has the tag of one before, if that had one: at first, and once a pet has a quantity as long. */
async function askByTag(context: CheckContext, key: Key, pet: Pet, listed: Listing): Promise<void> {
  const tag = header(listed.exchange, 'ETag');
  const quantity = Number(listed.items.get(pet.petId)?.quantity);
  if (tag !== undefined && listed.items.has(pet.petId)) {
    await askUnlessTagged(context, key, tag);
    await updatePet(context, key, pet, quantity % 10 === 0 ? quantity + 1 : quantity - 1);
    await askUnlessTagged(context, key, tag);
  }
}

const JUDGED: readonly RequirementId[] = [
  'update-succeeds',
  'update-sets',
  'update-persists',
  'update-touches-one-entry',
  'update-exact-pet',
  'item-pet-id',
  'item-quantity',
  'item-status',
  'status-after-update',
];

/** One pet is set, set again to the same, set to another quantity, and to zero. */
export const updateCheck: Check = {
  id: 'update',
  title: 'An update sets the quantity of one pet, and the list shows it',
  judges: JUDGED,
  alsoJudges: LISTING_JUDGES,
  needs: needsOfUpdates(20, 1),
  run: async (context) => {
    const key = context.key();
    const pet = context.pet();
    const first = context.quantities.unusual();
    await updateRound(context, key, () => first);
    await updatePet(context, key, pet, first);
    await askByTag(context, key, pet, await fetchListing(context, key));
    await updatePet(context, key, pet, 0);
    const zero = await fetchListing(context, key);
    if (!zero.petIds.has(pet.petId)) {
      // A pet without stock is in the inventory all the same, and would be back now.
      await updatePet(context, key, pet, first);
      await fetchListing(context, key);
    }
    // The names of header fields mean the same in any letters (RFC 9110, section 5.1).
    for (const spelling of FIELD_NAME_SPELLINGS) {
      const message = withFieldNames(updateInventory(pet.petId, context.quantities.unusual()), spelling);
      requireServed(context, await context.send(message, { key }));
    }
    for (const respelled of [
      withType('application/json; charset=utf-8'),
      withType('Application/JSON'),
      inSegments,
    ]) {
      const message = respelled(updateInventory(pet.petId, context.quantities.unusual()));
      requireServed(context, await context.send(message, { key }));
    }
  },
};

/** A parameter or capital letters make no other media type (RFC 9110, section 8.3.1). */
function withType(type: string): (plain: RequestMessage) => RequestMessage {
  return (plain) => ({ ...plain, headers: [['Content-Type', type]] });
}

/** The header section and the body come in several segments each, as many clients and networks send them. */
export function inSegments(plain: RequestMessage): RequestMessage {
  return { ...plain, inParts: true };
}

const ROUNDS = 12;
const PETS = 8;
const PACKED_LIST = withFields(listInventory(), [['Accept-Encoding', 'gzip']]);

/**
 * Quantities that code might treat apart: the first of all, and those beside which something is full or a digit more. None
 * comes right after 0, to which it might be added unseen.
 */
const TELLING_QUANTITIES = Array.from({ length: 40 }, (_, index) => index + 1).concat([
  49, 50, 63, 64, 99, 100, 101, 127, 128, 199, 200, 255, 256, 499, 500, 501, 511, 512, 998, 999, 0,
]);
const CONCURRENT_REQUESTS = 2 * (PETS + 1);

/** Another order in each run: two runs side by side that ask for the same at once would take the other's updates for their own. */
function drawnOrder(count: number): readonly number[] {
  return Array.from({ length: count }, (_, index) => ({ index, place: Math.random() }))
    .toSorted((one, other) => one.place - other.place)
    .map(({ index }) => index);
}

/** Many updates, for a fault that shows in one of fifteen. */
export const manyUpdates: Check = {
  id: 'many-updates',
  title: 'Every one of many updates is kept, and touches its own pet only',
  judges: JUDGED,
  alsoJudges: LISTING_JUDGES,
  needs: needsOfUpdates(ROUNDS * (PETS + 2) + 1, PETS, 'spare'),
  run: async (context) => {
    let areAllListed = true;
    for (const round of drawnOrder(ROUNDS)) {
      const key = context.key();
      // Each pet gets other ones, spread over the rounds.
      const quantities = (_pet: Pet, index: number): number =>
        TELLING_QUANTITIES[round + index * ROUNDS] ?? context.quantities.unusual();
      // A cache may keep a list of each coding.
      const list = round % 2 === 0 ? listInventory() : PACKED_LIST;
      if (areAllListed) {
        areAllListed = await updateRound(context, key, quantities, list);
      } else {
        await updateAll(context, key, quantities, list);
      }
    }
  },
};

/** The update that spends the last request of a minute is an update, and so is the one that begins the next. */
export const lastUpdate: Check = {
  id: 'last-update',
  title: 'An update is kept that spends the last request of a minute, and one that is the first of it',
  judges: ['update-persists', 'update-succeeds'],
  alsoJudges: [...LISTING_JUDGES, 'status-after-update'],
  needs: {
    profile: 'full',
    control: ['keys'],
    alone: true,
    keys: [{ plan: 'any', use: 'share', requests: 2 }, agreedKey(OF_TWO, 2 * OF_TWO.perMinute)],
    pets: 1,
  },
  run: async (context) => {
    const writer = context.key(1);
    await fetchListing(context, writer);
    await updatePet(context, writer, context.pet(), context.quantities.unusual());
    const tag = header((await fetchListing(context, context.key())).exchange, 'ETag');
    if (tag !== undefined) {
      // Nothing else changes the list meanwhile.
      await askUnlessTagged(context, context.key(), tag);
    }
    if (context.virtualTime) {
      await context.sleep(TWO_WINDOWS_SECONDS, 'a fresh minute');
      await updatePet(context, writer, context.pet(), context.quantities.unusual());
      await fetchListing(context, writer);
    }
  },
};

const CONFUSABLE_PETS = 9;

/** Ids that a double or an int32 would confuse are updated one at a time. */
export const confusablePets: Check = {
  id: 'confusable-pets',
  title: 'Neighbouring int64 petIds are not confused',
  judges: [
    'update-exact-pet',
    'update-touches-one-entry',
    'update-persists',
    'update-succeeds',
    'item-pet-id',
  ],
  alsoJudges: LISTING_JUDGES,
  needs: needsOfStore(4 * CONFUSABLE_PETS, CONFUSABLE_PETS),
  run: async (context) => {
    const key = context.key();
    await fetchListing(context, key);
    for (const pet of context.pets) {
      requireServed(
        context,
        await context.send(updateInventory(pet.petId, context.quantities.unusual()), { key }),
      );
      await fetchListing(context, key);
    }
  },
};

/** Updates that are under way at once do not undo one another. */
export const concurrentUpdates: Check = {
  id: 'concurrent-updates',
  title: 'Updates of several pets at once are all kept',
  judges: ['update-persists', 'update-succeeds'],
  alsoJudges: LISTING_JUDGES,
  needs: { ...needsOfUpdates(CONCURRENT_REQUESTS, PETS, 'spare'), fewestPets: 2 },
  run: async (context) => {
    const key = context.key();
    const rounds = Math.floor(CONCURRENT_REQUESTS / (context.pets.length + 1));
    for (let round = 0; round < rounds; round += 1) {
      const messages = context.pets.map(({ petId }) => updateInventory(petId, context.quantities.unusual()));
      for (const answer of await context.sendAll(messages, key, PETS)) {
        requireAnswer(context, answer);
      }
      await fetchListing(context, key);
    }
  },
};

/** Ids at which integer types end, if the inventory can be replaced. */
export const edgePets: Check = {
  id: 'edge-pets',
  title: 'Pets at the edges of integer types can be updated, the largest int64 among them',
  judges: ['update-exact-pet', 'update-persists', 'item-pet-id', 'list-complete'],
  alsoJudges: [...LISTING_JUDGES, 'update-succeeds'],
  needs: needsOfStore(EDGE_PET_IDS.length + 4),
  run: async (context) => {
    const items = EDGE_PET_IDS.map((petId, index): InventoryItem => ({
      petId,
      quantity: 20 + index,
      status: 'available',
    }));
    const key = context.key();
    // Unknown so far, it is known once it is in the inventory.
    await context.send(updateInventory(INT64_MAX, QUANTITY_BEYOND), { key });
    await replacingInventory(context, async (replace) => {
      const stored = await storeMost(items, replace);
      for (const { petId, quantity } of stored) {
        const update = updateInventory(petId, Number(quantity) + DIFFERENCE);
        if (petId > 0n) {
          requireServed(context, await context.send(update, { key }));
        } else {
          // A router may know no path to it.
          await context.send({ ...update, operation: null }, { key });
        }
      }
      // An id beyond int64 is not the id of the last pet.
      const { path, body } = updateInventory(INT64_MAX + 1n, QUANTITY_BEYOND);
      await context.send(undocumented('PATCH', path, body), { key });
      await fetchListing(context, key);
    });
  },
};

/** A store may hold no pets with other ids than from 1 on. @returns what it holds */
async function storeMost(
  items: readonly InventoryItem[],
  replace: (items: readonly InventoryItem[]) => Promise<void>,
): Promise<readonly InventoryItem[]> {
  const usual = items.filter(({ petId }) => petId > 0n);
  return replace(items).then(
    () => items,
    () => replace(usual).then(() => usual),
  );
}

const DIFFERENCE = 41;
const QUANTITY_BEYOND = 97;
