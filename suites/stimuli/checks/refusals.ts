import { stringifyJson } from '../../../contract/json/index.ts';
import {
  REQUEST_BODIES,
  misleadingPetIds,
  type OddPath,
  type RequestBody,
  unknownPets,
  unknownPetsNotPositive,
} from '../../../fixtures/corpora/index.ts';
import { needsOfStore, needsOfUpdates, type Check } from '../check.ts';
import { isAccepted, rateLimitOf, type Exchange, type Key, type RequestMessage } from '../../oracle/index.ts';
import {
  answerTo,
  CONNECTION_CLOSED,
  fetchListing,
  LISTING_JUDGES,
  replacingInventory,
  sendDue,
  type CheckContext,
} from '../check-context.ts';
import { distinctQuantity, undocumented, updateInventory, updateWithBody } from '../../target/index.ts';

const FORBIDDEN = REQUEST_BODIES.filter(({ reading }) => reading.level === 'must');

/** One of each kind that the readings name. */
const ESSENTIAL_NAMES = new Set([
  'no body',
  'empty object',
  'quantity in another letter-case',
  'null quantity',
  'digits as a string',
  'true',
  'array of one integer',
  'fraction',
  'no bytes',
  'null',
  'update in an array',
  'truncated before the brace',
]);
/** One of each kind that some parsers let through. */
const LENIENT_NAMES = new Set([
  'quantity with a space in its name',
  'quantity inside item',
  'other names of a quantity',
  'change in place of a quantity',
  'digits and a word as a string',
  'digits and spaces as a string',
  'exponent as a string',
  'empty string',
  'quote and backslash as a string',
  'operator as quantity',
  'quantity inside an operator',
  'empty array',
  'fraction next to an integer',
  'fraction below a half',
  'fraction beyond single precision',
  'small fraction by exponent',
  'white space',
  'truncated in a string',
  'single quotes',
  'unquoted name',
  'trailing comma',
  'comment',
  'second value after the object',
  'brace too many',
  'call around the object',
  'NUL around the object',
  'NUL after the object',
  'tab in a string',
  'unknown escape in a string',
  'single quotes in a further member',
  'exponent without digits in a further member',
  'NaN',
  'leading zero',
  'plus sign',
  'hexadecimal',
  'form data',
  'name and value as a pair in an array',
  'name and value in an array',
]);
const ESSENTIAL = FORBIDDEN.filter(({ name }) => ESSENTIAL_NAMES.has(name));
const LENIENT = FORBIDDEN.filter(({ name }) => LENIENT_NAMES.has(name));
const REMAINDER = FORBIDDEN.filter(({ name }) => !ESSENTIAL_NAMES.has(name) && !LENIENT_NAMES.has(name));

/** Quantities that a careless conversion makes of the corpus; a pet that holds one could hide the change. */
const SUSPECT_QUANTITIES = new Set([-1, 0, 1, 2, 5, 6, 100]);
// Within any bound that a stock may have: bounds are not shown.
const TELLING_QUANTITY = 91;

async function sendBodies(context: CheckContext, bodies: readonly RequestBody[]): Promise<void> {
  const key = context.key();
  const pet = context.pet();
  if (SUSPECT_QUANTITIES.has(Number(pet.item.quantity)) || bodies[0]?.body === null) {
    await context.send(updateInventory(pet.petId, TELLING_QUANTITY), { key });
  }
  const { items } = await fetchListing(context, key);
  // One that the pet does not have, so that a list shows it if it was taken over.
  const status = items.get(pet.petId)?.status === 'sold' ? '"pending"' : '"sold"';
  for (const [index, { body }] of bodies.entries()) {
    const written = typeof body === 'string' ? body.replace('"sold"', status) : body;
    await sendDue(context, maybeCompressed(updateWithBody(pet.petId, written), index), { key });
  }
  await fetchListing(context, key);
}

