import type { InventoryItem } from '../../../contract/inventory.ts';
import { stringifyJson } from '../../../contract/json/index.ts';
import {
  REQUEST_BODIES,
  type MisleadingPetId,
  misleadingPetIds,
  type RequestBody,
  unknownPets,
  unknownPetsNotPositive,
  type UnknownPet,
} from '../../../fixtures/corpora/index.ts';
import type { Check } from '../check.ts';
import {
  isAccepted,
  itemInAnswer,
  rateLimitOf,
  type Exchange,
  type Key,
  isUnreadable,
  type Listing,
} from '../../oracle/index.ts';
import { fetchListing, LISTING_JUDGES, type CheckContext } from '../check-context.ts';
import { distinctQuantity, undocumented, updateInventory, updateWithBody } from '../../target/index.ts';
import { refusedWriteOf } from '../provoking/refused-write.ts';

const FORBIDDEN = REQUEST_BODIES.filter(({ reading }) => reading.level === 'must');

/** One of each kind that the readings name; the whole corpus takes a key with more room. */
const ESSENTIAL_NAMES = new Set([
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
const ESSENTIAL = FORBIDDEN.filter(({ name }) => ESSENTIAL_NAMES.has(name));
const REMAINDER = FORBIDDEN.filter(({ name }) => !ESSENTIAL_NAMES.has(name));

/** Quantities that a careless conversion makes of the corpus; a pet that holds one could hide the change. */
const SUSPECT_QUANTITIES = new Set([-1, 0, 1, 2, 5, 6, 100]);
// Within any bound that a stock may have: bounds are not shown.
const TELLING_QUANTITY = 471;

async function judgeBodies(context: CheckContext, bodies: readonly RequestBody[]): Promise<void> {
  const key = context.key();
  const pet = context.pet();
  if (SUSPECT_QUANTITIES.has(Number(pet.item.quantity))) {
    await context.send(updateInventory(pet.petId, TELLING_QUANTITY), { key });
  }
  const before = await fetchListing(context, key);
  // What was answered 200 was not refused: the update is then expected to show.
  let expected = before.items.get(pet.petId.toString());
  for (const body of bodies) {
    const exchange = await judgeBody(context, body);
    if (exchange !== null && isAccepted(exchange)) {
      expected = itemInAnswer(exchange);
    }
  }
  const after = await fetchListing(context, key);
  const stands = after.items.get(pet.petId.toString());
  if (expected === undefined && stands !== undefined) {
    context.restoreLater(pet);
  }
  const own = expected ?? stands;
  const items = {
    values: () => (own === undefined ? before.items.values() : withItem(before.items, pet.petId, own)),
  };
  judgeUnchanged(context, { ...before, items }, after, 'Updates that have to be answered 400');
}

/** The items of a list, which may be long, with another one in a pet's place. */
function* withItem(
  items: Listing['items'],
  petId: bigint,
  item: InventoryItem,
): Generator<InventoryItem, undefined> {
  yield* items.values().filter((one) => one.petId !== petId);
  yield item;
}

/** Sends one bad body; `null` if it got no answer, which is judged too. */
async function judgeBody(
  context: CheckContext,
  { name, body, reading }: RequestBody,
): Promise<Exchange | null> {
  if (reading.level !== 'must') {
    return null;
  }
  let exchange: Exchange;
  try {
    exchange = await context.send(updateWithBody(context.pet().petId, body), { key: context.key() });
  } catch (error) {
    await context.judgeDropped(reading.requirement, error, true);
    return null;
  }
  const { status } = exchange.response;
  if (!isRefusedForKey(exchange)) {
    context.judge(
      reading.requirement,
      status === reading.expect,
      `A body that is ${describe(name)} was answered ${status}, not ${reading.expect}.`,
      exchange,
    );
  }
  return exchange;
}

/** Refused for its rate, or with a good key for a bad one, which says nothing of the update itself. */
function isRefusedForKey({ response }: Exchange): boolean {
  return response.status === 429 || response.status === 401;
}

function describe(name: string): string {
  return `"${name}"`;
}

function describeStock(item: InventoryItem | undefined): string {
  return item === undefined ? 'nothing' : `${item.quantity} ${item.status}`;
}

/** The first entry that changed between two listings and that nobody else may have changed. */
function firstChange(
  context: CheckContext,
  before: Pick<Listing, 'takenAt'> & { readonly items: Pick<Listing['items'], 'values'> },
  after: Listing,
) {
  const own = new Set(context.pets.map(({ petId }) => petId.toString()));
  const item = before.items.values().find((was) => {
    const now = after.items.get(was.petId.toString());
    const mine = own.has(was.petId.toString()) || !context.isShared(was.petId, before.takenAt);
    const isReadable = !isUnreadable(after, was.petId);
    return mine && isReadable && (now?.quantity !== was.quantity || now.status !== was.status);
  });
  const now = item === undefined ? undefined : after.items.get(item.petId.toString());
  const isOwn = item === undefined || own.has(item.petId.toString());
  return { item, now, isOwn, isOurs: isOwn || context.control?.capabilities.has('inventory') === true };
}

/** Judges that no entry changed between two listings, but for those that others may write to. */
function judgeUnchanged(
  context: CheckContext,
  before: Pick<Listing, 'petIds' | 'takenAt'> & { readonly items: Pick<Listing['items'], 'values'> },
  after: Listing,
  cause: string,
): void {
  const { item: changed, now, isOwn, isOurs } = firstChange(context, before, after);
  if (isOurs) {
    context.judge(
      'refused-changes-nothing',
      changed === undefined,
      `${cause} changed pet ${changed?.petId} from ${describeStock(changed)} to ${describeStock(now)}.`,
      after.exchange,
      refusedWriteOf(context, `${now?.quantity}`),
    );
  }
  for (const pet of isOwn && changed !== undefined ? context.pets : []) {
    context.restoreLater(pet);
  }
  const added = after.items.keys().find((petId) => !before.petIds.has(BigInt(petId)));
  if (added === undefined || context.control?.capabilities.has('inventory') === true) {
    context.judge(
      'refused-changes-nothing',
      added === undefined,
      `${cause} brought pet ${added} into the list.`,
      after.exchange,
      refusedWriteOf(context, `${added}`),
    );
  }
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

/** One body of each kind that has to be refused. */
export const badBodies: Check = {
  id: 'bad-bodies',
  title: 'Updates without a valid quantity are refused and change nothing',
  judges: JUDGED,
  alsoJudges: LISTING_JUDGES,
  needs: {
    profile: 'standard',
    keys: [{ plan: 'any', use: 'share', requests: ESSENTIAL.length + 3 }],
    pets: 1,
  },
  run: (context) => judgeBodies(context, ESSENTIAL),
};

// Some of them twice, for a fault that shows now and then.
const MANY_BODIES = 90;

/** All bodies that have to be refused. */
export const moreBadBodies: Check = {
  id: 'more-bad-bodies',
  title: 'The whole corpus of bad bodies is refused and changes nothing',
  judges: JUDGED,
  alsoJudges: LISTING_JUDGES,
  needs: {
    profile: 'standard',
    keys: [{ plan: 'any', use: 'spare', requests: MANY_BODIES + 3 }],
    pets: 1,
  },
  run: (context) => judgeBodies(context, [...REMAINDER, ...REMAINDER].slice(0, MANY_BODIES)),
};

const FEW_UNKNOWN_PETS = 6;
const MANY_UNKNOWN_PETS = 45;
const NOT_POSITIVE = 4;
const MISLEADING = 8;

async function judgeUnknownPets(context: CheckContext, most: number): Promise<void> {
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
  let isAllRefused = true;
  const falls = new Map<number, Set<number>>();
  for (let sent = 0; sent < most; sent += 1) {
    const isRefused = await judgeUnknownPet(context, key, petIds[sent % petIds.length] ?? 1n, falls);
    isAllRefused &&= isRefused;
  }
  observeCounting(context, falls);
  for (const pet of unknownPetsNotPositive(known, context.pets[0]?.petId)) {
    const isRefused = await judgeNotPositive(context, key, pet);
    isAllRefused &&= isRefused;
  }
  const accepted: AcceptedUpdate[] = [];
  const ownIds = context.pets.map(({ petId }) => petId);
  for (const [index, odd] of misleadingPetIds(known, ownIds).slice(0, MISLEADING).entries()) {
    accepted.push(...(await updateMisleading(context, key, odd, index)));
  }
  const after = await fetchListing(context, key);
  if (isAllRefused) {
    const isElsewhere = judgeMisled(context, before, after, accepted);
    if (!isElsewhere) {
      judgeUnchanged(context, withAccepted(before, after, accepted), after, 'Updates of unknown pets');
    }
  }
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

/**
 * @param falls is added to
 * @returns whether the update was not accepted
 */
async function judgeUnknownPet(
  context: CheckContext,
  key: Key,
  petId: bigint,
  falls: Map<number, Set<number>>,
): Promise<boolean> {
  const before = key.usage.last?.rateLimit;
  let exchange: Exchange;
  try {
    exchange = await context.send(updateInventory(petId, TELLING_QUANTITY), { key });
  } catch (error) {
    await context.judgeDropped('update-unknown-pet', error);
    return true;
  }
  const after = rateLimitOf(exchange);
  const { status } = exchange.response;
  if (before !== undefined && after !== undefined && before.limit === after.limit) {
    const seen = falls.get(status) ?? new Set();
    falls.set(status, seen.add(before.remaining - after.remaining));
  }
  if (isAccepted(exchange)) {
    context.noteMisled();
  }
  if (!isRefusedForKey(exchange)) {
    context.judge(
      'update-unknown-pet',
      status === 404,
      `An update of pet ${petId}, which is not in the list, was answered ${status}, not 404.`,
      exchange,
    );
    context.judge(
      'update-exact-pet',
      !isAccepted(exchange),
      `An update of pet ${petId}, which is not in the list, was accepted.`,
      exchange,
    );
  }
  return !isAccepted(exchange);
}

/** @returns whether the update was not accepted; how else it is answered is open */
async function judgeNotPositive(
  context: CheckContext,
  key: Key,
  { name, path }: UnknownPet,
): Promise<boolean> {
  const body = stringifyJson({ quantity: TELLING_QUANTITY });
  const exchange = await context.send(undocumented('PATCH', path, body), { key });
  if (isRefusedForKey(exchange)) {
    return true;
  }
  context.observe('odd-pet-ids', exchange.response.status, name);
  for (const pet of isAccepted(exchange) ? context.pets : []) {
    context.restoreLater(pet);
  }
  return context.judge(
    'update-exact-pet',
    !isAccepted(exchange),
    `PATCH ${path} was accepted, though no such pet is in the list.`,
    exchange,
  );
}

/** An update that was accepted, though its petId is spelled oddly or beyond int64. */
interface AcceptedUpdate {
  readonly exchange: Exchange;
  readonly quantity: number;
  /** The pet that the path spells; `null` for none. */
  readonly denotes: bigint | null;
}

/** @returns the update if it was accepted, which is as open as any refusal */
async function updateMisleading(
  context: CheckContext,
  key: Key,
  { name, path, denotes }: MisleadingPetId,
  index: number,
): Promise<readonly AcceptedUpdate[]> {
  const quantity = distinctQuantity(context.pet()) + index;
  const exchange = await context.send(undocumented('PATCH', path, stringifyJson({ quantity })), { key });
  if (!isRefusedForKey(exchange)) {
    context.observe('odd-pet-ids', exchange.response.status, name);
  }
  if (!isAccepted(exchange)) {
    return [];
  }
  context.pets.forEach((pet) => context.restoreLater(pet));
  const named = itemInAnswer(exchange)?.petId;
  if (denotes !== null && named !== undefined) {
    context.judge(
      'update-exact-pet',
      named === denotes,
      `PATCH ${path} was accepted, and its answer names pet ${named}. A target may refuse that path or take it for pet ${denotes}, and for no other.`,
      exchange,
    );
  }
  return [{ exchange, quantity, denotes }];
}

/**
 * Judges that accepted updates set no pet but the one that their path spells.
 * @returns whether one did
 */
function judgeMisled(
  context: CheckContext,
  before: Listing,
  after: Listing,
  accepted: readonly AcceptedUpdate[],
): boolean {
  const { item, now, isOurs } = firstChange(context, withAccepted(before, after, accepted), after);
  const misled = accepted.find(({ quantity }) => quantity === Number(now?.quantity));
  if (isOurs && accepted.length > 0) {
    const { method, path } = (misled ?? accepted[0])?.exchange.request ?? {};
    context.judge(
      'update-exact-pet',
      misled === undefined,
      `${method} ${path} was accepted, and pet ${item?.petId} went from ${describeStock(item)} to ${describeStock(now)}. That path does not spell the id of that pet.`,
      after.exchange,
      misled?.exchange,
    );
  }
  return misled !== undefined;
}

/** The list before, with the pets that accepted updates may have set as they are listed now. */
function withAccepted(before: Listing, after: Listing, accepted: readonly AcceptedUpdate[]) {
  const items = {
    *values(): Generator<InventoryItem, undefined> {
      for (const was of before.items.values()) {
        const now = after.items.get(was.petId.toString());
        const isSet = accepted.some(
          ({ denotes, quantity }) => denotes === was.petId && quantity === Number(now?.quantity),
        );
        yield isSet && now !== undefined ? now : was;
      }
    },
  };
  return { ...before, items };
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
    profile: 'standard',
    keys: [{ plan: 'any', use: 'share', requests: FEW_UNKNOWN_PETS + NOT_POSITIVE + MISLEADING + 2 }],
    pets: 1,
    worksWithoutPets: true,
  },
  run: (context) => judgeUnknownPets(context, FEW_UNKNOWN_PETS),
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
  needs: {
    profile: 'standard',
    keys: [{ plan: 'any', use: 'spare', requests: MANY_UNKNOWN_PETS + NOT_POSITIVE + 2 }],
  },
  run: (context) => judgeUnknownPets(context, MANY_UNKNOWN_PETS),
};

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
  needs: {
    profile: 'full',
    control: ['inventory'],
    alone: true,
    keys: [
      {
        plan: 'any',
        use: 'share',
        requests: FEW_UNKNOWN_PETS + NOT_POSITIVE + MISLEADING + ESSENTIAL.length + 5,
      },
    ],
    pets: 1,
  },
  run: async (context) => {
    await judgeUnknownPets(context, FEW_UNKNOWN_PETS);
    await judgeBodies(context, ESSENTIAL);
  },
};
