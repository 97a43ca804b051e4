import { asInteger } from '../../contract/json/index.ts';
import type { Alteration } from '../alterations/alteration.ts';
import { bytesOf, keyOf, rereadable } from '../alterations/requests.ts';
import { bodyText, changeUpdateAnswers, isFraction, quantityIn } from '../alterations/updates.ts';
import type { Fault } from './fault.ts';
import { headerOf } from '../service/header-fields.ts';
import type { ServiceRequest, ServiceResponse } from '../service/messages.ts';
import type { ServiceParts } from '../service/service.ts';

/** Carries updates out that were refused for their content; `undefined` for those that are not. */
function writeRefused(quantityFor: (bytes: Uint8Array) => number | undefined): Alteration {
  return changeUpdateAnswers(({ inventory, readPetId }) => async (answer, { segment, readBytes }) => {
    const petId = readPetId(segment);
    const quantity = answer.status === 400 ? quantityFor(await readBytes()) : undefined;
    if (petId !== undefined && quantity !== undefined) {
      inventory.setQuantity(petId, quantity);
    }
    return answer;
  });
}

/**
 * Carries updates out that were refused before they reached the operation.
 * @param start called once for each server; says of each request whether it is meant
 */
function writeBarred(
  isRefusal: (response: ServiceResponse) => boolean,
  start: (parts: ServiceParts) => (request: ServiceRequest) => boolean = () => () => true,
): Alteration {
  return {
    service: (service, parts) => {
      const isMeant = start(parts);
      return {
        ...service,
        respond: async (request) => {
          const again = rereadable(request);
          const isWritten = isMeant(request);
          const response = await service.respond(again);
          if (isWritten && isRefusal(response)) {
            await write(parts, again);
          }
          return response;
        },
      };
    },
  };
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
  const match = route(request.method, request.target);
  if (match.kind === 'operation' && match.operation === 'updateInventory') {
    const petId = readPetId(match.petId);
    const update = readUpdate(await bytesOf(request));
    if (petId !== undefined && 'quantity' in update) {
      inventory.setQuantity(petId, update.quantity);
    }
  }
}

/** Changes the store when an update of an unknown pet is refused. */
function afterUnknown(change: (parts: ServiceParts, petId: bigint, bytes: Uint8Array) => void): Alteration {
  return changeUpdateAnswers((parts) => async (answer, { segment, readBytes }) => {
    const petId = parts.readPetId(segment);
    if (answer.status === 404 && petId !== undefined) {
      change(parts, petId, await readBytes());
    }
    return answer;
  });
}

function credentialsOf({ headers }: ServiceRequest): string | undefined {
  const at = headers.findIndex((name, index) => index % 2 === 0 && name.toLowerCase() === 'authorization');
  return at === -1 ? undefined : headers[at + 1];
}

