import type { InventoryItem } from '../../../contract/inventory.ts';
import type { Check } from '../check.ts';
import { isAccepted, listOf, type Exchange, isUnreadable } from '../../oracle/index.ts';
import { fetchListing, LISTING_JUDGES, Undecided } from '../check-context.ts';
import { getPet, listOrders, undocumented, type Pet } from '../../target/index.ts';
import { ANSWER_JUDGES } from './update-answer.ts';
import { unusualQuantity, updatePet } from './updates.ts';

/** What one key wrote another one reads. */
export const updateSeenByOthers: Check = {
  id: 'update-seen-by-others',
  title: 'An update is seen with every key',
  judges: ['update-persists', 'update-succeeds'],
  alsoJudges: [...LISTING_JUDGES, ...ANSWER_JUDGES],
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
    const { items } = await fetchListing(context, reader);
    const queried = await context.send(QUERIED_LIST, { key: writer });
    const quantity = unusualQuantity();
    await updatePet(context, writer, pet, quantity);
    const judge = (exchange: Exchange, how: string): void => {
      const seen = quantityIn(exchange, pet);
      context.judge(
        'update-persists',
        seen === quantity || isUnreadableIn(exchange, pet),
        `Pet ${pet.petId} was set to ${quantity} with ${writer.label}, and ${how} shows ${seen ?? 'no such pet'}.`,
        exchange,
      );
    };
    judge((await fetchListing(context, reader)).exchange, `the list for ${reader.label}`);
    // What a query asks for is open; if it showed the same list as without, it still has to.
    const shown = quantityIn(queried, pet);
    if (shown !== undefined && shown === items.get(pet.petId.toString())?.quantity) {
      judge(await context.send(QUERIED_LIST, { key: writer }), 'the list with a query');
    }
    await context.send(getPet(pet.petId), { key: writer });
    await context.send(listOrders(), { key: writer });
    judge((await fetchListing(context, writer)).exchange, 'the list after the two other operations');
  },
};

const QUERIED_LIST = undocumented('GET', '/inventory?x=1');

function isUnreadableIn(exchange: Exchange, { petId }: Pet): boolean {
  const list = isAccepted(exchange) ? listOf(exchange) : undefined;
  return list !== undefined && isUnreadable(list, petId);
}

/** `undefined` if the exchange shows no list with that pet. */
function quantityIn(exchange: Exchange, { petId }: Pet): InventoryItem['quantity'] | undefined {
  return isAccepted(exchange) ? listOf(exchange)?.items.get(petId.toString())?.quantity : undefined;
}
