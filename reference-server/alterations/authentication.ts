import { PLAN_LIMITS } from '../../contract/plans.ts';
import { SEED_KEYS } from '../../fixtures/corpora/index.ts';
import { type Alteration, combine } from './alteration.ts';
import { namesOneOf, tokenOf } from './requests.ts';
import type { Authenticator } from '../service/authenticator.ts';
import type { KeyRecord } from '../service/key-store.ts';
import type { Connection, ServiceRequest } from '../service/messages.ts';
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

export function admitWithoutKey(operations: readonly RoutedOperation[]): Alteration {
  return admitAlso(
    (parts) => (request, reason) =>
      reason === 'missing' && namesOneOf(parts, request, operations) ? STRANGER : undefined,
  );
}

export function admitAnyKey(operations: readonly RoutedOperation[]): Alteration {
  return admitAlso(
    (parts) => (request) =>
      tokenOf(request) !== undefined && namesOneOf(parts, request, operations) ? STRANGER : undefined,
  );
}

/** Takes requests without a valid key for requests of the key that the connection carried last. */
export function rememberKey(isForgiven: (reason: 'missing' | 'invalid') => boolean): Alteration {
  return changeAuthentication(() => {
    const last = new WeakMap<Connection, KeyRecord>();
    return (request, key) => {
      if (key !== 'missing' && key !== 'invalid') {
        last.set(request.connection, key);
        return key;
      }
      return isForgiven(key) ? (last.get(request.connection) ?? key) : key;
    };
  });
}

/** Tells an alteration which keys were issued since their server started. */
export function withIssuedKeys(alterationFor: (issued: WeakSet<KeyRecord>) => Alteration): Alteration {
  const issued = new WeakSet<KeyRecord>();
  const noting: Alteration = {
    parts: ({ keys }) => ({
      keys: {
        ...keys,
        issue: (plan, limits) => {
          const record = keys.issue(plan, limits);
          issued.add(record);
          return record;
        },
      },
    }),
  };
  return combine(noting, alterationFor(issued));
}
