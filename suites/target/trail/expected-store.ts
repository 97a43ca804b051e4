import type { InventoryItem } from '../../../contract/inventory.ts';
import { effectOf, listOf, outcomeOfWrite, readRequest } from '../../oracle/index.ts';
import type { BuiltSteps } from './build-trail.ts';
import type { LoggedEvent, LoggedRequest } from './trail-log.ts';
import { nameOf } from './word-requests.ts';

/** What a pet may stand at, however the target orders what was sent at once. */
interface ExpectedPet {
  /** `null` for anything. */
  readonly quantities: ReadonlySet<string> | null;
  readonly status: string;
  /** The updates of which one set it so; none if it stands as it did in the beginning. */
  readonly granted: readonly LoggedRequest[];
  /** What might have set it to something else, had it been granted. */
  readonly refused: readonly LoggedRequest[];
}

/** What the store has to hold when a request is answered, by what these events tell. */
export interface ExpectedStore {
  /** Every pet, in decimal digits, or `null` if the store is not known as a whole. */
  readonly pets: ReadonlyMap<string, ExpectedPet> | null;
  /** Any other pet: it is not there, unless something set it that was refused. */
  readonly other: ExpectedPet;
  /** The pets that requests named. */
  readonly named: ReadonlySet<string>;
}

const AS_IT_WAS: ExpectedPet = { quantities: new Set(), status: '', granted: [], refused: [] };

/** @param until the request whose answer shows the store; what was sent after it does not count */
export function expectedStore(
  events: readonly LoggedEvent[],
  until: LoggedRequest,
  { rowOf }: Pick<BuiltSteps, 'rowOf'>,
): ExpectedStore {
  let pets: Map<string, ExpectedPet> | null = null;
  let other = AS_IT_WAS;
  const named = new Set<string>();
  const learnsFromList = !isReplaced(events);
  for (const group of groupsOf(events, rowOf)) {
    const [first] = group;
    if (first?.do === 'replace inventory') {
      pets = storeOf(first.items);
      other = AS_IT_WAS;
    }
    // One that is not sent again shows nothing, and the one in its place sets the same.
    const sent = group.flatMap((event) => (event.do === 'send' && !event.isRepeated ? [event] : []));
    const list = sent.find(({ response }) => response !== null && response.exchange !== null);
    if (learnsFromList && pets === null && list !== undefined) {
      pets = storeOf(itemsOf(list));
    }
    const isUnderWay = sent.includes(until);
    const follow = isUnderWay ? during : after;
    const writes = sent.flatMap((request) => (request === until ? [] : writeOf(request)));
    writes.forEach(({ petId }) => petId !== null && named.add(petId));
    for (const [id, before] of writes.length === 0 ? [] : (pets ?? [])) {
      const own = writes.filter(({ petId }) => petId === null || petId === id);
      pets?.set(id, follow(before, own));
    }
    other = follow(
      other,
      writes.filter(({ petId }) => petId === null),
    );
    if (isUnderWay) {
      break;
    }
  }
  return { pets, other, named };
}

/** The pets that the store holds when a request is sent; `null` if that is not known. */
export function petsKnownAt(
  events: readonly LoggedEvent[],
  request: LoggedRequest,
): Pick<ReadonlySet<string>, 'has'> | null {
  const items = itemsKnownAt(events, request);
  return items === null ? null : new Set([...items].map(({ petId }) => petId.toString()));
}

function itemsKnownAt(
  events: readonly LoggedEvent[],
  request: LoggedRequest,
): Iterable<InventoryItem> | null {
  const before = events.slice(0, events.indexOf(request));
  if (isReplaced(events)) {
    return before.findLast((event) => event.do === 'replace inventory')?.items ?? null;
  }
  const list = before.find((event) => event.do === 'send' && event.response?.exchange);
  return list?.do === 'send' ? itemsOf(list) : null;
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

/** A request that may change the inventory. */
interface SentWrite {
  readonly request: LoggedRequest;
  /** `null` for any pet. */
  readonly petId: string | null;
  /** `null` if that is open. */
  readonly quantity: string | null;
  readonly outcome: ReturnType<typeof outcomeOfWrite>;
}

function writeOf(request: LoggedRequest): readonly SentWrite[] {
  const reading = readRequest(request.request);
  const effect = effectOf(request.request, reading);
  const { body, fields } = reading;
  // Every target that keeps the specification refuses it.
  const isBad = typeof body === 'object' && body.kind === 'bad' && fields === 'plain';
  if (effect === null || (effect !== 'any pet' && isBad)) {
    return [];
  }
  const [petId, quantity] =
    effect === 'any pet' ? [null, null] : [effect.petId.toString(), effect.quantity?.toString() ?? null];
  return [{ request, petId, quantity, outcome: outcomeOfWrite(request.response?.status ?? null) }];
}

function after(before: ExpectedPet, writes: readonly SentWrite[]): ExpectedPet {
  const granted = writes.filter(({ quantity, outcome }) => quantity !== null && outcome === 'granted');
  if (granted.length === 0) {
    return during(before, writes);
  }
  const names = new Set(granted.map(({ request }) => nameOf(request)));
  const alike = writes.flatMap(({ request }) => (names.has(nameOf(request)) ? [request] : []));
  return during({ ...before, quantities: new Set(), granted: alike, refused: [] }, writes);
}

/** Each of them may have been the last, or have come to nothing. */
function during(before: ExpectedPet, writes: readonly SentWrite[]): ExpectedPet {
  if (writes.length === 0) {
    return before;
  }
  const setting = writes.filter(({ outcome }) => outcome !== 'refused').map(({ quantity }) => quantity);
  const quantities =
    before.quantities === null || setting.includes(null)
      ? null
      : new Set([...before.quantities, ...setting.filter((quantity) => quantity !== null)]);
  const refused = writes.flatMap(({ request, quantity, outcome }) =>
    outcome !== 'refused' || (quantity !== null && quantities?.has(quantity) === true) ? [] : [request],
  );
  return { ...before, quantities, refused: [...before.refused, ...refused] };
}
