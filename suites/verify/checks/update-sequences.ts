import { MINUTE_SECONDS, DAY_SECONDS, type PlanLimits } from '../../../contract/plans.ts';
import { knownForms, type AcceptedForms } from '../provoking/accepted-forms.ts';
import type { Check } from '../check.ts';
import { type KeyNeed, updateInventory, updateWithBody, type Pet } from '../../target/index.ts';
import { isAccepted, type RequestMessage, type Key, isUnreadable } from '../../oracle/index.ts';
import { fetchListing, LISTING_JUDGES, requireAnswer, type CheckContext } from '../check-context.ts';
import { checkAfter } from '../survey.ts';
import { acceptedForms } from './observations.ts';

/** An update, and how messages describe it. */
interface Step {
  readonly pet: Pet;
  readonly quantity: number;
  readonly message: RequestMessage;
  readonly how: string;
}

function to(pet: Pet, quantity: number, how = ''): Step {
  return { pet, quantity, message: updateInventory(pet.petId, quantity), how };
}

/** Carries out updates, each of which has to be granted, and judges what the list shows of the last of each pet. */
async function carryOut(context: CheckContext, key: Key, why: string, steps: readonly Step[]): Promise<void> {
  for (const { message } of steps) {
    const exchange = await context.send(message, { key });
    requireAnswer(context, 'update-succeeds', exchange);
  }
  await judgeList(context, key, why, steps);
}

async function judgeList(
  context: CheckContext,
  key: Key,
  why: string,
  steps: readonly Step[],
): Promise<void> {
  const listing = await fetchListing(context, key);
  for (const { pet, quantity, how } of new Map(steps.map((step) => [step.pet.petId, step])).values()) {
    const seen = listing.items.get(pet.petId.toString())?.quantity;
    context.judge(
      'update-persists',
      seen === quantity || isUnreadable(listing, pet.petId) || context.isShared(pet.petId, 0),
      `Pet ${pet.petId} was set to ${quantity}${how}, ${why}, and the list shows ${seen ?? 'no such pet'}.`,
      listing.exchange,
    );
  }
}

const SEQUENCE_REQUESTS = 50;

/** Updates in orders that a cache, a memory of requests or a transaction may get wrong. */
export const updateSequences = checkAfter({
  id: 'update-sequences',
  after: acceptedForms,
  title: 'An update counts, whatever came before it and however it is written',
  judges: ['update-succeeds', 'update-persists', 'update-missing-quantity', 'update-invalid-quantity'],
  alsoJudges: LISTING_JUDGES,
  needs: {
    profile: 'full',
    control: ['inventory'],
    // An update of someone else in between would be another sequence.
    alone: true,
    keys: [{ plan: 'any', use: 'share', requests: SEQUENCE_REQUESTS }],
    pets: 2,
  },
  run: async (context, forms) => {
    const key = context.key();
    const first = context.pet();
    const second = context.pets[1] ?? first;
    await carryOut(context, key, 'as before the update in between', [
      to(first, 31),
      to(first, 32),
      to(first, 31),
    ]);
    if (second !== first) {
      await carryOut(context, key, 'the same as another pet just before', [to(first, 41), to(second, 41)]);
      await carryOut(context, key, 'so that the sum stayed the same', [to(first, 42), to(second, 40)]);
    }
    await carryOut(context, key, 'the last of its stock', [to(first, 0)]);
    await judgeNullAtZero(context, key, first);
    await carryOut(context, key, 'after it was set to 0', [to(first, 51)]);
    await context.send(updateInventory(context.facts.missingPet ?? 404_404_404n, 1), { key });
    await carryOut(context, key, 'after an update that was refused for its pet', [to(first, 61)]);
    await context.send(updateWithBody(first.petId, '{"quantity":'), { key });
    await carryOut(context, key, 'after an update that was refused for its body', [to(first, 62)]);
    for (const [index, { name, body }] of WRITTEN_OTHERWISE.entries()) {
      const quantity = 71 + index;
      const message = updateWithBody(first.petId, body(quantity));
      await carryOut(context, key, `by a body with ${name}`, [{ pet: first, quantity, message, how: '' }]);
    }
    const inParts = inTwoParts(updateInventory(first.petId, 75));
    await carryOut(context, key, 'by a body that came in two parts', [
      { pet: first, quantity: 75, message: inParts, how: '' },
    ]);
    await judgeSpelledUpdates(context, key, first, forms);
    await judgeQueriedQuantity(context, key, first);
  },
});

