import type { InventoryItem } from '../../../contract/inventory.ts';
import type { RequirementId } from '../../../contract/requirements/index.ts';
import type { Check } from '../check.ts';
import { type Exchange, type Key, isAccepted, isUnreadable, type Listing } from '../../oracle/index.ts';
import {
  fetchListing,
  LISTING_JUDGES,
  requireAnswer,
  requireServed,
  type CheckContext,
} from '../check-context.ts';
import {
  FIELD_NAME_SPELLINGS,
  updateInventory,
  updateWithBody,
  withFieldNames,
  type Pet,
} from '../../target/index.ts';
import { ANSWER_JUDGES, judgeAnswer } from './update-answer.ts';

/** Sets one pet's quantity and judges the answer. */
export async function updatePet(
  context: CheckContext,
  key: Key,
  pet: Pet,
  quantity: number,
): Promise<Exchange> {
  const exchange = await context.send(updateInventory(pet.petId, quantity), { key });
  requireAnswer(context, 'update-succeeds', exchange);
  judgeAnswer(context, exchange, pet, quantity);
  return exchange;
}

/** A quantity that nobody else is likely to set, within any bound that a stock may have: bounds are not shown. */
export function unusualQuantity(): number {
  return 100 + Math.floor(Math.random() * 900);
}

const TRIES = 3;

/**
 * Compares two listings around updates of our own: those pets show their new quantities, and no other entry
 * changed. Entries that someone else may write to are left out.
 * @param expected the new quantity by pet; `null` if the update was refused, so that the list does not tell
 * @returns requirements that do not hold, with what was seen
 */
function compareListings(
  context: CheckContext,
  before: Listing,
  after: Listing,
  expected: ReadonlyMap<string, number | null>,
): readonly { readonly id: RequirementId; readonly message: string }[] {
  const wrong: { id: RequirementId; message: string }[] = [];
  for (const [petId, quantity] of expected) {
    const seen = after.items.get(petId)?.quantity;
    if (quantity !== null && seen !== quantity && !isUnreadable(after, BigInt(petId))) {
      const was = before.items.get(petId)?.quantity;
      const added = typeof was === 'number' && seen === was + quantity;
      wrong.push({
        id: added ? 'update-sets' : 'update-persists',
        message: `Pet ${petId} was set from ${was} to ${quantity}, and the list shows ${seen ?? 'no such pet'}.`,
      });
    }
  }
  for (const petId of petIdsIn(before, after)) {
    if (!expected.has(petId) && !context.isShared(BigInt(petId), before.takenAt)) {
      const was = before.items.get(petId);
      const is = after.items.get(petId);
      if (was === undefined || is === undefined) {
        const id = BigInt(petId);
        if (before.petIds.has(id) === after.petIds.has(id) || !before.isWhole || !after.isWhole) {
          continue;
        }
        const what = was === undefined ? 'came into' : 'left';
        wrong.push({
          id: 'update-touches-one-entry',
          message: `Pet ${petId} ${what} the list with updates of other pets.`,
        });
      } else if (was.quantity !== is.quantity || was.status !== is.status) {
        wrong.push({
          id: 'update-touches-one-entry',
          message: `Updates of other pets changed pet ${petId} from ${describe(was)} to ${describe(is)}.`,
        });
      }
    }
  }
  return wrong;
}

/** The petId of each pet that stands in one of two lists, without a copy of either. */
function* petIdsIn(before: Listing, after: Listing): Generator<string> {
  yield* before.items.keys();
  for (const petId of after.items.keys()) {
    if (!before.items.has(petId)) {
      yield petId;
    }
  }
}

function describe({ quantity, status }: InventoryItem): string {
  return `${quantity} ${status}`;
}

/**
 * Updates all leased pets in a round and judges the list afterwards; what others may have caused is tried again.
 * @returns whether no other entry was found changed
 */
