import type { ErrorBody, InventoryItem, PetStatus } from '../../contract/inventory.ts';
import { asInteger, isJsonObject } from '../../contract/json/index.ts';
import type { Alteration } from '../alterations/alteration.ts';
import { changeItems, changeStore, exactIntegerOf, forgetOnReplace } from '../alterations/inventory.ts';
import { keyOf } from '../alterations/requests.ts';
import { handleRequests } from '../alterations/responses.ts';
import { quantityIn } from '../alterations/updates.ts';
import { type Answer, answerError } from '../service/answer.ts';
import { headerOf, type BodyReading, type ServiceRequest } from '../service/messages.ts';
import { type UpdateReader, type UpdateReading, decodeJson } from '../service/inventory-update.ts';
import type { Answers, ServiceParts } from '../service/service.ts';
import { permitting } from './variant.ts';
import { seedInventory } from '../../fixtures/corpora/index.ts';

/** Reads a body in another way, or leaves it to the reader it is given. */
function reading(start: (read: UpdateReader) => UpdateReader): Alteration {
  return { parts: ({ readUpdate }) => ({ readUpdate: start(readUpdate) }) };
}

function refused(code: string, message: string): UpdateReading {
  return { problem: { code, message } };
}

function accepting(isAccepted: (quantity: bigint) => boolean): (read: UpdateReader) => UpdateReader {
  return (read) => (bytes) => {
    const update = read(bytes);
    const quantity = 'problem' in update ? asInteger(quantityIn(bytes)) : undefined;
    return quantity === undefined || !isAccepted(quantity) ? update : { quantity: exactIntegerOf(quantity) };
  };
}

/** Refuses a body whose text matches, if it would be accepted otherwise. */
function refusing(pattern: RegExp, message: string): (read: UpdateReader) => UpdateReader {
  return (read) => (bytes) => {
    const update = read(bytes);
    return 'quantity' in update && pattern.test(Buffer.from(bytes).toString())
      ? refused('invalid_body', message)
      : update;
  };
}

function refusingAbove(greatest: number): (read: UpdateReader) => UpdateReader {
  return (read) => (bytes) => {
    const update = read(bytes);
    return 'quantity' in update && update.quantity > greatest
      ? refused('quantity_too_large', `quantity is greater than ${greatest}.`)
      : update;
  };
}

const FEW = 3;

const TWICE = /"quantity"\s*:[\s\S]*"quantity"\s*:/;

function statusOf(quantity: number): PetStatus {
  return quantity <= 0 ? 'sold' : quantity < FEW ? 'pending' : 'available';
}

/** Keeps what an update made of a status beside the store, until the store is filled anew. */
const statusByQuantity = changeStore((store) => {
  const statuses = new Map<bigint, PetStatus>();
  const current = (item: InventoryItem): InventoryItem => ({
    ...item,
    status: statuses.get(item.petId) ?? item.status,
  });
  return {
    ...forgetOnReplace(store, () => statuses.clear()),
    find: (petId) => {
      const item = store.find(petId);
      return item === undefined ? undefined : current(item);
    },
    list: () => store.list().map(current),
    setQuantity: (petId, quantity) => {
      statuses.set(petId, statusOf(Number(quantity)));
      const item = store.setQuantity(petId, quantity);
      return item === undefined ? undefined : current(item);
    },
  };
});

type Update = Answers['updateInventory'];

/** Refuses some updates before the operation judges them. */
function refuseFirst(
  error: ErrorBody,
  isRefused: (request: ServiceRequest, segment: string, parts: ServiceParts) => boolean,
): Alteration {
  return {
    answers: ({ updateInventory }, parts) => ({
      updateInventory: (request, segment) =>
        isRefused(request, segment, parts)
          ? answerError(parts.representation, error)
          : updateInventory(request, segment),
    }),
  };
}

/** The request again after its content was read. */
function withReading(request: ServiceRequest, reading: BodyReading): ServiceRequest {
  return { ...request, readBody: () => Promise.resolve(reading) };
}

/** Answers 400 to a bad body whether the pet is known or not. */
async function updateBodyFirst(
  updateInventory: Update,
  { representation, readUpdate }: ServiceParts,
  request: ServiceRequest,
  petId: string,
): Promise<Answer> {
  const reading = await request.readBody();
  const update = reading.state === 'complete' ? readUpdate(reading.bytes) : undefined;
  return update !== undefined && 'problem' in update
    ? answerError(representation, { ...update.problem, status: 400 })
    : updateInventory(withReading(request, reading), petId);
}

const LARGEST_BODY_BYTES = 16_384;

function startingWith(items: () => readonly InventoryItem[]): Alteration {
  return { options: (options) => ({ ...options, inventory: items() }) };
}

function shuffled(items: readonly InventoryItem[]): readonly InventoryItem[] {
  return items
    .map((item) => ({ item, place: Math.random() }))
    .toSorted((left, right) => left.place - right.place)
    .map(({ item }) => item);
}

