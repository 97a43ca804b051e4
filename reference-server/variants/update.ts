import type { InventoryItem, PetStatus } from '../../contract/inventory.ts';
import { asInteger, isJsonObject } from '../../contract/json/index.ts';
import { keyOf } from '../alterations/requests.ts';
import { type Answer, answerError } from '../service/answer.ts';
import { headerOf } from '../service/header-fields.ts';
import type { InventoryStore } from '../service/inventory-store.ts';
import { type UpdateReader, type UpdateReading, decodeJson } from '../service/inventory-update.ts';
import type { BodyReading, ServiceRequest } from '../service/messages.ts';
import type { Answers, ServiceParts } from '../service/service.ts';
import type { Freedom, Variant } from './variant.ts';

/** Reads a body in another way, or leaves it to the reader it is given. */
function reading(
  id: string,
  title: string,
  freedom: Freedom,
  start: (read: UpdateReader) => UpdateReader,
): Variant {
  return { id, title, freedom, alter: { parts: ({ readUpdate }) => ({ readUpdate: start(readUpdate) }) } };
}

function refused(code: string, message: string): UpdateReading {
  return { problem: { code, message } };
}

function quantityIn(bytes: Uint8Array): bigint | undefined {
  const value = decodeJson(bytes);
  return isJsonObject(value) ? asInteger(value['quantity']) : undefined;
}

