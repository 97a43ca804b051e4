import { parseJson, stringifyJson, type JsonValue } from '../../contract/lossless-json.ts';
import type { Alteration } from './alteration.ts';
import type { KeyRecord } from '../service/key-store.ts';
import type { ServiceRequest, ServiceResponse } from '../service/messages.ts';
import type { RoutedOperation } from '../service/router.ts';
import type { ServiceParts } from '../service/service.ts';

/** Makes another response of a response to a request. */
export type ResponseChange = (response: ServiceResponse, request: ServiceRequest) => ServiceResponse;

/**
 * Changes every response to a request that was well-formed HTTP.
 * @param start called once for each server; what it holds is the state of that server
 */
export function changeResponses(start: (parts: ServiceParts) => ResponseChange): Alteration {
  return {
    service: (service, parts) => {
      const change = start(parts);
      return {
        ...service,
        respond: (request) => {
          const response = service.respond(request);
          return response instanceof Promise
            ? response.then((later) => change(later, request))
            : change(response, request);
        },
      };
    },
  };
}

/** The value of the first field of that name, in any letter-case. */
export function headerOf({ headers }: Pick<ServiceResponse, 'headers'>, name: string): string | undefined {
  const at = indexOfHeader(headers, name);
  return at === -1 ? undefined : headers[at + 1];
}

/** Replaces the value of a field, or appends the field. */
export function withHeader(response: ServiceResponse, name: string, value: string): ServiceResponse {
  const at = indexOfHeader(response.headers, name);
  return {
    ...response,
    headers: at === -1 ? [...response.headers, name, value] : response.headers.with(at + 1, value),
  };
}

export function withoutHeader(response: ServiceResponse, name: string): ServiceResponse {
  const at = indexOfHeader(response.headers, name);
  return at === -1
    ? response
    : withoutHeader({ ...response, headers: response.headers.toSpliced(at, 2) }, name);
}

/** Replaces the content, and Content-Length where there is one. */
export function withBody(response: ServiceResponse, body: string | Uint8Array): ServiceResponse {
  const bytes = Buffer.from(body);
  const changed = { ...response, body: bytes };
  return headerOf(response, 'Content-Length') === undefined
    ? changed
    : withHeader(changed, 'Content-Length', `${bytes.byteLength}`);
}

/** Changes the JSON value in the content; content that is no JSON stays as it is. */
export function withJson(
  response: ServiceResponse,
  change: (value: JsonValue) => JsonValue,
): ServiceResponse {
  const value = jsonOf(response);
  return value === undefined ? response : withBody(response, stringifyJson(change(value)));
}

/** The JSON value in the content, or `undefined` where there is none. */
function jsonOf({ body }: Pick<ServiceResponse, 'body'>): JsonValue | undefined {
  try {
    return parseJson(Buffer.from(body).toString());
  } catch {
    return undefined;
  }
}

/** The operation that a request names, or `undefined` where it names none. */
export function operationOf(
  { route }: ServiceParts,
  { method, target }: ServiceRequest,
): RoutedOperation | undefined {
  const match = route(method, target);
  return match.kind === 'operation' ? match.operation : undefined;
}

/** The record of the request's key, or `undefined` where it has no valid one. */
export function keyOf({ authenticate, keys }: ServiceParts, request: ServiceRequest): KeyRecord | undefined {
  const key = authenticate(request, keys);
  return key === 'missing' || key === 'invalid' ? undefined : key;
}

/** Says true at every nth call. */
export function everyNth(nth: number): () => boolean {
  let calls = 0;
  return () => {
    calls += 1;
    return calls % nth === 0;
  };
}

function indexOfHeader(headers: readonly string[], name: string): number {
  const wanted = name.toLowerCase();
  return headers.findIndex((field, index) => index % 2 === 0 && field.toLowerCase() === wanted);
}
