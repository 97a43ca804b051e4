import type { ErrorBody, InventoryItem, PetStatus } from '../../contract/inventory.ts';
import { asInteger, isJsonObject } from '../../contract/json/index.ts';
import type { Alteration } from '../alterations/alteration.ts';
import { changeItems, changeStore, exactIntegerOf, forgetOnReplace } from '../alterations/inventory.ts';
import { keyOf } from '../alterations/requests.ts';
import { quantityIn } from '../alterations/updates.ts';
import { type Answer, answerError } from '../service/answer.ts';
import { headerOf } from '../service/header-fields.ts';
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

const GREATEST = 999;

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
  {
    id: 'status-by-quantity',
    title: 'An update sets the status: sold at 0, pending below 3, otherwise available',
    freedom: 'status after update',
    alter: statusByQuantity,
  },
  {
    id: 'status-derived-from-quantity',
    title: 'A status is computed from the quantity whenever it is shown, whatever the pet was given',
    freedom: 'status after update',
    alter: changeItems((item) => ({ ...item, status: statusOf(Number(item['quantity'])) })),
  },
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
  {
    id: 'missing-media-type-415',
    title: 'An update in another media type, or without one, is answered 415',
    freedom: 'request media type',
    alter: refuseFirst(
      {
        code: 'unsupported_media_type',
        message: 'The request body is not sent as application/json.',
        status: 415,
      },
      (request) =>
        headerOf(request, 'content-type')?.replace(/;.*$/s, '').trim().toLowerCase() !== 'application/json',
    ),
  },
  {
    id: 'long-bodies-413',
    title: 'A body of more than 16 KiB is answered 413',
    freedom: 'request size',
    alter: refuseFirst(
      { code: 'too_large', message: 'The request body is too large.', status: 413 },
      (request) => Number(headerOf(request, 'content-length') ?? 0) > LARGEST_BODY_BYTES,
    ),
  },
  {
    id: 'chunked-bodies-411',
    title: 'A body of undeclared length is answered 411',
    freedom: 'request length',
    alter: refuseFirst(
      { code: 'length_required', message: 'Give Content-Length.', status: 411 },
      (request) => headerOf(request, 'transfer-encoding') !== undefined,
    ),
  },
  {
    id: 'odd-pet-ids-400',
    title: 'A petId that is not an int64 is answered 400',
    freedom: 'odd pet ids',
    alter: refuseFirst(
      { code: 'invalid_pet_id', message: 'petId is not an int64.', status: 400 },
      (_request, segment, { readPetId }) => readPetId(segment) === undefined,
    ),
  },
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