async function updateRound(
  context: CheckContext,
  key: Key,
  quantities: (pet: Pet, index: number) => number,
  tries = TRIES,
): Promise<boolean> {
  for (let attempt = 1; ; attempt += 1) {
    const before = await fetchListing(context, key);
    const expected = new Map<string, number>();
    for (const [index, pet] of context.pets.entries()) {
      const quantity = quantities(pet, index);
      await updatePet(context, key, pet, quantity);
      expected.set(pet.petId.toString(), quantity);
    }
    const after = await fetchListing(context, key);
    const wrong = compareListings(context, before, after, expected);
    const foreign = wrong.every(({ id }) => id === 'update-touches-one-entry');
    if (wrong.length === 0) {
      for (const id of [
        'update-persists',
        'update-sets',
        'update-touches-one-entry',
        'update-exact-pet',
      ] as const) {
        context.judge(id, true, '');
      }
      return true;
    }
    for (const lost of entriesLost(context, before, after, expected)) {
      if (await isHidden(context, key, lost)) {
        context.fail(
          'update-touches-one-entry',
          `Pet ${lost} left the list with updates of other pets, though it is still in the store: an update of it without a quantity is answered 400, and that of an unknown pet 404.`,
          after.exchange,
        );
        return false;
      }
    }
    // Someone else may write to the inventory; if it is ours alone, or this happens each time, the update is the cause.
    const ours = context.control?.capabilities.has('inventory') === true;
    if (!foreign || ours || attempt >= tries) {
      for (const { id, message } of wrong) {
        context.fail(id, message, after.exchange);
      }
      return !foreign;
    }
  }
}

/** The first entry that left the list, of those that nobody else may have removed. */
function entriesLost(
  context: CheckContext,
  before: Listing,
  after: Listing,
  expected: ReadonlyMap<string, number>,
): readonly bigint[] {
  const isWhole = before.isWhole && after.isWhole;
  return before.items
    .values()
    .map(({ petId }) => petId)
    .filter((petId) => isWhole && !after.petIds.has(petId) && !expected.has(petId.toString()))
    .filter((petId) => !context.isShared(petId, before.takenAt))
    .take(1)
    .toArray();
}

/** Whether a pet is in the inventory and not in the list, as requests show that change nothing. */
async function isHidden(context: CheckContext, key: Key, petId: bigint): Promise<boolean> {
  const withoutQuantity = async (id: bigint): Promise<number> =>
    (await context.send(updateWithBody(id, '{}'), { key })).response.status;
  const unknown = context.facts.missingPet ?? 404_404_404n;
  return (
    (await withoutQuantity(petId)) === 400 &&
    (await withoutQuantity(unknown)) === 404 &&
    !(await fetchListing(context, key)).petIds.has(petId)
  );
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
  needs: {
    profile: 'standard',
    keys: [{ plan: 'any', use: 'share', requests: 14 }],
    pets: 1,
  },
  run: async (context) => {
    const key = context.key();
    const pet = context.pet();
    const first = unusualQuantity();
    await updateRound(context, key, () => first);
    await updatePet(context, key, pet, first);
    const twice = await fetchListing(context, key);
    const seen = twice.items.get(pet.petId.toString())?.quantity;
    context.judge(
      'update-sets',
      seen === first || isUnreadable(twice, pet.petId),
      `Pet ${pet.petId} was set to ${first} twice, and the list shows ${seen ?? 'no such pet'}.`,
      twice.exchange,
    );
    await updatePet(context, key, pet, 0);
    const zero = await fetchListing(context, key);
    const atZero = zero.items.get(pet.petId.toString())?.quantity;
    context.judge(
      'update-persists',
      atZero === 0 || isUnreadable(zero, pet.petId),
      `Pet ${pet.petId} was set to 0, and the list shows ${atZero ?? 'no such pet'}.`,
      zero.exchange,
    );
    if (!zero.petIds.has(pet.petId)) {
      await judgeShownAgain(context, key, pet, first);
    }
    for (const spelling of FIELD_NAME_SPELLINGS) {
      const quantity = unusualQuantity();
      const message = withFieldNames(updateInventory(pet.petId, quantity), spelling);
      const spelled = await context.send(message, { key });
      requireServed(context, spelled);
      context.judge(
        'update-succeeds',
        spelled.response.status === 200,
        `An update was answered ${spelled.response.status} when the names of its header fields stood in ${spelling}, which mean the same (RFC 9110, section 5.1).`,
        spelled,
      );
      judgeAnswer(context, spelled, pet, quantity);
    }
  },
};

/** A pet without stock is in the inventory all the same. */
async function judgeShownAgain(context: CheckContext, key: Key, pet: Pet, quantity: number): Promise<void> {
  await updatePet(context, key, pet, quantity);
  const listing = await fetchListing(context, key);
  context.judge(
    'list-complete',
    !listing.petIds.has(pet.petId),
    `The list left out pet ${pet.petId} once it was set to 0, and shows it since it was set to ${quantity}.`,
    listing.exchange,
  );
}

