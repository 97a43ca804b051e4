import type { InventoryItem } from '../../../contract/inventory.ts';
import { INT64_MAX } from '../../../contract/json/index.ts';
import { storeForChecks } from '../../../fixtures/corpora/index.ts';
import type { Check } from '../check.ts';
import {
  fetchListing,
  LISTING_JUDGES,
  requireServed,
  Undecided,
  type CheckContext,
} from '../check-context.ts';
import { isAccepted, isUnreadable } from '../../oracle/index.ts';
import { undocumented, updateInventory } from '../../target/index.ts';
import { ANSWER_JUDGES, judgeAnswer } from './update-answer.ts';

/** Ids at which a range of integers ends, and the next ones; each is in the inventory. */
const EDGE_IDS: readonly bigint[] = [
  INT64_MAX,
  1n,
  2n ** 31n - 1n,
  2n ** 31n,
  2n ** 32n - 1n,
  2n ** 32n,
  2n ** 53n - 1n,
  2n ** 53n,
  2n ** 62n,
];

/** Ids at which integer types end, if the inventory can be replaced. */
export const edgePets: Check = {
  id: 'edge-pets',
  title: 'Pets at the edges of integer types can be updated, the largest int64 among them',
  judges: ['update-exact-pet', 'update-persists', 'item-pet-id', 'list-complete'],
  alsoJudges: [...LISTING_JUDGES, ...ANSWER_JUDGES],
  needs: {
    profile: 'full',
    control: ['inventory'],
    alone: true,
    keys: [{ plan: 'any', use: 'share', requests: EDGE_IDS.length + 3 }],
  },
  run: async (context) => {
    const { control } = context;
    if (control === null) {
      throw new Undecided('There is no control URL.');
    }
    const items = EDGE_IDS.map((petId, index): InventoryItem => ({
      petId,
      quantity: 20 + index,
      status: 'available',
    }));
    try {
      await control.replaceInventory(items);
      await judgeEdges(context, items);
    } finally {
      await control.replaceInventory(storeForChecks());
    }
  },
};

const QUANTITY_BEYOND = 471;

async function judgeEdges(context: CheckContext, items: readonly InventoryItem[]): Promise<void> {
  const key = context.key();
  const quantities = new Map(items.map(({ petId }, index) => [petId, 301 + index]));
  for (const item of items) {
    const quantity = quantities.get(item.petId) ?? 0;
    const exchange = await context.send(updateInventory(item.petId, quantity), { key });
    requireServed(context, exchange);
    const { status } = exchange.response;
    context.judge(
      'update-exact-pet',
      status === 200,
      `An update of pet ${item.petId}, which is in the inventory, was answered ${status}.`,
      exchange,
    );
    if (status === 200) {
      judgeAnswer(context, exchange, { petId: item.petId, item }, quantity);
    } else {
      quantities.delete(item.petId);
    }
  }
  const { path, body } = updateInventory(INT64_MAX + 1n, QUANTITY_BEYOND);
  const beyond = await context.send(undocumented('PATCH', path, body), { key });
  const listing = await fetchListing(context, key, items);
  for (const [petId, quantity] of quantities) {
    const seen = listing.items.get(petId.toString())?.quantity;
    if (isAccepted(beyond) && seen === QUANTITY_BEYOND) {
      context.fail(
        'update-exact-pet',
        `PATCH ${path} was accepted, and pet ${petId} went from ${quantity} to ${seen}. An id beyond int64 is not the id of that pet.`,
        listing.exchange,
      );
      continue;
    }
    context.judge(
      'update-persists',
      seen === quantity || isUnreadable(listing, petId),
      `Pet ${petId} was set to ${quantity}, and the list shows ${seen ?? 'no such pet'}.`,
      listing.exchange,
    );
  }
}
