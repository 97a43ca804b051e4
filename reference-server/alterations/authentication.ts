import { PLAN_LIMITS } from '../../contract/plans.ts';
import { SEED_KEYS } from '../../fixtures/corpora/index.ts';
import { type Alteration, combine } from './alteration.ts';
import { namesOneOf, tokenOf } from './requests.ts';
import type { Authenticator } from '../service/authenticator.ts';
import type { KeyRecord, KeyStore } from '../service/key-store.ts';
import type { Connection, ServiceRequest } from '../service/messages.ts';
import type { RoutedOperation } from '../service/router.ts';
import type { ServiceParts } from '../service/service.ts';

/** The key that a request without a valid key is taken to carry; all such requests are counted together. */
export const STRANGER: KeyRecord = { key: 'stranger', plan: 'free', limits: PLAN_LIMITS.free };

type Identity = ReturnType<Authenticator>;

type Reason = 'missing' | 'invalid';

/** Accepts some requests without a valid key as requests of the key that is returned. @param admit called once for each */
export function admitAlso(
  admit: (request: ServiceRequest, reason: Reason, parts: ServiceParts) => KeyRecord | undefined,
): Alteration {
  return changeAuthentication((request, key, parts) =>
    key === 'missing' || key === 'invalid' ? (admit(request, key, parts) ?? key) : key,
  );
}

/** Accepts some requests without a valid key. @param isAdmitted called once for each */
export function admitStrangers(
  isAdmitted: (request: ServiceRequest, reason: Reason, parts: ServiceParts) => boolean,
): Alteration {
  return admitAlso((...given) => (isAdmitted(...given) ? STRANGER : undefined));
}

/** Refuses some requests that carry a valid key. @param isRefused called once for each */
export function refuseAlso(
  isRefused: (request: ServiceRequest, key: KeyRecord, parts: ServiceParts) => boolean,
): Alteration {
  return changeAuthentication((request, key, parts) =>
    key !== 'missing' && key !== 'invalid' && isRefused(request, key, parts) ? 'invalid' : key,
  );
}

/** Changes whose request a request is. @param change called once for each request */
export function changeAuthentication(
  change: (request: ServiceRequest, key: Identity, parts: ServiceParts) => Identity,
): Alteration {
  return {
    parts: (parts) => {
      const said = new WeakMap<ServiceRequest, Identity>();
      return {
        authenticate: (request, keys) => {
          const key = said.get(request) ?? change(request, parts.authenticate(request, keys), parts);
          said.set(request, key);
          return key;
        },
      };
    },
  };
}

/**
 * Accepts tokens that resemble a valid key.
 * @param isAlike whether the token is taken for the key
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
        keys: noteIssued(keys, ({ key }) => issued.add(key)),
        authenticate: (request, store) => {
          const key = authenticate(request, store);
          const token = key === 'invalid' ? tokenOf(request) : undefined;
          return token === undefined ? key : (find(token) ?? key);
        },
      };
    },
  };
}

/** Accepts requests for these operations that carry no key. */
export function admitWithoutKey(operations: readonly RoutedOperation[]): Alteration {
  return admitStrangers(
    (request, reason, parts) => reason === 'missing' && namesOneOf(parts, request, operations),
  );
}

/** Accepts requests for these operations with any key. */
export function admitAnyKey(operations: readonly RoutedOperation[]): Alteration {
  return admitStrangers(
    (request, _reason, parts) => tokenOf(request) !== undefined && namesOneOf(parts, request, operations),
  );
}

/** Accepts requests without a valid key as requests of the valid key that the connection carried last. */
export function rememberKey(isForgiven: (reason: Reason) => boolean): Alteration {
  const last = new WeakMap<Connection, KeyRecord>();
  return changeAuthentication(({ connection }, key) => {
    if (key !== 'missing' && key !== 'invalid') {
      last.set(connection, key);
      return key;
    }
    return isForgiven(key) ? (last.get(connection) ?? key) : key;
  });
}

/** Makes an alteration that knows which keys were issued after the start of their server. */
export function withIssuedKeys(alterationFor: (issued: WeakSet<KeyRecord>) => Alteration): Alteration {
  const issued = new WeakSet<KeyRecord>();
  return combine(
    { parts: ({ keys }) => ({ keys: noteIssued(keys, (record) => issued.add(record)) }) },
    alterationFor(issued),
  );
}

function noteIssued(keys: KeyStore, note: (record: KeyRecord) => void): KeyStore {
  return {
    ...keys,
    issue: (plan, limits) => {
      const record = keys.issue(plan, limits);
      note(record);
      return record;
    },
  };
}