const ROUNDS = 12;
const PETS = 8;

/** Quantities that code might treat apart: the first of all, and those beside which something is full or a digit more. */
const TELLING_QUANTITIES = Array.from({ length: 40 }, (_, index) => index + 1).concat([
  49, 50, 63, 64, 99, 100, 101, 127, 128, 199, 200, 255, 256, 499, 500, 501, 511, 512, 998, 999,
]);
const CONCURRENT_ROUNDS = 2;

/** Many updates, for a fault that shows in one of fifteen. */
export const manyUpdates: Check = {
  id: 'many-updates',
  title: 'Every one of many updates is kept, and touches its own pet only',
  judges: JUDGED,
  alsoJudges: LISTING_JUDGES,
  needs: {
    profile: 'standard',
    keys: [{ plan: 'any', use: 'spare', requests: ROUNDS * (PETS + 2) }],
    pets: PETS,
  },
  run: async (context) => {
    let isAlone = true;
    for (let round = 0; round < ROUNDS; round += 1) {
      // Each pet gets other ones, spread over the rounds. A change of others that was found is not tried again and again.
      const isUntouched = await updateRound(
        context,
        context.key(),
        (_pet, index) => TELLING_QUANTITIES[round + index * ROUNDS] ?? unusualQuantity(),
        isAlone ? TRIES : 1,
      );
      isAlone &&= isUntouched;
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
  alsoJudges: [...LISTING_JUDGES, ...ANSWER_JUDGES],
  needs: {
    profile: 'full',
    control: ['inventory'],
    alone: true,
    keys: [{ plan: 'any', use: 'share', requests: 4 * CONFUSABLE_PETS }],
    pets: CONFUSABLE_PETS,
  },
  run: async (context) => {
    const key = context.key();
    for (const pet of context.pets) {
      const before = await fetchListing(context, key);
      const quantity = unusualQuantity();
      const exchange = await context.send(updateInventory(pet.petId, quantity), { key });
      requireServed(context, exchange);
      const { status } = exchange.response;
      context.judge(
        'update-exact-pet',
        status === 200,
        `An update of pet ${pet.petId}, which is in the inventory, was answered ${status}.`,
        exchange,
      );
      judgeAnswer(context, exchange, pet, quantity);
      const after = await fetchListing(context, key);
      const expected = new Map([[pet.petId.toString(), isAccepted(exchange) ? quantity : null]]);
      const wrong = compareListings(context, before, after, expected);
      // What was added went to the right pet.
      const misplaced = wrong.filter(({ id }) => id !== 'update-sets');
      context.judge(
        'update-exact-pet',
        misplaced.length === 0,
        () => misplaced.map(({ message }) => message).join(' '),
        after.exchange,
      );
      for (const { id, message } of wrong) {
        context.fail(id, message, after.exchange);
      }
    }
  },
};

/** Updates that are under way at once do not undo one another. */
export const concurrentUpdates: Check = {
  id: 'concurrent-updates',
  title: 'Updates of several pets at once are all kept',
  judges: ['update-persists', 'update-succeeds'],
  alsoJudges: LISTING_JUDGES,
  needs: {
    profile: 'standard',
    keys: [{ plan: 'any', use: 'spare', requests: CONCURRENT_ROUNDS * (PETS + 1) }],
    pets: PETS,
  },
  run: async (context) => {
    const key = context.key();
    for (let round = 0; round < CONCURRENT_ROUNDS; round += 1) {
      const expected = context.pets.map((pet) => ({ pet, quantity: unusualQuantity() }));
      const messages = expected.map(({ pet, quantity }) => updateInventory(pet.petId, quantity));
      const answers = await context.sendAll(messages, key, PETS);
      for (const answer of answers) {
        requireAnswer(context, 'update-succeeds', answer);
      }
      const listing = await fetchListing(context, key);
      for (const { pet, quantity } of expected) {
        const seen = listing.items.get(pet.petId.toString())?.quantity;
        context.judge(
          'update-persists',
          seen === quantity || isUnreadable(listing, pet.petId) || context.isShared(pet.petId, 0),
          `Pet ${pet.petId} was set to ${quantity} while ${PETS - 1} others were updated, and the list shows ${seen ?? 'no such pet'}.`,
          listing.exchange,
        );
      }
    }
  },
};