export const INVENTORY_VARIANTS = permitting({
  'store at start': {
    'empty-store': ['The inventory is empty at start', startingWith(() => [])],
    'single-pet': [
      'The inventory holds a single pet at start',
      startingWith(() => seedInventory({ size: 1 })),
    ],
    'three-thousand-pets': [
      'The inventory holds 3,000 pets at start',
      startingWith(() => seedInventory({ size: 3_000 })),
    ],
    'pet-ids-of-zero-and-below': [
      'The inventory holds pets with petIds of zero and below at start',
      startingWith(() => [
        { petId: -(2n ** 63n), quantity: 2, status: 'pending' },
        { petId: -5n, quantity: 3, status: 'sold' },
        { petId: 0n, quantity: 4, status: 'available' },
        ...seedInventory(),
      ]),
    ],
    'stock-below-zero': [
      'Every pet is sold at start, with a quantity below zero',
      startingWith(() => seedInventory().map(({ petId }) => ({ petId, quantity: -2, status: 'sold' }))),
    ],
  },
  'order of the list': {
    // Another version each time, so that no list is taken from memory.
    'list-in-random-order': [
      'Each list is in another order',
      changeStore((store) => {
        let version = 0;
        return { list: () => shuffled(store.list()), version: () => (version += 1) };
      }),
    ],
  },
  'further members of items': {
    'items-with-look-alike-members': [
      'Items have further members whose names differ only in letter-case',
      changeItems((item) => ({ PetId: 0, petid: 'x', ...item, Quantity: -1, STATUS: 'gone', pet_id: '7' })),
    ],
  },
  'negative quantities': {
    'negative-quantities': [
      'Negative quantities are accepted, to the last digit',
      reading(accepting((quantity) => quantity < 0n)),
    ],
  },
  'large quantities': {
    'quantities-of-any-size': [
      'Quantities of any size are accepted, to the last digit',
      reading(accepting((quantity) => quantity >= 0n)),
    ],
    'quantities-up-to-999': ['Quantities over 999 are refused', reading(refusingAbove(999))],
    'quantities-up-to-99': ['Quantities over 99 are refused', reading(refusingAbove(99))],
  },
  'integral number forms': {
    'quantities-in-digits-only': [
      '1.0 and 1e2 are refused as a quantity',
      reading(refusing(/"quantity"\s*:\s*-?\d+[.eE]/, 'quantity is not written in digits only.')),
    ],
  },
  'further request members': {
    'further-request-members-refused': [
      'Further members in the request are refused',
      reading((read) => (bytes) => {
        const update = read(bytes);
        const value = decodeJson(bytes);
        return 'quantity' in update && isJsonObject(value) && Object.keys(value).length > 1
          ? refused('unknown_member', 'The request body has members beside quantity.')
          : update;
      }),
    ],
  },
  'duplicate request members': {
    'duplicate-request-members-refused': [
      'Duplicate members in the request are refused',
      reading(refusing(TWICE, 'quantity stands twice.')),
    ],
  },
  'request media type': {
    'missing-media-type-415': [
      'An update in another media type, or without one, is answered 415',
      refuseFirst(
        {
          code: 'unsupported_media_type',
          message: 'The request body is not sent as application/json.',
          status: 415,
        },
        (request) =>
          headerOf(request, 'content-type')?.replace(/;.*$/s, '').trim().toLowerCase() !== 'application/json',
      ),
    ],
  },
  'request size': {
    'long-bodies-413': [
      'A body of more than 16 KiB is answered 413',
      refuseFirst(
        { code: 'too_large', message: 'The request body is too large.', status: 413 },
        (request) => Number(headerOf(request, 'content-length') ?? 0) > LARGEST_BODY_BYTES,
      ),
    ],
  },
  'request length': {
    'chunked-bodies-411': [
      'A body of undeclared length is answered 411',
      refuseFirst(
        { code: 'length_required', message: 'Give Content-Length.', status: 411 },
        (request) => headerOf(request, 'transfer-encoding') !== undefined,
      ),
    ],
  },
  'order of pet and body': {
    'body-before-pet': [
      'A bad body is answered 400 even if the pet is unknown',
      {
        answers: ({ updateInventory }, parts) => ({
          updateInventory: (request, petId) => updateBodyFirst(updateInventory, parts, request, petId),
        }),
      },
    ],
  },
  'order of key and update': {
    'update-before-key': [
      'A bad body and an unknown pet are reported before a bad key',
      handleRequests((request, service, parts) => {
        const match = parts.route(request.method, request.target);
        if (
          match.kind !== 'operation' ||
          match.operation !== 'updateInventory' ||
          keyOf(parts, request) !== undefined
        ) {
          return service.respond(request);
        }
        const petId = parts.readPetId(match.petId);
        if (petId === undefined || parts.inventory.find(petId) === undefined) {
          return service.refuse({ status: 404, code: 'pet_not_found', message: 'No pet has this petId.' });
        }
        return request.readBody().then((reading) => {
          const update = reading.state === 'complete' ? parts.readUpdate(reading.bytes) : undefined;
          return update !== undefined && 'problem' in update
            ? service.refuse({ status: 400, ...update.problem })
            : service.respond(withReading(request, reading));
        });
      }),
    ],
  },
  'odd pet ids': {
    'odd-pet-ids-400': [
      'A petId that is not an int64 is answered 400',
      refuseFirst(
        { code: 'invalid_pet_id', message: 'petId is not an int64.', status: 400 },
        (_request, segment, { readPetId }) => readPetId(segment) === undefined,
      ),
    ],
    'pet-ids-with-leading-zeros': [
      'Leading zeros and a plus sign before a petId are accepted',
      {
        parts: ({ readPetId }) => ({
          readPetId: (segment) => readPetId(segment.replace(/^\+?0*(?=\d)/, '')),
        }),
      },
    ],
  },
  'status after update': {
    'status-by-quantity': [
      'An update sets the status: sold at 0, pending below 3, otherwise available',
      statusByQuantity,
    ],
    'status-derived-from-quantity': [
      'A status is computed from the quantity whenever it is shown, whatever the pet was given',
      changeItems((item) => ({ ...item, status: statusOf(Number(item['quantity'])) })),
    ],
  },
});
