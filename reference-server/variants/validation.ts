import { headerOf } from '../service/header-fields.ts';
import { answerError, type Answer } from '../service/answer.ts';
import type { BodyReading, ServiceRequest } from '../service/messages.ts';
import { keyOf } from '../alterations/requests.ts';
import type { Answers, ServiceParts } from '../service/service.ts';
import type { Freedom, Variant } from './variant.ts';

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

export const VALIDATION_VARIANTS: readonly Variant[] = [
  {
    id: 'body-before-pet',
    title: 'A bad body is answered 400 even where the pet is unknown',
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
    'A petId that is no int64 is answered 400',
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