/** Every second one may be answered in gzip. */
function maybeCompressed(message: RequestMessage, index: number): RequestMessage {
  return index % 2 === 0
    ? message
    : { ...message, headers: [...message.headers, ['Accept-Encoding', 'gzip']] };
}

/** Refused for its rate, or with a good key for a bad one, which says nothing of the update itself. */
function isRefusedForKey({ response }: Exchange): boolean {
  return response.status === 429 || response.status === 401;
}

const JUDGED = [
  'update-missing-quantity',
  'update-invalid-quantity',
  'update-malformed-body',
  'refused-changes-nothing',
  'error-code',
  'error-message',
  'error-status',
] as const;

function bodiesCheck(
  id: string,
  title: string,
  use: 'share' | 'spare',
  bodies: readonly RequestBody[],
): Check {
  return {
    id,
    title,
    judges: JUDGED,
    alsoJudges: LISTING_JUDGES,
    needs: needsOfUpdates(bodies.length + 3, 1, use),
    run: (context) => sendBodies(context, bodies),
  };
}

export const badBodies = bodiesCheck(
  'bad-bodies',
  'Updates without a valid quantity are refused and change nothing',
  'share',
  ESSENTIAL,
);

export const lenientBodies = bodiesCheck(
  'lenient-bodies',
  'Bodies that a lenient parser lets through are refused and change nothing',
  'share',
  LENIENT,
);

/** With a key that has more room. */
export const moreBadBodies = bodiesCheck(
  'more-bad-bodies',
  'The rest of the corpus of bad bodies is refused and changes nothing',
  'spare',
  REMAINDER,
);

const FEW_UNKNOWN_PETS = 6;
const MANY_UNKNOWN_PETS = 45;
const NOT_POSITIVE = 4;
const MISLEADING = 8;

async function updateUnknownPets(context: CheckContext, most: number): Promise<void> {
  const key = context.key();
  const before = await fetchListing(context, key);
  // A pet that the list lacks is in the inventory all the same.
  const alsoKnown = [...context.facts.ownPets, ...context.facts.existingPets];
  const isKnown = (petId: bigint): boolean => before.petIds.has(petId) || alsoKnown.includes(petId);
  const known = {
    has: isKnown,
    *[Symbol.iterator]() {
      yield* before.petIds;
      yield* alsoKnown;
    },
  };
  const { missingPet } = context.facts;
  const corpus = unknownPets(known).map(({ petId }) => petId);
  const petIds = [...(missingPet === null || isKnown(missingPet) ? [] : [missingPet]), ...corpus];
  const falls = new Map<number, Set<number>>();
  for (let sent = 0; sent < most; sent += 1) {
    const message = updateInventory(petIds[sent % petIds.length] ?? 1n, TELLING_QUANTITY);
    await updateUnknownPet(context, key, maybeCompressed(message, sent), falls);
  }
  observeCounting(context, falls);
  // It may be refused for either.
  await sendDue(context, updateWithBody(petIds[0] ?? 1n, '{"quantity":'), { key });
  for (const odd of unknownPetsNotPositive(known, context.pets[0]?.petId)) {
    await updateOddly(context, odd, TELLING_QUANTITY);
  }
  const ownIds = context.pets.map(({ petId }) => petId);
  for (const [index, odd] of misleadingPetIds(known, ownIds).slice(0, MISLEADING).entries()) {
    await updateOddly(context, odd, distinctQuantity(context.pet()) + index);
  }
  await fetchListing(context, key);
}

/**
 * Observes whether refused requests count. If a window slides, another request may be forgotten at the same moment,
 * so that Remaining stands still, or rises, for one that counts.
 * @param falls by how much Remaining fell, by status
 */
function observeCounting(context: CheckContext, falls: ReadonlyMap<number, ReadonlySet<number>>): void {
  for (const [status, seen] of falls) {
    const standsStill = seen.size === 1 && seen.has(0);
    if (standsStill || seen.has(1)) {
      context.observe('refused-requests-count', seen.has(1), String(status));
    }
  }
}

