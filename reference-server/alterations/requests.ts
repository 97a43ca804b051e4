import { headerOf, type BodyReading, type ServiceRequest } from '../service/messages.ts';
import type { KeyRecord } from '../service/key-store.ts';
import type { RoutedOperation } from '../service/router.ts';
import type { ServiceParts } from '../service/service.ts';

/** Whether a request names one of the operations. */
export function namesOneOf(
  parts: ServiceParts,
  request: ServiceRequest,
  operations: readonly RoutedOperation[],
): boolean {
  const operation = operationOf(parts, request);
  return operation !== undefined && operations.includes(operation);
}

/** The value of the first Authorization field. */
export function credentialsOf(request: ServiceRequest): string | undefined {
  return headerOf(request, 'Authorization');
}

/** The bearer token of a request, valid or not. */
export function tokenOf(request: ServiceRequest): string | undefined {
  return /^bearer +(\S+)$/i.exec(credentialsOf(request) ?? '')?.[1];
}

/** A request with a valid key, to which the limits are applied. */
export interface Asking {
  readonly key: KeyRecord;
  /** Unix seconds. */
  readonly now: number;
  readonly request: ServiceRequest;
  /** `undefined` if the request names none. */
  readonly operation: RoutedOperation | undefined;
}

/** The operation that a request names, or `undefined` if it names none. */
export function operationOf(
  { route }: Pick<ServiceParts, 'route'>,
  { method, target }: ServiceRequest,
): RoutedOperation | undefined {
  const match = route(method, target);
  return match.kind === 'operation' ? match.operation : undefined;
}

/** The record of the request's key, or `undefined` if it has no valid one. */
export function keyOf({ authenticate, keys }: ServiceParts, request: ServiceRequest): KeyRecord | undefined {
  const key = authenticate(request, keys);
  return key === 'missing' || key === 'invalid' ? undefined : key;
}

/** Returns a function that gives each object its own state: each key, each connection, or, by its parts, each server. */
export function stateOfEach<State>(start: () => State): (object: object) => State {
  const states = new WeakMap<object, State>();
  return (object) => {
    const state = states.get(object) ?? start();
    states.set(object, state);
    return state;
  };
}

/** Returns a function that returns true on every nth call for a server. */
export function everyNth(nth: number): (server: object) => boolean {
  const counts = stateOfEach(() => ({ calls: 0 }));
  return (server) => {
    const count = counts(server);
    count.calls += 1;
    return count.calls % nth === 0;
  };
}

/** A request whose content can be read any number of times. */
export function rereadable(request: ServiceRequest): ServiceRequest {
  let reading: Promise<BodyReading> | undefined;
  return {
    ...request,
    readBody: () => {
      reading ??= request.readBody();
      return reading;
    },
  };
}

/** The content of a request; empty if it cannot be read. */
export async function bytesOf(request: ServiceRequest): Promise<Uint8Array> {
  const reading = await request.readBody();
  return reading.state === 'complete' ? reading.bytes : new Uint8Array();
}
