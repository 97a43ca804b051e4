import type { InventoryItem } from '../../../contract/inventory.ts';
import { listOf, readRequest } from '../../oracle/index.ts';
import type { BuiltSteps } from './build-trail.ts';
import type { LoggedEvent, LoggedRequest } from './trail-log.ts';
import { nameOf } from './word-requests.ts';

/** What a pet may stand at, however the target orders what was sent at once. */
interface ExpectedPet {
  readonly quantities: ReadonlySet<string>;
  readonly status: string;
  /** The updates of which one set it so; none if it stands as it did in the beginning. */
  readonly granted: readonly LoggedRequest[];
  /** The updates that would have set it to something else, had they been granted. */
  readonly refused: readonly LoggedRequest[];
}

/** What the store has to hold when a request is answered, by what these events tell. */
export interface ExpectedStore {
  /** Every pet, in decimal digits, or `null` if the store is not known as a whole. */
  readonly pets: ReadonlyMap<string, ExpectedPet> | null;
  /** The pets that requests named. */
  readonly named: ReadonlySet<string>;
}

/** @param until the request whose answer shows the store; what was sent after it does not count */
export function expectedStore(
  events: readonly LoggedEvent[],
  until: LoggedRequest,
  { rowOf }: Pick<BuiltSteps, 'rowOf'>,
): ExpectedStore {
  let pets: Map<string, ExpectedPet> | null = null;
  const named = new Set<string>();
  const learnsFromList = !isReplaced(events);
  for (const group of groupsOf(events, rowOf)) {
    const [first] = group;
    if (first?.do === 'replace inventory') {
      pets = storeOf(first.items);
    }
    // One that is not sent again shows nothing, and the one in its place sets the same.
    const sent = group.flatMap((event) => (event.do === 'send' && !event.isRepeated ? [event] : []));
    const list = sent.find(({ response }) => response !== null && response.exchange !== null);
    if (learnsFromList && pets === null && list !== undefined) {
      pets = storeOf(itemsOf(list));
    }
    const isUnderWay = sent.includes(until);
    const updates = sent.flatMap((request) => (request === until ? [] : (updateOf(request) ?? [])));
    for (const [petId, ofPet] of Map.groupBy(updates, (update) => update.petId)) {
      named.add(petId);
      const before = pets?.get(petId);
      if (before !== undefined) {
        pets?.set(petId, isUnderWay ? during(before, ofPet) : after(before, ofPet));
      }
    }
    if (isUnderWay) {
      break;
    }
  }
  return { pets, named };
}

/** The pets that the store holds when a request is sent; `null` if that is not known. */
export function petsKnownAt(
  events: readonly LoggedEvent[],
  request: LoggedRequest,
): Pick<ReadonlySet<string>, 'has'> | null {
  const before = events.slice(0, events.indexOf(request));
  if (isReplaced(events)) {
    const last = before.findLast((event) => event.do === 'replace inventory');
    return last === undefined ? null : storeOf(last.items);
  }
  const list = before.find((event) => event.do === 'send' && event.response?.exchange);
  return list?.do === 'send' ? storeOf(itemsOf(list)) : null;
}

function isReplaced(events: readonly LoggedEvent[]): boolean {
  return events.some((event) => event.do === 'replace inventory');
}

/** What is under way together when a trail is sent is one group; everything else is one of its own. */
function groupsOf(
  events: readonly LoggedEvent[],
  rowOf: BuiltSteps['rowOf'],
): readonly (readonly LoggedEvent[])[] {
  const groups: LoggedEvent[][] = [];
  let row = 0;
  for (const event of events) {
    const [from] = event.do === 'send' ? rowOf(event) : [0];
    const group = groups.at(-1);
    if (from > 0 && from === row && group !== undefined) {
      group.push(event);
    } else {
      groups.push([event]);
    }
    row = from;
  }
  return groups;
}

function itemsOf({ response }: LoggedRequest): Iterable<InventoryItem> {
  const exchange = response?.exchange ?? null;
  return (exchange === null ? undefined : listOf(exchange))?.items.values() ?? [];
}

function storeOf(items: Iterable<InventoryItem>): Map<string, ExpectedPet> {
  const pets = new Map<string, ExpectedPet>();
  for (const { petId, quantity, status } of items) {
    const quantities = new Set([quantity.toString()]);
    pets.set(petId.toString(), { quantities, status, granted: [], refused: [] });
  }
  return pets;
}

interface SentUpdate {
  readonly request: LoggedRequest;
  readonly petId: string;
  readonly quantity: string | null;
}

function updateOf(request: LoggedRequest): SentUpdate | null {
  const { target, body } = readRequest(request.request);
  if (target.kind === 'undocumented' || target.operation !== 'updateInventory') {
    return null;
  }
  const quantity = typeof body === 'object' && 'quantity' in body ? body.quantity.toString() : null;
  return typeof target.petId === 'bigint' ? { request, petId: target.petId.toString(), quantity } : null;
}

/** What one that got no response did is not known. */
function mayHaveSet({ request: { response } }: SentUpdate): boolean {
  return response === null || (response.status >= 200 && response.status < 300);
}

function after(before: ExpectedPet, updates: readonly SentUpdate[]): ExpectedPet {
  const granted = updates.filter(
    (update) => update.quantity !== null && update.request.response !== null && mayHaveSet(update),
  );
  if (granted.length === 0) {
    return during(before, updates);
  }
  const names = new Set(granted.map(({ request }) => nameOf(request)));
  const alike = updates.flatMap(({ request }) => (names.has(nameOf(request)) ? [request] : []));
  return during({ ...before, quantities: new Set(), granted: alike, refused: [] }, updates);
}

/** Each of them may have been the last, or have come to nothing. */
function during(before: ExpectedPet, updates: readonly SentUpdate[]): ExpectedPet {
  const setting = updates.filter(mayHaveSet).flatMap(({ quantity }) => quantity ?? []);
  const quantities = new Set([...before.quantities, ...setting]);
  const refused = updates.flatMap((update) =>
    update.quantity === null || mayHaveSet(update) || quantities.has(update.quantity) ? [] : [update.request],
  );
  return { ...before, quantities, refused: [...before.refused, ...refused] };
}