function accepting(isAccepted: (quantity: bigint) => boolean): (read: UpdateReader) => UpdateReader {
  return (read) => (bytes) => {
    const update = read(bytes);
    const quantity = 'problem' in update ? quantityIn(bytes) : undefined;
    if (quantity === undefined || !isAccepted(quantity)) {
      return update;
    }
    const narrow = Number(quantity);
    return { quantity: Number.isSafeInteger(narrow) ? narrow : quantity };
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

const GREATEST = 999;

const TWICE = /"quantity"\s*:[\s\S]*"quantity"\s*:/;

type StatusRule = (item: InventoryItem) => PetStatus;

/** Keeps what an update made of a status beside the store, until the store is filled anew. */
function recomputing(rule: StatusRule): (inventory: InventoryStore) => InventoryStore {
  return (inventory) => {
    const statuses = new Map<bigint, PetStatus>();
    const current = (item: InventoryItem): InventoryItem => {
      const status = statuses.get(item.petId);
      return status === undefined ? item : { ...item, status };
    };
    return {
      ...inventory,
      find: (petId) => {
        const item = inventory.find(petId);
        return item === undefined ? undefined : current(item);
      },
      list: () => inventory.list().map(current),
      setQuantity: (petId, quantity) => {
        const item = inventory.setQuantity(petId, quantity);
        if (item === undefined) {
          return undefined;
        }
        statuses.set(petId, rule(current(item)));
        return current(item);
      },
      replace: (items) => {
        statuses.clear();
        inventory.replace(items);
      },
      reset: () => {
        statuses.clear();
        inventory.reset();
      },
    };
  };
}

function statusRule(id: string, title: string, rule: StatusRule): Variant {
  const recompute = recomputing(rule);
  return {
    id,
    title,
    freedom: 'status after update',
    alter: { parts: ({ inventory }) => ({ inventory: recompute(inventory) }) },
  };
}

const FEW = 3;

type Update = Answers['updateInventory'];

/** Judges an update before the operation does; `undefined` leaves it to the operation. */
function before(
  id: string,
  title: string,
  freedom: Freedom,
  judge: (request: ServiceRequest, petId: string, parts: ServiceParts) => Answer | undefined,
): Variant {
  return {
    id,
    title,
    freedom,
    alter: {
      answers: ({ updateInventory }, parts) => ({
        updateInventory: (request, petId) => judge(request, petId, parts) ?? updateInventory(request, petId),
      }),
    },
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

export const UPDATE_VARIANTS: readonly Variant[] = [
  reading(
    'negative-quantities',
    'Negative quantities are accepted, to the last digit',
    'negative quantities',
    accepting((quantity) => quantity < 0n),
  ),
  reading(
    'quantities-of-any-size',
    'Quantities of any size are accepted, to the last digit',
    'large quantities',
    accepting((quantity) => quantity >= 0n),
  ),
  reading(
    'quantities-up-to-999',
    'Quantities over 999 are refused',
    'large quantities',
    (read) => (bytes) => {
      const update = read(bytes);
      return 'quantity' in update && update.quantity > GREATEST
        ? refused('quantity_too_large', `quantity is greater than ${GREATEST}.`)
        : update;
    },
  ),
  reading(
    'quantities-in-digits-only',
    '1.0 and 1e2 are refused as a quantity',
    'integral number forms',
    refusing(/"quantity"\s*:\s*-?\d+[.eE]/, 'quantity is not written in digits only.'),
  ),
  reading(
    'further-request-members-refused',
    'Further members in the request are refused',
    'further request members',
    (read) => (bytes) => {
      const update = read(bytes);
      const value = decodeJson(bytes);
      return 'quantity' in update && isJsonObject(value) && Object.keys(value).length > 1
        ? refused('unknown_member', 'The request body has members beside quantity.')
        : update;
    },
  ),
  reading(
    'duplicate-request-members-refused',
    'Duplicate members in the request are refused',
    'duplicate request members',
    refusing(TWICE, 'quantity stands twice.'),
  ),
  statusRule(
    'status-by-quantity',
    'An update sets the status: sold at 0, pending below 3, otherwise available',
    ({ quantity }) => (quantity <= 0 ? 'sold' : quantity < FEW ? 'pending' : 'available'),
  ),
  {
    id: 'body-before-pet',
    title: 'A bad body is answered 400 even if the pet is unknown',
    freedom: 'order of pet and body',
    alter: {
      answers: ({ updateInventory }, parts) => ({
        updateInventory: (request, petId) => updateBodyFirst(updateInventory, parts, request, petId),
      }),
    },
  },
  {
    id: 'update-before-key',
    title: 'A bad body and an unknown pet are reported before a bad key',
    freedom: 'order of key and update',
    alter: {
      service: (service, parts) => ({
        ...service,
        respond: (request) => {
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
        },
      }),
    },
  },
  before(
    'missing-media-type-415',
    'An update in another media type, or without one, is answered 415',
    'request media type',
    (request, _petId, { representation }) => {
      const mediaType = headerOf(request, 'content-type')?.replace(/;.*$/s, '').trim().toLowerCase();
      const message = 'The request body is not sent as application/json.';
      return mediaType === 'application/json'
        ? undefined
        : answerError(representation, { code: 'unsupported_media_type', message, status: 415 });
    },
  ),
  before(
    'long-bodies-413',
    'A body of more than 16 KiB is answered 413',
    'request size',
    (request, _petId, { representation }) =>
      Number(headerOf(request, 'content-length') ?? 0) > LARGEST_BODY_BYTES
        ? answerError(representation, {
            code: 'too_large',
            message: 'The request body is too large.',
            status: 413,
          })
        : undefined,
  ),
  before(
    'chunked-bodies-411',
    'A body of undeclared length is answered 411',
    'request length',
    (request, _petId, { representation }) =>
      headerOf(request, 'transfer-encoding') === undefined
        ? undefined
        : answerError(representation, {
            code: 'length_required',
            message: 'Give Content-Length.',
            status: 411,
          }),
  ),
  before(
    'odd-pet-ids-400',
    'A petId that is not an int64 is answered 400',
    'odd pet ids',
    (_request, petId, { representation, readPetId }) =>
      readPetId(petId) === undefined
        ? answerError(representation, {
            code: 'invalid_pet_id',
            message: 'petId is not an int64.',
            status: 400,
          })
        : undefined,
  ),
  {
    id: 'pet-ids-with-leading-zeros',
    title: 'Leading zeros and a plus sign before a petId are accepted',
    freedom: 'odd pet ids',
    alter: {
      parts: ({ readPetId }) => ({
        readPetId: (segment) => readPetId(segment.replace(/^\+?0*(?=\d)/, '')),
      }),
    },
  },
];