export const REFUSED_CHANGES_NOTHING_FAULTS: readonly Fault[] = [
  {
    id: 'written-then-400-fraction',
    title: 'An update with a fraction is answered 400, but its integer part is stored',
    breaks: 'refused-changes-nothing',
    alter: writeRefused((bytes) => {
      const quantity = quantityIn(bytes);
      return isFraction(quantity) ? Math.abs(Math.trunc(quantity)) : undefined;
    }),
  },
  {
    id: 'written-then-400-unfinished',
    title: 'An update whose JSON is cut off is answered 400, but its quantity is stored',
    breaks: 'refused-changes-nothing',
    alter: writeRefused((bytes) => {
      const digits = /^\{"quantity":(\d+)$/.exec(bodyText(bytes))?.[1];
      return digits === undefined ? undefined : Number(digits);
    }),
  },
  {
    id: 'written-then-400-large',
    title: 'An update to a quantity that is too large is answered 400, but stored',
    breaks: 'refused-changes-nothing',
    excludes: ['large quantities'],
    alter: writeRefused((bytes) => {
      const quantity = asInteger(quantityIn(bytes));
      return quantity !== undefined && quantity >= 2n ** 32n && quantity < 2n ** 64n
        ? Number(quantity)
        : undefined;
    }),
  },
  {
    id: 'status-changed-by-400',
    title: 'An update that is answered 400 changes the status of the pet',
    breaks: 'refused-changes-nothing',
    excludes: ['status after update'],
    alter: changeUpdateAnswers(({ inventory, readPetId }) => (answer, { segment }) => {
      const item = answer.status === 400 ? inventory.find(readPetId(segment) ?? 0n) : undefined;
      if (item !== undefined) {
        const others = inventory.list().filter(({ petId }) => petId !== item.petId);
        inventory.replace([...others, { ...item, status: item.status === 'sold' ? 'pending' : 'sold' }]);
      }
      return answer;
    }),
  },
  {
    id: 'removed-by-400',
    title: 'An update that is answered 400 removes the pet',
    breaks: 'refused-changes-nothing',
    alter: changeUpdateAnswers(({ inventory, readPetId }) => (answer, { segment }) => {
      const petId = readPetId(segment);
      if (answer.status === 400 && petId !== undefined && inventory.find(petId) !== undefined) {
        inventory.replace(inventory.list().filter((item) => item.petId !== petId));
      }
      return answer;
    }),
  },
  {
    id: 'neighbour-zeroed-by-400',
    title: 'An update that is answered 400 sets the last pet of the list to 0',
    breaks: 'refused-changes-nothing',
    alter: changeUpdateAnswers(({ inventory }) => (answer) => {
      const last = answer.status === 400 ? inventory.list().at(-1) : undefined;
      if (last !== undefined) {
        inventory.setQuantity(last.petId, 0);
      }
      return answer;
    }),
  },
  {
    id: 'written-then-401-without-key',
    title: 'An update without a key is answered 401, but stored',
    breaks: 'refused-changes-nothing',
    alter: writeBarred(isUnauthorized, () => (request) => credentialsOf(request) === undefined),
  },
  {
    id: 'written-then-401-unknown-key',
    title: 'An update with an unknown key is answered 401, but stored',
    breaks: 'refused-changes-nothing',
    alter: writeBarred(isUnauthorized, () => (request) => credentialsOf(request) !== undefined),
  },
  {
    id: 'written-then-401-revoked-key',
    title: 'An update with a key that was revoked after use is answered 401, but stored',
    breaks: 'refused-changes-nothing',
    alter: writeBarred(isUnauthorized, (parts) => {
      const seen = new Set<string>();
      return (request) => {
        const credentials = credentialsOf(request) ?? '';
        if (keyOf(parts, request) === undefined) {
          return seen.has(credentials);
        }
        seen.add(credentials);
        return false;
      };
    }),
  },
  {
    id: 'written-then-429',
    title: 'An update beyond the limit is answered 429, but stored',
    breaks: 'refused-changes-nothing',
    alter: writeBarred(isLimited),
  },
  {
    id: 'written-then-429-of-the-day',
    title: 'An update beyond the daily limit is answered 429, but stored',
    breaks: 'refused-changes-nothing',
    excludes: ['retry-after form'],
    alter: writeBarred(isLimitedByTheDay),
  },
  {
    id: 'created-then-404',
    title: 'An update of an unknown pet is answered 404, but creates it',
    breaks: 'refused-changes-nothing',
    alter: afterUnknown(({ inventory, readUpdate }, petId, bytes) => {
      const update = readUpdate(bytes);
      if ('quantity' in update && inventory.find(petId) === undefined) {
        inventory.replace([...inventory.list(), { petId, quantity: update.quantity, status: 'available' }]);
      }
    }),
  },
  {
    id: 'nearest-pet-written-then-404',
    title: 'An update of an unknown pet is answered 404, but stored for the pet with the next smaller petId',
    breaks: 'refused-changes-nothing',
    alter: afterUnknown(({ inventory, readUpdate }, petId, bytes) => {
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
  },
  {
    id: 'first-pet-removed-by-404',
    title: 'An update of an unknown pet is answered 404, and removes the first pet of the list',
    breaks: 'refused-changes-nothing',
    alter: afterUnknown(({ inventory }) => inventory.replace(inventory.list().slice(1))),
  },
];
