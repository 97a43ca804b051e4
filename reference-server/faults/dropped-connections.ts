import type { Alteration } from '../alterations/alteration.ts';
import type { ServiceRequest } from '../service/messages.ts';
import type { ServiceParts } from '../service/service.ts';
import { credentialsOf } from '../alterations/authentication-changes.ts';
import type { Fault } from './fault.ts';
import { bytesOf, quantityIn, rereadable, bodyText } from '../alterations/update-changes.ts';

/** Closes connections without a response; `every` connection from then on where the service is gone. */
function drop(
  isMeant: (request: ServiceRequest, parts: ServiceParts) => boolean | Promise<boolean>,
  then: 'goes on' | 'is gone',
): Alteration {
  return {
    service: (service, parts) => {
      let isGone = false;
      return {
        ...service,
        respond: async (request) => {
          const again = rereadable(request);
          if (isGone || (await isMeant(again, parts))) {
            isGone = then === 'is gone';
            again.connection.drop();
          }
          return service.respond(again);
        },
      };
    },
  };
}

function onBody(isMeant: (bytes: Uint8Array) => boolean): Parameters<typeof drop>[0] {
  return async (request, { route }) => {
    const match = route(request.method, request.target);
    return (
      match.kind === 'operation' && match.operation === 'updateInventory' && isMeant(await bytesOf(request))
    );
  };
}

const isNullBody = onBody((bytes) => bodyText(bytes) === 'null');

/** Documented requests that get no response at all. */
export const DROPPED_CONNECTION_FAULTS: readonly Fault[] = [
  {
    id: 'body-null-closes-the-connection',
    title: 'An update with the body null is answered by a closed connection',
    breaks: 'update-malformed-body',
    alter: drop(isNullBody, 'goes on'),
  },
  {
    id: 'body-null-ends-the-service',
    title: 'The service dies of an update with the body null',
    breaks: 'update-malformed-body',
    alter: drop(isNullBody, 'is gone'),
  },
  {
    id: 'empty-body-ends-the-service',
    title: 'The service dies of an update with an empty body',
    breaks: 'update-malformed-body',
    alter: drop(
      onBody((bytes) => bytes.byteLength === 0),
      'is gone',
    ),
  },
  {
    id: 'quantity-null-closes-the-connection',
    title: 'An update to a quantity of null is answered by a closed connection',
    breaks: 'update-invalid-quantity',
    alter: drop(
      onBody((bytes) => quantityIn(bytes) === null),
      'goes on',
    ),
  },
  {
    id: 'unknown-pet-closes-the-connection',
    title: 'An update of an unknown pet is answered by a closed connection',
    breaks: 'update-unknown-pet',
    alter: drop((request, { route, inventory, readPetId }) => {
      const match = route(request.method, request.target);
      const petId =
        match.kind === 'operation' && match.operation === 'updateInventory'
          ? readPetId(match.petId)
          : undefined;
      return petId !== undefined && inventory.find(petId) === undefined;
    }, 'goes on'),
  },
  {
    id: 'missing-key-closes-the-connection',
    title: 'A request without Authorization is answered by a closed connection',
    breaks: 'missing-key',
    alter: drop(
      (request, { route }) =>
        credentialsOf(request) === undefined && route(request.method, request.target).kind === 'operation',
      'goes on',
    ),
  },
];
