import { SEED_KEYS, type SeedKey } from '../../fixtures/corpora/index.ts';
import { DAY_SECONDS, MINUTE_SECONDS } from '../../contract/plans.ts';
import type { Alteration } from '../alterations/alteration.ts';
import { changeAuthentication } from '../alterations/authentication.ts';
import { keyOf, stateOfEach, tokenOf } from '../alterations/requests.ts';
import { answerWhere } from '../alterations/responses.ts';
import { breaking } from './fault.ts';
import type { KeyRecord } from '../service/key-store.ts';
import type { ServiceRequest } from '../service/messages.ts';

const GRACE_SECONDS = 300;

const USES_UNTIL_KEPT = 4;
const USES_OF_A_HOT_KEY = 30;

/** The keys that were used on a connection, by their tokens. */
const usedOn = stateOfEach(() => new Map<string, KeyRecord>());

const everValid = stateOfEach(() => new Set(SEED_KEYS.map(({ key }) => key)));

function neverRevoked(seed: SeedKey): SeedKey {
  return { ...seed, revoked: false };
}

interface Revocation {
  readonly record: KeyRecord;
  /** Unix seconds. */
  readonly revokedAt: number;
  readonly wasAtLimit: boolean;
}

/** Accepts some requests with keys that were revoked while the service ran; seconds since then. */
function admitRevoked(
  isAdmitted: (request: ServiceRequest, seconds: number, wasAtLimit: boolean) => boolean,
): Alteration {
  return {
    parts: ({ keys, authenticate, clock, limiter }) => {
      const revocations = new Map<string, Revocation>();
      return {
        keys: {
          ...keys,
          revoke: (key) => {
            const record = keys.find(key);
            if (record !== undefined) {
              const revokedAt = clock.now();
              const wasAtLimit = !limiter.look(record, revokedAt).accepted;
              revocations.set(key, { record, revokedAt, wasAtLimit });
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
          return revocation !== undefined &&
            isAdmitted(request, clock.now() - revocation.revokedAt, revocation.wasAtLimit)
            ? revocation.record
            : key;
        },
      };
    },
  };
}

/** Knows a key by heart once it was used so often, whatever becomes of it. */
function keepAfter(enough: number): Alteration {
  const known = stateOfEach(() => new Map<string, { readonly record: KeyRecord; readonly uses: number }>());
  return changeAuthentication((request, key, parts) => {
    const token = tokenOf(request) ?? '';
    const memory = known(parts).get(token);
    if (key === 'missing' || key === 'invalid') {
      return memory !== undefined && memory.uses >= enough ? memory.record : key;
    }
    known(parts).set(token, { record: key, uses: (memory?.uses ?? 0) + 1 });
    return key;
  });
}

export const REVOKED_KEY_FAULTS = breaking('revoked-key', {
  'revoked-key-works-on': [
    'Revoking a key has no effect',
    { parts: ({ keys }) => ({ keys: { ...keys, revoke: (key) => keys.find(key) !== undefined } }) },
  ],
  'key-revoked-before-start': [
    'A key that was revoked before the start is accepted',
    {
      options: (options) => ({ ...options, keys: (options.keys ?? SEED_KEYS).map(neverRevoked) }),
    },
  ],
  'revoked-key-for-minutes': [
    'A revoked key is accepted for five more minutes',
    admitRevoked((_request, seconds) => seconds < GRACE_SECONDS),
  ],
  'revoked-key-after-a-minute': [
    'A revoked key is accepted again after a minute',
    admitRevoked((_request, seconds) => seconds > MINUTE_SECONDS),
  ],
  'revoked-key-after-a-day': [
    'A revoked key is accepted again after a day',
    admitRevoked((_request, seconds) => seconds > DAY_SECONDS),
  ],
  'revoked-key-that-was-at-its-limit': [
    'A key that was answered 429 is accepted after its revocation',
    admitRevoked((_request, _seconds, wasAtLimit) => wasAtLimit),
  ],
  'revoked-key-reads': ['A revoked key may still read', admitRevoked(({ method }) => method === 'GET')],
  'revoked-key-with-query': [
    'A revoked key is accepted if the path has a query string',
    admitRevoked(({ target }) => target.includes('?')),
    { excludes: ['query parameters'] },
  ],
  'revoked-key-used-often': [
    'A key that was used four times or more is accepted after its revocation',
    keepAfter(USES_UNTIL_KEPT),
  ],
  'revoked-key-used-thirty-times': [
    'A key that was used thirty times or more is accepted after its revocation',
    keepAfter(USES_OF_A_HOT_KEY),
  ],
  'revoked-key-on-its-connection': [
    'A revoked key is accepted on a connection on which it was used before',
    changeAuthentication((request, key) => {
      const token = tokenOf(request) ?? '';
      const records = usedOn(request.connection);
      if (key !== 'missing' && key !== 'invalid') {
        records.set(token, key);
      }
      return records.get(token) ?? key;
    }),
    { excludes: ['connections'] },
  ],
  'revoked-key-forbidden': [
    'A revoked key is answered 403',
    answerWhere(403, (_response, request, parts) => {
      const token = tokenOf(request) ?? '';
      if (keyOf(parts, request) !== undefined) {
        everValid(parts).add(token);
        return false;
      }
      return everValid(parts).has(token);
    }),
  ],
});
