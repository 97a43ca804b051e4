import type { InventoryItem } from '../../../contract/inventory.ts';
import { listOf, readRequest } from '../../oracle/index.ts';
import type { LoggedEvent, LoggedRequest } from './trail-log.ts';

/** What a pet may stand at. */
interface ExpectedPet {
  readonly quantities: ReadonlySet<string>;
  readonly status: string;
}

/** What the store has to hold when a request is answered, by what these events tell. */
export interface ExpectedStore {
  /** Every pet, in decimal digits, or `null` if the store is not known as a whole. */
  readonly pets: ReadonlyMap<string, ExpectedPet> | null;
  /** The pets that requests named. */
  readonly named: ReadonlySet<string>;
}

/** @param until the request whose answer shows the store; what was sent after it does not count */
export function expectedStore(events: readonly LoggedEvent[], until: LoggedRequest): ExpectedStore {
  const isReplaced = events.some((event) => event.do === 'replace inventory');
  let pets: Map<string, ExpectedPet> | null = null;
  const named = new Set<string>();
  for (const event of events) {
    if (event === until) {
      break;
    }
    if (event.do === 'replace inventory') {
      pets = storeOf(event.items);
    } else if (event.do === 'send') {
      const list = event.response?.exchange;
      if (!isReplaced && pets === null && list !== null && list !== undefined) {
        pets = storeOf(listOf(list)?.items.values() ?? []);
      }
      follow(event, until, pets, named);
    }
  }
  return { pets, named };
}

function storeOf(items: Iterable<InventoryItem>): Map<string, ExpectedPet> {
  const pets = new Map<string, ExpectedPet>();
  for (const { petId, quantity, status } of items) {
    pets.set(petId.toString(), { quantities: new Set([quantity.toString()]), status });
  }
  return pets;
}

function follow(
  { request, response, endedAt }: LoggedRequest,
  until: LoggedRequest,
  pets: Map<string, ExpectedPet> | null,
  named: Set<string>,
): void {
  const { target, body } = readRequest(request);
  if (target.kind === 'undocumented' || target.operation !== 'updateInventory') {
    return;
  }
  const { petId } = target;
  if (typeof petId !== 'bigint') {
    return;
  }
  const id = petId.toString();
  named.add(id);
  const before = pets?.get(id);
  if (pets === null || before === undefined || typeof body !== 'object' || !('quantity' in body)) {
    return;
  }
  const quantity = body.quantity.toString();
  if (response === null || (endedAt ?? Infinity) > until.at) {
    pets.set(id, { ...before, quantities: new Set([...before.quantities, quantity]) });
  } else if (response.status >= 200 && response.status < 300) {
    pets.set(id, { ...before, quantities: new Set([quantity]) });
  }
}
