import { type JsonValue, isJsonObject, stringifyJson } from '../../contract/json/index.ts';
import type { Alteration } from './alteration.ts';
import { bytesOf, operationOf, rereadable } from './requests.ts';
import {
  headerOf,
  withHeader,
  withoutHeader,
  type Connection,
  type Service,
  type ServiceRequest,
  type ServiceResponse,
} from '../service/messages.ts';
import { decodeJson } from '../service/inventory-update.ts';
import type { ServiceParts } from '../service/service.ts';

/** Gives an Error response another status, in its body too. */
export function withStatus(response: ServiceResponse, status: number): ServiceResponse {
  return withJson({ ...response, status }, (error) => (isJsonObject(error) ? { ...error, status } : error));
}

/** Changes a value at once, or a promised one when it comes. */
export function changeLater<From, To>(
  value: From | Promise<From>,
  change: (value: From) => To,
): To | Promise<To> {
  return value instanceof Promise ? value.then(change) : change(value);
}

/** Makes the response that is sent instead of the one that was made. */
type ResponseChange = (
  response: ServiceResponse,
  request: ServiceRequest,
  parts: ServiceParts,
) => ServiceResponse;

/** Changes every response to a request that was well-formed HTTP. */
export function changeResponses(change: ResponseChange): Alteration {
  return handleRequests((request, service, parts) =>
    changeLater(service.respond(request), (response) => change(response, request, parts)),
  );
}

/** Tells which responses are meant. */
export type Condition = (response: ServiceResponse, request: ServiceRequest, parts: ServiceParts) => boolean;

/** Changes the responses that are meant. */
export function changeWhere(
  isMeant: Condition,
  change: (response: ServiceResponse, parts: ServiceParts) => ServiceResponse,
): Alteration {
  return changeResponses((response, request, parts) =>
    isMeant(response, request, parts) ? change(response, parts) : response,
  );
}

/** Gives the responses that are meant another status, in their Error objects too. */
export function answerWhere(status: number, isMeant: Condition): Alteration {
  return changeWhere(isMeant, (response) => withStatus(response, status));
}

/** Handles whole requests that were well-formed HTTP. @param handle may leave them to the service, as they are or changed */
export function handleRequests(
  handle: (
    request: ServiceRequest,
    service: Service,
    parts: ServiceParts,
  ) => ServiceResponse | Promise<ServiceResponse>,
): Alteration {
  return {
    service: (service, parts) => ({ ...service, respond: (request) => handle(request, service, parts) }),
  };
}

/** Gives each list a tag, and answers 304 to the tag that it would have (RFC 9110, section 15.4.5). */
export function tagLists(tagOf: (body: ServiceResponse['body'], parts: ServiceParts) => string): Alteration {
  return changeResponses((response, request, parts) => {
    if (response.status !== 200 || operationOf(parts, request) !== 'listInventory') {
      return response;
    }
    const tag = `"${tagOf(response.body, parts)}"`;
    const tagged = withHeader(response, 'ETag', tag);
    return headerOf(request, 'If-None-Match') === tag
      ? { ...withoutHeader(tagged, 'Content-Length'), status: 304, body: new Uint8Array() }
      : tagged;
  });
}

/** Answers a part of the list to those who ask for its first bytes (RFC 9110, section 14.2). */
export const answerRanges = changeResponses((response, request, parts) => {
  const [, last] = /^bytes=0-(\d+)$/.exec(headerOf(request, 'Range') ?? '') ?? [];
  if (last === undefined || response.status !== 200 || operationOf(parts, request) !== 'listInventory') {
    return response;
  }
  const whole = Buffer.from(response.body);
  const part = whole.subarray(0, Number(last) + 1);
  const range = `bytes 0-${part.length - 1}/${whole.length}`;
  return withHeader({ ...withBody(response, part), status: 206 }, 'Content-Range', range);
});

/** Replaces the content, and Content-Length if there is one. */
export function withBody(response: ServiceResponse, body: string | Uint8Array): ServiceResponse {
  const bytes = Buffer.from(body);
  const changed = { ...response, body: bytes };
  return headerOf(response, 'Content-Length') === undefined
    ? changed
    : withHeader(changed, 'Content-Length', `${bytes.byteLength}`);
}

/** Changes the JSON value in the content, or how it is spelled; content that is no JSON stays as it is. */
export function withJson(
  response: ServiceResponse,
  change: (value: JsonValue) => JsonValue,
  spell: (value: JsonValue) => string = stringifyJson,
): ServiceResponse {
  const value = decodeJson(Buffer.from(response.body));
  return value === undefined ? response : withBody(response, spell(change(value)));
}

/**
 * Closes connections without a response.
 * @param then whether the service `goes on`, or `is gone` and closes every later connection too
 */
export function dropConnections(
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

/** Answers otherwise on a connection once a response on it was of a kind. @param next what is answered from then on */
export function spoilConnections(
  isMeant: (request: ServiceRequest, response: ServiceResponse) => boolean,
  next: () => ServiceResponse | Promise<ServiceResponse>,
): Alteration {
  return {
    service: (service) => {
      const spoilt = new WeakSet<Connection>();
      return {
        ...service,
        respond: async (request) => {
          if (spoilt.has(request.connection)) {
            return next();
          }
          const response = await service.respond(request);
          if (isMeant(request, response)) {
            spoilt.add(request.connection);
          }
          return response;
        },
      };
    },
  };
}

/** Applies to updates with some bodies. */
export function onUpdateBody(isMeant: (bytes: Uint8Array) => boolean): Parameters<typeof dropConnections>[0] {
  return async (request, { route }) => {
    const match = route(request.method, request.target);
    return (
      match.kind === 'operation' && match.operation === 'updateInventory' && isMeant(await bytesOf(request))
    );
  };
}

/** Gives the responses that are meant a header field of that value. */
export function setHeaderWhere(isMeant: Condition, name: string, value: string): Alteration {
  return changeWhere(isMeant, (response) => withHeader(response, name, value));
}

/** Changes every response, also those to malformed HTTP, for which there is no request. */
export function changeEveryResponse(
  change: (
    response: ServiceResponse,
    request: ServiceRequest | undefined,
    parts: ServiceParts,
  ) => ServiceResponse,
): Alteration {
  return {
    service: (service, parts) => ({
      respond: (request) =>
        changeLater(service.respond(request), (response) => change(response, request, parts)),
      refuse: (refusal) => change(service.refuse(refusal), undefined, parts),
    }),
  };
}
