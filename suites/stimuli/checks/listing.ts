import type { InventoryItem } from '../../../contract/inventory.ts';
import { seedInventory } from '../../../fixtures/corpora/index.ts';
import { needsOfStore, type Check } from '../check.ts';
import { NEVER_MATCHING, type RequestMessage } from '../../oracle/index.ts';
import { fetchListing, replacingInventory, requireAnswer, requireServed } from '../check-context.ts';
import { FIELD_NAME_SPELLINGS, listInventory, withFieldNames, withFields } from '../../target/index.ts';

const REPEATS = 2;

/** What HTTP clients usually send with a request for JSON; From is for those without a user (RFC 9110, section 10.1.2). */
const USUAL_FIELDS: RequestMessage['headers'] = [
  ['Accept', 'application/json'],
  ['Accept-Encoding', 'gzip, br'],
  ['Accept-Language', 'en'],
  ['Cache-Control', 'no-cache'],
  ['From', 'stockcheck@example.com'],
  ['User-Agent', 'stockcheck'],
];

/** What the page of a browser sends that has another list in its cache. */
const FIELDS_OF_A_PAGE: RequestMessage['headers'] = [
  ['Accept', '*/*'],
  ['User-Agent', 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'],
  ...Object.entries(NEVER_MATCHING),
];

/** What simple clients send with every request, though there is no body; they make one request only. */
const FIELDS_OF_A_TOOL: RequestMessage['headers'] = [
  ['Accept', 'application/json;q=0.9'],
  ['Content-Type', 'application/json'],
  ['Connection', 'close'],
];

/** The list, asked for a few times. */
export const listCheck: Check = {
  id: 'list',
  title: 'The inventory is listed',
  judges: [
    'list-succeeds',
    'list-complete',
    'list-one-entry-per-pet',
    'item-pet-id',
    'item-quantity',
    'item-status',
    'list-order',
    'compression',
    'valid-key-accepted',
  ],
  needs: {
    profile: 'safe',
    keys: [{ plan: 'any', use: 'share', requests: REPEATS + 3 + FIELD_NAME_SPELLINGS.length }],
  },
  run: async (context) => {
    const orders = new Set<string>();
    for (let repeat = 0; repeat < REPEATS; repeat += 1) {
      const { items } = await fetchListing(context, context.key());
      orders.add(orderOf(items.values()));
    }
    context.observe('list-order', orders.size === 1 ? ([...orders][0] ?? '') : 'changes');
    const usual = withFields(listInventory(), USUAL_FIELDS);
    const exchange = await context.send(usual, { key: context.key() });
    requireAnswer(context, exchange);
    const coding = exchange.response.headers.find(([name]) => name.toLowerCase() === 'content-encoding')?.[1];
    context.observe('compression', coding ?? 'none');
    // A name means the same in any letters: most clients write Authorization, and what speaks HTTP/2 authorization.
    for (const spelling of FIELD_NAME_SPELLINGS) {
      const message = withFieldNames(usual, spelling);
      requireAnswer(context, await context.send(message, { key: context.key() }));
    }
    // What the headers of a last response lack is seen in passing.
    for (const headers of [FIELDS_OF_A_PAGE, FIELDS_OF_A_TOOL]) {
      const message = withFields(listInventory(), headers);
      requireAnswer(context, await context.send(message, { key: context.key() }));
    }
  },
};

function orderOf(items: Iterable<InventoryItem>): string {
  let before: bigint | undefined;
  for (const { petId } of items) {
    if (before !== undefined && petId <= before) {
      return 'other';
    }
    before = petId;
  }
  return 'by petId';
}

// Over 64 KiB as JSON, and under 100 kB, which is as much as some frameworks take for a body.
const LONG_LIST = 1_400;

/** A long list and an empty one, if the target lets its inventory be replaced. */
export const wholeStore: Check = {
  id: 'whole-store',
  title: 'The list holds every pet of the store, whether thousands or none',
  judges: ['list-complete', 'list-succeeds', 'item-pet-id', 'list-one-entry-per-pet'],
  needs: needsOfStore(5),
  run: async (context) => {
    await replacingInventory(context, async (replace) => {
      for (const store of [seedInventory({ size: LONG_LIST, seed: 3 }), seedInventory({ size: 1 }), []]) {
        await replace(store);
        requireServed(context, await context.send(listInventory(), { key: context.key() }));
      }
    });
    requireServed(context, await context.send(listInventory(), { key: context.key() }));
  },
};
