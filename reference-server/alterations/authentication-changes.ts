import { isJsonObject } from '../../contract/lossless-json.ts';
import { PLAN_LIMITS } from '../../contract/plans.ts';
import { SEED_KEYS } from '../../fixtures/corpora/index.ts';
import type { Alteration } from './alteration.ts';
import { answerError } from '../service/answer.ts';
import type { Authenticator } from '../service/authenticator.ts';
import type { KeyRecord } from '../service/key-store.ts';
import type { ServiceRequest, ServiceResponse } from '../service/messages.ts';
import { operationOf, withJson } from './response-changes.ts';
import type { RoutedOperation } from '../service/router.ts';
import type { ServiceParts } from '../service/service.ts';

/** Whose request it is taken for where no valid key came with it; all such requests are counted together. */
export const STRANGER: KeyRecord = { key: 'stranger', plan: 'free', limits: PLAN_LIMITS.free };

type Identity = ReturnType<Authenticator>;
type Reason = 'missing' | 'invalid';

/**
 * Takes some requests that the authenticator refuses for requests of a key.
 * @param start called once for each server; its result is asked once for each request
 */
export function admitAlso(
  start: (parts: ServiceParts) => (request: ServiceRequest, reason: Reason) => KeyRecord | undefined,
): Alteration {
  return changeAuthentication((parts) => {
    const admit = start(parts);
    return (request, key) => (key === 'missing' || key === 'invalid' ? (admit(request, key) ?? key) : key);
  });
}

/**
 * Refuses some requests that carry a valid key.
 * @param start called once for each server; its result is asked once for each request
 */
export function refuseAlso(
  start: (parts: ServiceParts) => (request: ServiceRequest, key: KeyRecord) => boolean,
): Alteration {
  return changeAuthentication((parts) => {
    const isRefused = start(parts);
    return (request, key) =>
      key !== 'missing' && key !== 'invalid' && isRefused(request, key) ? 'invalid' : key;
  });
}

/** Changes what the authenticator says, the same however often it is asked about one request. */
export function changeAuthentication(
  start: (parts: ServiceParts) => (request: ServiceRequest, key: Identity) => Identity,
): Alteration {
  return {
    parts: (parts) => {
      const change = start(parts);
      const said = new WeakMap<ServiceRequest, Identity>();
      return {
        authenticate: (request, keys) => {
          const key = said.get(request) ?? change(request, parts.authenticate(request, keys));
          said.set(request, key);
          return key;
        },
      };
    },
  };
}

/**
 * Takes a token for a valid key that it resembles.
 * @param isAlike whether that key is meant by that token
 */
export function admitKeysLike(isAlike: (key: string, token: string) => boolean): Alteration {
  return {
    parts: ({ keys, authenticate }) => {
      const issued = new Set(SEED_KEYS.map(({ key }) => key));
      const find = (token: string): KeyRecord | undefined => {
        for (const key of issued) {
          const record = isAlike(key, token) ? keys.find(key) : undefined;
          if (record !== undefined) {
            return record;
          }
        }
        return undefined;
      };
      return {
        keys: {
          ...keys,
          issue: (plan, limits) => {
            const record = keys.issue(plan, limits);
            issued.add(record.key);
            return record;
          },
        },
        authenticate: (request, store) => {
          const key = authenticate(request, store);
          const token = key === 'invalid' ? tokenOf(request) : undefined;
          return token === undefined ? key : (find(token) ?? key);
        },
      };
    },
  };
}

/**
 * Takes a key out of credentials that are not `Bearer KEY`.
 * @param read finds the key in the value of the Authorization field
 */
export function admitCredentials(read: (credentials: string) => string | undefined): Alteration {
  return admitAlso((parts) => (request) => {
    const key = read(credentialsOf(request) ?? '');
    return key === undefined ? undefined : parts.keys.find(key);
  });
}

/** Answers requests without a key with another status than 401. */
export function answerMissingKey(status: number): Alteration {
  return {
    answers: ({ unauthorized }, { representation }) => ({
      unauthorized: (reason) =>
        reason === 'missing'
          ? answerError(representation, { code: 'no_access', message: 'No access.', status })
          : unauthorized(reason),
    }),
  };
}

/** Gives an Error response another status, which its body tells as well. */
export function withStatus(response: ServiceResponse, status: number): ServiceResponse {
  return withJson({ ...response, status }, (error) => (isJsonObject(error) ? { ...error, status } : error));
}

/** Whether a request names one of the operations. */
export function isOneOf(
  parts: ServiceParts,
  request: ServiceRequest,
  operations: readonly RoutedOperation[],
): boolean {
  const operation = operationOf(parts, request);
  return operation !== undefined && operations.includes(operation);
}

/** The value of the first Authorization field. */
export function credentialsOf({ headers }: ServiceRequest): string | undefined {
  const at = headers.findIndex((field, index) => index % 2 === 0 && field.toLowerCase() === 'authorization');
  return at === -1 ? undefined : headers[at + 1];
}

/** The bearer token of a request. */
export function tokenOf(request: ServiceRequest): string | undefined {
  return /^bearer +(\S+)$/i.exec(credentialsOf(request) ?? '')?.[1];
}
