import { randomBytes } from 'node:crypto';

import type { Alteration } from '../alterations/alteration.ts';
import { handleRequests } from '../alterations/responses.ts';
import type { Authenticator } from '../service/authenticator.ts';
import { headerOf, withoutHeader, type ServiceRequest } from '../service/messages.ts';
import type { KeyRecord, KeyStore } from '../service/key-store.ts';
import { permitting } from './variant.ts';

function challenging(...challenges: readonly string[]): Alteration {
  return {
    answers: ({ unauthorized }) => ({
      unauthorized: (reason) => {
        const bare = withoutHeader(unauthorized(reason), 'WWW-Authenticate');
        return {
          ...bare,
          headers: [...bare.headers, ...challenges.flatMap((value) => ['WWW-Authenticate', value])],
        };
      },
    }),
  };
}

function authenticating(start: (authenticate: Authenticator) => Authenticator): Alteration {
  return { parts: ({ authenticate }) => ({ authenticate: start(authenticate) }) };
}

function withoutTextBehindKey(request: ServiceRequest): ServiceRequest {
  const { headers } = request;
  return {
    ...request,
    headers: headers.map((text, index) =>
      index % 2 === 1 && headers[index - 1]?.toLowerCase() === 'authorization'
        ? text.replace(/^(?<key>Bearer +\S+) .*$/i, '$<key>')
        : text,
    ),
  };
}

interface Issued {
  readonly record: KeyRecord;
  /** The key by which the wrapped store knows it. */
  readonly inner: string;
}

/** Gives issued keys another form; keys of the start keep theirs. */
function issuing(makeKey: () => string): Alteration {
  function wrap(keys: KeyStore): KeyStore {
    const issued = new Map<string, Issued>();
    const hidden = new Set<string>();
    return {
      ...keys,
      find: (key) => {
        const found = issued.get(key);
        if (found === undefined) {
          return hidden.has(key) ? undefined : keys.find(key);
        }
        return keys.find(found.inner) === undefined ? undefined : found.record;
      },
      issue: (plan, limits) => {
        const inner = keys.issue(plan, limits);
        const record = { ...inner, key: makeKey() };
        issued.set(record.key, { record, inner: inner.key });
        hidden.add(inner.key);
        return record;
      },
      revoke: (key) => keys.revoke(issued.get(key)?.inner ?? key),
      reset: () => {
        issued.clear();
        hidden.clear();
        keys.reset();
      },
    };
  }
  return { parts: ({ keys }) => ({ keys: wrap(keys) }) };
}

function randomDigits(count: number): string {
  return Array.from(randomBytes(count), (byte) => byte % 10).join('');
}

export const AUTHENTICATION_VARIANTS = permitting({
  'challenge of a 401': {
    'no-challenge': ['A 401 has no WWW-Authenticate', challenging()],
    'several-challenge-fields': [
      'A 401 has several WWW-Authenticate fields',
      challenging('Basic realm="b"', 'Bearer error="invalid_token"'),
    ],
  },
  'letter-case of the scheme': {
    'bearer-in-exact-letter-case': [
      'The scheme is accepted only as Bearer, in exactly this letter-case',
      authenticating((authenticate) => (request, keys) => {
        const value = headerOf(request, 'Authorization');
        return value === undefined || value.startsWith('Bearer ') ? authenticate(request, keys) : 'invalid';
      }),
    ],
  },
  'key elsewhere': {
    'key-in-a-header-of-its-own': [
      'Without Authorization, a key in X-API-Key is accepted',
      authenticating((authenticate) => (request, keys) => {
        const result = authenticate(request, keys);
        const key = result === 'missing' ? headerOf(request, 'X-API-Key') : undefined;
        return key === undefined ? result : (keys.find(key) ?? 'invalid');
      }),
    ],
  },
  'text behind the key': {
    'text-behind-the-key-ignored': [
      'Text behind the key is ignored',
      authenticating((authenticate) => (request, keys) => authenticate(withoutTextBehindKey(request), keys)),
    ],
  },
  'form of issued keys': {
    'short-keys': ['Issued keys have eight characters', issuing(() => randomBytes(6).toString('base64url'))],
    'keys-with-punctuation': [
      'Issued keys contain all punctuation that a bearer token may have',
      issuing(() => {
        const body = randomBytes(16).toString('base64url');
        return `sk~live+${body.slice(0, 11)}/-._~+/${body.slice(11)}==`;
      }),
    ],
    'keys-of-digits': ['Issued keys are digits', issuing(() => randomDigits(24))],
  },
  'malformed requests': {
    'two-authorization-fields-400': [
      'Two Authorization fields are answered 400 in HTML, without rate limit headers, as by a gateway',
      handleRequests((request, service) => {
        const fields = request.headers.filter(
          (name, index) => index % 2 === 0 && name.toLowerCase() === 'authorization',
        );
        return fields.length > 1
          ? { status: 400, headers: ['Content-Type', 'text/html'], body: '<h1>Bad Request</h1>' }
          : service.respond(request);
      }),
    ],
    'fields-of-gateways-403': [
      'A request with a field that a gateway sets itself is answered 403 in text, without rate limit headers',
      handleRequests((request, service) =>
        headerOf(request, 'CF-Connecting-IP') === undefined && headerOf(request, 'X-Api-Key') === undefined
          ? service.respond(request)
          : { status: 403, headers: ['Content-Type', 'text/plain'], body: 'error code: 1000\n' },
      ),
    ],
  },
});
