import { DAY_SECONDS, MINUTE_SECONDS, type PlanLimits } from '../../../contract/plans.ts';
import { header, isAccepted, type Key, type RequestMessage } from '../../oracle/index.ts';
import {
  getPet,
  listInventory,
  listOrders,
  type KeyNeed,
  type Pet,
  undocumented,
  updateInventory,
  updateWithBody,
  withFields,
} from '../../target/index.ts';
import {
  answerTo,
  LISTING_JUDGES,
  fetchListing,
  requireAnswer,
  type CheckContext,
} from '../check-context.ts';
import { needsOfStore, needsOfUpdates, type Check } from '../check.ts';
import { knownForms } from '../provoking/accepted-forms.ts';
import { NO_KEY } from '../provoking/refused-key.ts';
import { askUnlessTagged, updatePet } from './updates.ts';

function to(pet: Pet, quantity: number): RequestMessage {
  return updateInventory(pet.petId, quantity);
}

/**
 * Carries out updates, each of which has to be granted, and lists what came of them.
 * @param tag of a list before; the list is asked for unless it has that still
 * @returns the tag of the list, if it has one
 */
async function carryOut(
  context: CheckContext,
  key: Key,
  updates: readonly RequestMessage[],
  tag?: string,
): Promise<string | undefined> {
  for (const message of updates) {
    requireAnswer(context, await context.send(message, { key }));
  }
  return tag === undefined
    ? header((await fetchListing(context, key)).exchange, 'ETag')
    : askUnlessTagged(context, key, tag);
}

const SEQUENCE_REQUESTS = 92;

/** Updates in orders that a cache, a memory of requests or a transaction may get wrong. */
export const updateSequences: Check = {
  id: 'update-sequences',
  takesForms: true,
  title: 'An update counts, whatever came before it and however it is written',
  judges: ['update-succeeds', 'update-persists', 'update-missing-quantity', 'update-invalid-quantity'],
  alsoJudges: LISTING_JUDGES,
  needs: needsOfStore(SEQUENCE_REQUESTS, 2),
  anonymousRequests: 1,
  run: async (context) => {
    const key = context.key();
    const first = context.pet();
    const second = context.pets[1] ?? first;
    const tag = await carryOut(context, key, [to(first, 31), to(first, 32), to(first, 31)]);
    if (second !== first) {
      // The same for two pets one after the other, with what came last before; and then such that the sum stays the same,
      // each within a second. A check that writes beside this one may change the sum.
      let next = await carryOut(context, key, [to(first, 41), to(second, 41), to(first, 31)], tag);
      for (const apart of [1, 2, 3]) {
        next = await carryOut(context, key, [to(first, 31 + apart), to(second, 41 - apart)], next);
      }
    }
    await carryOut(context, key, [to(first, 0)]);
    await context.send(updateWithBody(first.petId, '{"quantity":null}'), { key });
    await carryOut(context, key, [to(first, 51)]);
    await context.send(updateInventory(context.facts.missingPet ?? 404_404_404n, 1), { key });
    await carryOut(context, key, [to(first, 61)]);
    await context.send(updateWithBody(first.petId, '{"quantity":'), { key });
    await carryOut(context, key, [to(first, 62)]);
    for (const [index, body] of WRITTEN_OTHERWISE.entries()) {
      await carryOut(context, key, [updateWithBody(first.petId, body(71 + index))]);
    }
    // What was refused over the same connection leaves nothing behind.
    await context.send(listInventory(), NO_KEY);
    await carryOut(context, key, [to(first, 63)]);
    await passBystanders(context, key, [second, first]);
    await updateSpelled(context, key);
    // The quantity stands in the body; what a query says is no quantity.
    const plain = updateWithBody(first.petId, '{}');
    await context.send({ ...plain, path: `${plain.path}?quantity=5` }, { key });
  },
};

/** What changes nothing over the same connection undoes no update before it, and loses none after it; the pets take turns. */
async function passBystanders(context: CheckContext, key: Key, pets: readonly Pet[]): Promise<void> {
  const bystanders = [
    undocumented('HEAD', '/inventory'),
    getPet(context.facts.missingPet ?? 404_404_404n),
    withFields(listInventory(), [['Connection', 'close']]),
    undocumented('GET', '/stockcheck'),
  ];
  for (const [index, message] of bystanders.entries()) {
    await answerTo(context, message);
    await carryOut(context, key, [to(pets[index % pets.length] ?? context.pet(), 64 + index)]);
  }
}

