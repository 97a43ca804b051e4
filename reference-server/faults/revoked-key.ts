import { SEED_KEYS, type SeedKey } from '../../fixtures/corpora/index.ts';
import type { Alteration } from '../alterations/alteration.ts';
import { changeAuthentication } from '../alterations/authentication.ts';
import { keyOf, tokenOf } from '../alterations/requests.ts';
import { changeResponses, withStatus } from '../alterations/responses.ts';
import type { Fault } from './fault.ts';
import type { KeyRecord } from '../service/key-store.ts';
import type { Connection, ServiceRequest } from '../service/messages.ts';
import type { ServiceParts } from '../service/service.ts';

const GRACE_SECONDS = 300;

const USES_UNTIL_KEPT = 4;
const USES_OF_A_HOT_KEY = 30;

function neverRevoked(seed: SeedKey): SeedKey {
  return { ...seed, revoked: false };
}

interface Revocation {
  readonly record: KeyRecord;
  /** Unix seconds. */
  readonly revokedAt: number;
}

/** Accepts some requests with keys that were revoked while the service ran. */
function admitRevoked(
  start: (parts: ServiceParts) => (request: ServiceRequest, revocation: Revocation) => boolean,
): Alteration {
  return {
    parts: (parts) => {
      const { keys, authenticate, clock } = parts;
      const isAdmitted = start(parts);
      const revocations = new Map<string, Revocation>();
      return {
        keys: {
          ...keys,
          revoke: (key) => {
            const record = keys.find(key);
            if (record !== undefined) {
              revocations.set(key, { record, revokedAt: clock.now() });
            }
            return keys.revoke(key);
          },
          reset: () => {
            revocations.clear();
            keys.reset();
          },
        },
        authenticate: (request, store) => {
          const key = authenticate(request, store);
          const revocation = key === 'invalid' ? revocations.get(tokenOf(request) ?? '') : undefined;
          return revocation !== undefined && isAdmitted(request, revocation) ? revocation.record : key;
        },
      };
    },
  };
}

/** Knows a key by heart once it was used so often, whatever becomes of it. */
function keepAfter(enough: number): Alteration {
  return changeAuthentication(() => {
    const uses = new Map<string, number>();
    const records = new Map<string, KeyRecord>();
    return (request, key) => {
      const token = tokenOf(request) ?? '';
      if (key === 'missing' || key === 'invalid') {
        return (uses.get(token) ?? 0) >= enough ? (records.get(token) ?? key) : key;
      }
      uses.set(token, (uses.get(token) ?? 0) + 1);
      records.set(token, key);
      return key;
    };
  });
}

export const REVOKED_KEY_FAULTS: readonly Fault[] = [
  {
    id: 'revoked-key-works-on',
    title: 'Revoking a key has no effect',
    breaks: 'revoked-key',
    alter: { parts: ({ keys }) => ({ keys: { ...keys, revoke: (key) => keys.find(key) !== undefined } }) },
  },
  {
    id: 'key-revoked-before-start',
    title: 'A key that was revoked before the start is accepted',
    breaks: 'revoked-key',
    alter: {
      options: (options) => ({
        ...options,
        keys: (options.keys ?? SEED_KEYS).map(neverRevoked),
      }),
    },
  },
  {
    id: 'revoked-key-for-minutes',
    title: 'A revoked key is accepted for five more minutes',
    breaks: 'revoked-key',
    alter: admitRevoked(
      ({ clock }) =>
        (_request, { revokedAt }) =>
          clock.now() < revokedAt + GRACE_SECONDS,
    ),
  },
  {
    id: 'revoked-key-reads',
    title: 'A revoked key may still read',
    breaks: 'revoked-key',
    alter: admitRevoked(
      () =>
        ({ method }) =>
          method === 'GET',
    ),
  },
  {
    id: 'revoked-key-with-query',
    title: 'A revoked key is accepted if the path has a query string',
    breaks: 'revoked-key',
    excludes: ['query parameters'],
    alter: admitRevoked(
      () =>
        ({ target }) =>
          target.includes('?'),
    ),
  },
  {
    id: 'revoked-key-used-often',
    title: 'A key that was used four times or more is accepted after its revocation',
    breaks: 'revoked-key',
    alter: keepAfter(USES_UNTIL_KEPT),
  },
  {
    id: 'revoked-key-used-thirty-times',
    title: 'A key that was used thirty times or more is accepted after its revocation',
    breaks: 'revoked-key',
    alter: keepAfter(USES_OF_A_HOT_KEY),
  },
  {
    id: 'revoked-key-on-its-connection',
    title: 'A revoked key is accepted on a connection on which it was used before',
    breaks: 'revoked-key',
    excludes: ['connections'],
    alter: {
      parts: ({ authenticate }) => {
        const used = new WeakMap<Connection, Map<string, KeyRecord>>();
        return {
          authenticate: (request, keys) => {
            const token = tokenOf(request) ?? '';
            const records = used.get(request.connection) ?? new Map<string, KeyRecord>();
            used.set(request.connection, records);
            const key = authenticate(request, keys);
            if (key !== 'missing' && key !== 'invalid') {
              records.set(token, key);
            }
            return records.get(token) ?? key;
          },
        };
      },
    },
  },
  {
    id: 'revoked-key-forbidden',
    title: 'A revoked key is answered 403',
    breaks: 'revoked-key',
    alter: changeResponses((parts) => {
      const known = new Set(SEED_KEYS.map(({ key }) => key));
      return (response, request) => {
        const token = tokenOf(request) ?? '';
        if (keyOf(parts, request) !== undefined) {
          known.add(token);
          return response;
        }
        return known.has(token) ? withStatus(response, 403) : response;
      };
    }),
  },
];
