import type { InventoryItem } from '../../contract/inventory.ts';
import { asInteger } from '../../contract/json/index.ts';
import { type Alteration, combine } from '../alterations/alteration.ts';
import { bytesOf, credentialsOf, keyOf, rereadable, stateOfEach } from '../alterations/requests.ts';
import { handleRequests } from '../alterations/responses.ts';
import { bodyText, changeUpdateAnswers, isFraction, quantityIn } from '../alterations/updates.ts';
import { NO_LASTING_BAN, breaking } from './fault.ts';
import { headerOf, type ServiceRequest, type ServiceResponse } from '../service/messages.ts';
import type { InventoryStore } from '../service/inventory-store.ts';
import type { ServiceParts } from '../service/service.ts';

/** Carries updates out that were refused for their content; `undefined` for those that are not. */
function writeRefused(quantityFor: (bytes: Uint8Array) => number | undefined): Alteration {
  return changeUpdateAnswers(async (answer, { petId, readBytes }, { inventory }) => {
    const quantity = answer.status === 400 ? quantityFor(await readBytes()) : undefined;
    if (petId !== undefined && quantity !== undefined) {
      inventory.setQuantity(petId, quantity);
    }
    return answer;
  });
}

/** Carries updates out that were refused before they reached the operation. */
function writeBarred(
  isRefusal: (response: ServiceResponse) => boolean,
  isMeant: (request: ServiceRequest, parts: ServiceParts) => boolean = () => true,
): Alteration {
  return handleRequests(async (request, service, parts) => {
    const again = rereadable(request);
    const isWritten = isMeant(request, parts);
    const response = await service.respond(again);
    if (isWritten && isRefusal(response)) {
      await write(parts, again);
    }
    return response;
  });
}

function isUnauthorized({ status }: ServiceResponse): boolean {
  return status === 401;
}

function isLimited({ status }: ServiceResponse): boolean {
  return status === 429;
}

const LONGEST_MINUTE_WAIT_SECONDS = 120;

function isLimitedByTheDay(response: ServiceResponse): boolean {
  return isLimited(response) && Number(headerOf(response, 'Retry-After')) > LONGEST_MINUTE_WAIT_SECONDS;
}

async function write(
  { route, readPetId, readUpdate, inventory }: ServiceParts,
  request: ServiceRequest,
): Promise<void> {
  const match = route('PATCH', request.target);
  if (match.kind === 'operation' && match.operation === 'updateInventory') {
    const petId = readPetId(match.petId);
    const update = readUpdate(await bytesOf(request));
    if (petId !== undefined && 'quantity' in update) {
      inventory.setQuantity(petId, update.quantity);
    }
  }
}

/** Changes the store when an update of a known pet is answered 400. */
function after400(change: (inventory: InventoryStore, item: InventoryItem) => void): Alteration {
  return changeUpdateAnswers((answer, { petId }, { inventory }) => {
    const item = answer.status === 400 && petId !== undefined ? inventory.find(petId) : undefined;
    if (item !== undefined) {
      change(inventory, item);
    }
    return answer;
  });
}

/** Changes the store when an update of an unknown pet is refused. */
function afterUnknown(change: (parts: ServiceParts, petId: bigint, bytes: Uint8Array) => void): Alteration {
  return changeUpdateAnswers(async (answer, { petId, readBytes }, parts) => {
    if (answer.status === 404 && petId !== undefined) {
      change(parts, petId, await readBytes());
    }
    return answer;
  });
}

/** Credentials that were accepted once. */
const everGood = stateOfEach(() => new Set<string>());