/** The same beside others, with what room is left for it. */
export const updateSequencesInRealTime: Check = {
  ...updateSequences,
  id: 'update-sequences-in-real-time',
  needs: {
    ...needsOfUpdates(SEQUENCE_REQUESTS, 2, 'spare'),
    profile: 'full',
    realTimeOnly: true,
    fewestPets: 2,
  },
};

/** Other texts of the same JSON object (RFC 8259, sections 2 and 7): with line breaks within, an escaped character, or space before. */
const WRITTEN_OTHERWISE = [
  (quantity: number) => `{\r\n\t"quantity" : ${quantity}\n}\n`,
  (quantity: number) => `{"quantit\\u0079":${quantity}}`,
  (quantity: number) => `\r\n {"quantity":${quantity}}`,
] as const;

/** An update that is accepted under another spelling of its path is an update; one list shows those of two pets. */
async function updateSpelled(context: CheckContext, key: Key): Promise<void> {
  let unlisted = 0;
  for (const [index, { build }] of knownForms(context).entries()) {
    const pet = context.pets[unlisted] ?? context.pet();
    const message = build({ ...pet, item: { ...pet.item, quantity: 81 + index } });
    if (message?.method !== 'PATCH' || !isAccepted(await context.send(message, { key }))) {
      continue;
    }
    unlisted += 1;
    if (unlisted === 2) {
      await fetchListing(context, key);
      unlisted = 0;
    }
  }
  if (unlisted > 0) {
    await fetchListing(context, key);
  }
}

/** Wider than any other plan: they do not fit into 16 bits, and some languages write them as 1.2e+06 by default. */
const WIDE_LIMITS: PlanLimits = { perMinute: 1_200_000, perDay: 40_000_000 };

const WRITER = { use: 'spare', requests: 4 } as const;
/** It waits for one of them, and takes the others that are free then. */
const writerNeeds: readonly KeyNeed[] = [
  { ...WRITER, plan: 'any' },
  { ...WRITER, plan: 'free', optional: true },
  { ...WRITER, plan: 'pro', optional: true },
  { ...WRITER, plan: 'business', optional: true },
  { ...WRITER, plan: 'enterprise', optional: true, agree: WIDE_LIMITS },
];

/** What a key of any plan writes, a key of any other plan reads. */
export const updateWithEveryPlan: Check = {
  id: 'update-with-every-plan',
  title: 'An update with a key of any plan is seen with the keys of the others',
  judges: ['update-succeeds', 'update-persists'],
  alsoJudges: LISTING_JUDGES,
  needs: { profile: 'full', keys: writerNeeds, pets: 1 },
  run: async (context) => {
    const keys = context.keys.filter((key) => key !== null);
    const pet = context.pet();
    for (const [index, writer] of keys.entries()) {
      const reader = keys[(index + 1) % keys.length] ?? writer;
      await carryOut(context, writer, [to(pet, 3 + 7 * index)]);
      await fetchListing(context, reader);
    }
  },
};

/** What was set stays, whatever time it becomes. */
export const updateOutlivesTime: Check = {
  id: 'update-outlives-time',
  title: 'An update is still seen minutes, a day and a month later',
  judges: ['update-succeeds', 'update-persists'],
  alsoJudges: LISTING_JUDGES,
  needs: { ...needsOfUpdates(10, 2, 'spare'), profile: 'full', control: ['clock', 'inventory'] },
  run: async (context) => {
    const key = context.key();
    const pet = context.pet();
    const emptied = context.pets[1] ?? pet;
    await carryOut(context, key, [to(pet, 31), to(emptied, 0)]);
    for (const [seconds, name] of LATER) {
      await context.sleep(seconds, `what is left of an update ${name} later`);
      await fetchListing(context, key);
    }
    await carryOut(context, key, [to(pet, 32)]);
  },
};

const LATER: readonly (readonly [seconds: number, name: string])[] = [
  [MINUTE_SECONDS + 5, 'a minute'],
  [DAY_SECONDS, 'a day'],
  [31 * DAY_SECONDS, 'a month'],
];

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
    const [writer, reader, pet] = [context.key(), context.key(1), context.pet()];
    // What was read before may be kept somewhere, and shown again.
    await fetchListing(context, reader);
    await context.send(QUERIED_LIST, { key: writer });
    await updatePet(context, writer, pet, context.quantities.unusual());
    await fetchListing(context, reader);
    await context.send(QUERIED_LIST, { key: writer });
    await context.send(getPet(pet.petId), { key: writer });
    await context.send(listOrders(), { key: writer });
    await fetchListing(context, writer);
  },
};

const QUERIED_LIST = undocumented('GET', '/inventory?x=1');