/** The same beside others, with what room is left for it. */
export const updateSequencesInRealTime: Check = {
  ...updateSequences,
  id: 'update-sequences-in-real-time',
  needs: {
    profile: 'full',
    keys: [{ plan: 'any', use: 'spare', requests: SEQUENCE_REQUESTS }],
    pets: 2,
    realTimeOnly: true,
  },
};

async function judgeNullAtZero(context: CheckContext, key: Key, { petId }: Pet): Promise<void> {
  const exchange = await context.send(updateWithBody(petId, '{"quantity":null}'), { key });
  context.judge(
    'update-invalid-quantity',
    exchange.response.status === 400,
    `An update to null of a pet whose quantity is 0 was answered ${exchange.response.status}, not 400.`,
    exchange,
  );
}

/** Other texts of the same JSON object (RFC 8259, sections 2 and 7). */
const WRITTEN_OTHERWISE = [
  { name: 'line breaks', body: (quantity: number) => `{\r\n\t"quantity" : ${quantity}\n}\n` },
  { name: 'an escaped character', body: (quantity: number) => `{"quantit\\u0079":${quantity}}` },
] as const;

function inTwoParts(message: RequestMessage): RequestMessage {
  const length = Buffer.byteLength(message.body ?? '');
  return {
    ...message,
    headers: [...message.headers, ['Content-Length', `${length}`]],
    bodyInParts: true,
  };
}

/** An update that is accepted under another spelling of its path is an update. */
async function judgeSpelledUpdates(
  context: CheckContext,
  key: Key,
  pet: Pet,
  forms: AcceptedForms,
): Promise<void> {
  const steps: Step[] = knownForms(forms).flatMap(({ name, build }, index) => {
    const quantity = 81 + index;
    const message = build({ ...pet, item: { ...pet.item, quantity } });
    return message?.method === 'PATCH' ? [{ pet, quantity, message, how: ` (${name})` }] : [];
  });
  for (const step of steps) {
    const exchange = await context.send(step.message, { key });
    if (isAccepted(exchange)) {
      await judgeList(context, key, 'which was accepted', [step]);
    }
  }
}

/** The quantity stands in the body; what a query says is no quantity. */
async function judgeQueriedQuantity(context: CheckContext, key: Key, { petId }: Pet): Promise<void> {
  const plain = updateWithBody(petId, '{}');
  const exchange = await context.send({ ...plain, path: `${plain.path}?quantity=5` }, { key });
  context.judge(
    'update-missing-quantity',
    !isAccepted(exchange),
    `An update with an empty object and the quantity in the query was answered ${exchange.response.status}.`,
    exchange,
  );
}

/** Wider than any other plan: they do not fit into 16 bits, and some languages write them as 1.2e+06 by default. */
const WIDE_LIMITS: PlanLimits = { perMinute: 1_200_000, perDay: 40_000_000 };

const WRITER = { use: 'spare', requests: 4, optional: true } as const;
const writerNeeds: readonly KeyNeed[] = [
  { ...WRITER, plan: 'free' },
  { ...WRITER, plan: 'free' },
  { ...WRITER, plan: 'pro' },
  { ...WRITER, plan: 'business' },
  { ...WRITER, plan: 'enterprise', agree: WIDE_LIMITS },
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
      const step = to(pet, 3 + 7 * index, ` with ${writer.label}`);
      requireAnswer(context, 'update-succeeds', await context.send(step.message, { key: writer }));
      for (const key of [writer, reader]) {
        await judgeList(context, key, `as ${key.label} sees it`, [step]);
      }
    }
  },
};

/** What was set stays, whatever time it becomes. */
export const updateOutlivesTime: Check = {
  id: 'update-outlives-time',
  title: 'An update is still seen minutes and a day later',
  judges: ['update-succeeds', 'update-persists'],
  alsoJudges: LISTING_JUDGES,
  needs: {
    profile: 'full',
    control: ['clock', 'inventory'],
    keys: [{ plan: 'any', use: 'spare', requests: 9 }],
    pets: 2,
  },
  run: async (context) => {
    const key = context.key();
    const pet = context.pet();
    const emptied = context.pets[1] ?? pet;
    const steps = [to(pet, 31), to(emptied, 0)];
    await carryOut(context, key, 'at once', steps);
    for (const [seconds, name] of LATER) {
      await context.sleep(seconds, `what is left of an update ${name} later`);
      await judgeList(context, key, `${name} ago`, steps);
    }
    await carryOut(context, key, 'after a day without a request', [to(pet, 32)]);
  },
};

const LATER: readonly (readonly [seconds: number, name: string])[] = [
  [MINUTE_SECONDS + 5, 'a minute'],
  [DAY_SECONDS, 'a day'],
];