export const REFUSED_CHANGES_NOTHING_FAULTS = breaking('refused-changes-nothing', {
  'written-then-400-fraction': [
    'An update with a fraction is answered 400, but its integer part is stored',
    writeRefused((bytes) => {
      const quantity = quantityIn(bytes);
      return isFraction(quantity) ? Math.abs(Math.trunc(quantity)) : undefined;
    }),
  ],
  'written-then-400-unfinished': [
    'An update whose JSON is cut off is answered 400, but its quantity is stored',
    writeRefused((bytes) => {
      const digits = /^\{"quantity":(\d+)$/.exec(bodyText(bytes))?.[1];
      return digits === undefined ? undefined : Number(digits);
    }),
  ],
  'written-then-400-large': [
    'An update to a quantity that is too large is answered 400, but stored',
    writeRefused((bytes) => {
      const quantity = asInteger(quantityIn(bytes));
      return quantity !== undefined && quantity >= 2n ** 32n && quantity < 2n ** 64n
        ? Number(quantity)
        : undefined;
    }),
    { excludes: ['large quantities'] },
  ],
  'status-changed-by-400': [
    'An update that is answered 400 changes the status of the pet',
    after400((inventory, item) => {
      const others = inventory.list().filter(({ petId }) => petId !== item.petId);
      inventory.replace([...others, { ...item, status: item.status === 'sold' ? 'pending' : 'sold' }]);
    }),
    { excludes: ['status after update'] },
  ],
  'removed-by-400': [
    'An update that is answered 400 removes the pet',
    after400((inventory, { petId }) =>
      inventory.replace(inventory.list().filter((item) => item.petId !== petId)),
    ),
  ],
  'neighbour-zeroed-by-400': [
    'An update that is answered 400 sets the last pet of the list to 0',
    changeUpdateAnswers((answer, _request, { inventory }) => {
      const last = answer.status === 400 ? inventory.list().at(-1) : undefined;
      if (last !== undefined) {
        inventory.setQuantity(last.petId, 0);
      }
      return answer;
    }),
  ],
  'written-then-401-without-key': [
    'An update without a key is answered 401, but stored',
    writeBarred(isUnauthorized, (request) => credentialsOf(request) === undefined),
  ],
  'written-then-401-unknown-key': [
    'An update with an unknown key is answered 401, but stored',
    writeBarred(isUnauthorized, (request) => credentialsOf(request) !== undefined),
  ],
  'written-then-401-revoked-key': [
    'An update with a key that was revoked after use is answered 401, but stored',
    writeBarred(isUnauthorized, (request, parts) => {
      const credentials = credentialsOf(request) ?? '';
      if (keyOf(parts, request) === undefined) {
        return everGood(parts).has(credentials);
      }
      everGood(parts).add(credentials);
      return false;
    }),
  ],
  'written-then-429': ['An update beyond the limit is answered 429, but stored', writeBarred(isLimited)],
  'written-then-429-of-the-day': [
    'An update beyond the daily limit is answered 429, but stored',
    writeBarred(isLimitedByTheDay),
    { excludes: ['retry-after form'] },
  ],
  'written-then-405': [
    'An update by another method than PATCH is answered 405, but stored',
    writeBarred(({ status }) => status === 405),
  ],
  'written-in-a-ban': [
    'An update of a banned key is answered 403, but stored',
    combine(
      { parts: () => ({ banStatus: 403 }) },
      writeBarred(({ status }) => status === 403),
    ),
    { excludes: [...NO_LASTING_BAN, 'ban status', 'orders-403'] },
  ],
  'created-then-404': [
    'An update of an unknown pet is answered 404, but creates it',
    afterUnknown(({ inventory, readUpdate }, petId, bytes) => {
      const update = readUpdate(bytes);
      if ('quantity' in update && inventory.find(petId) === undefined) {
        inventory.replace([...inventory.list(), { petId, quantity: update.quantity, status: 'available' }]);
      }
    }),
  ],
  'nearest-pet-written-then-404': [
    'An update of an unknown pet is answered 404, but stored for the pet with the next smaller petId',
    afterUnknown(({ inventory, readUpdate }, petId, bytes) => {
      const update = readUpdate(bytes);
      const smaller = inventory
        .list()
        .map((item) => item.petId)
        .filter((other) => other < petId);
      const nearest = smaller.reduce((largest, other) => (other > largest ? other : largest), -1n);
      if ('quantity' in update) {
        inventory.setQuantity(nearest, update.quantity);
      }
    }),
  ],
  'first-pet-removed-by-404': [
    'An update of an unknown pet is answered 404, and removes the first pet of the list',
    afterUnknown(({ inventory }) => inventory.replace(inventory.list().slice(1))),
  ],
});