/** @param falls is added to */
async function updateUnknownPet(
  context: CheckContext,
  key: Key,
  message: RequestMessage,
  falls: Map<number, Set<number>>,
): Promise<void> {
  const before = key.usage.last?.rateLimit;
  const exchange = await sendDue(context, message, { key });
  const after = exchange === null ? undefined : rateLimitOf(exchange);
  if (exchange !== null && after !== undefined && before?.limit === after.limit) {
    const { status } = exchange.response;
    const seen = falls.get(status) ?? new Set();
    falls.set(status, seen.add(before.remaining - after.remaining));
  }
}

/** Updates a pet by an id that is none, or that is spelled oddly; how that is refused is open. */
async function updateOddly(context: CheckContext, { name, path }: OddPath, quantity: number): Promise<void> {
  const message = undocumented('PATCH', path, stringifyJson({ quantity }));
  const exchange = await answerTo(context, message);
  if (exchange === null || !isRefusedForKey(exchange)) {
    context.observe('odd-pet-ids', exchange?.response.status ?? CONNECTION_CLOSED, name);
  }
  for (const pet of exchange === null || isAccepted(exchange) ? context.pets : []) {
    context.restoreLater(pet);
  }
}

/** Pets that no entry has. */
export const unknownPetCheck: Check = {
  id: 'unknown-pets',
  title: 'An update of an unknown pet is answered 404 and changes nothing',
  judges: [
    'update-unknown-pet',
    'refused-changes-nothing',
    'update-exact-pet',
    'refused-requests-count',
    'odd-pet-ids',
    'error-code',
    'error-message',
    'error-status',
  ],
  alsoJudges: LISTING_JUDGES,
  needs: {
    ...needsOfUpdates(FEW_UNKNOWN_PETS + NOT_POSITIVE + MISLEADING + 3, 1),
    worksWithoutPets: true,
  },
  run: (context) => updateUnknownPets(context, FEW_UNKNOWN_PETS),
};

export const moreUnknownPets: Check = {
  id: 'more-unknown-pets',
  title: 'Updates of many unknown pets are all answered 404',
  judges: [
    'update-unknown-pet',
    'refused-changes-nothing',
    'update-exact-pet',
    'refused-requests-count',
    'odd-pet-ids',
  ],
  alsoJudges: LISTING_JUDGES,
  needs: needsOfUpdates(MANY_UNKNOWN_PETS + NOT_POSITIVE + 3, 0, 'spare'),
  run: (context) => updateUnknownPets(context, MANY_UNKNOWN_PETS),
};

const OTHER_METHODS = ['PUT', 'POST', 'DELETE'];

/** With nothing else that writes to the store, a refusal that changes any entry is seen. */
export const refusalsAlone: Check = {
  id: 'refusals-alone',
  title: 'Refused updates change no entry of the whole store',
  judges: [
    'refused-changes-nothing',
    'update-unknown-pet',
    'update-missing-quantity',
    'update-invalid-quantity',
    'update-malformed-body',
    'update-exact-pet',
    'refused-requests-count',
    'odd-pet-ids',
  ],
  alsoJudges: LISTING_JUDGES,
  needs: needsOfStore(
    FEW_UNKNOWN_PETS + NOT_POSITIVE + MISLEADING + ESSENTIAL.length + 2 * OTHER_METHODS.length + 6,
    1,
  ),
  run: async (context) => {
    await updateUnknownPets(context, FEW_UNKNOWN_PETS);
    await sendBodies(context, ESSENTIAL);
    await updateByOtherMethods(context);
  },
};

/** Updates by methods that are not documented. A target may know them; then the pet may be gone. */
function updateByOtherMethods(context: CheckContext): Promise<void> {
  return replacingInventory(context, async () => {
    for (const method of OTHER_METHODS) {
      const { path, body } = updateInventory(context.pet().petId, context.quantities.unusual());
      await answerTo(context, undocumented(method, path, body));
      await fetchListing(context, context.key());
    }
  });
}
