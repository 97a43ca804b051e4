import { describe, expect, test } from 'vitest';
import type { Explanation } from '../../contract/verdict.ts';
import { stringifyJson, type JsonValue } from '../../contract/json/index.ts';
import {
  ODD_PET_IDS,
  pathSpellings,
  REQUEST_BODIES,
  storeForChecks,
  unknownPets,
  unknownPetsNotPositive,
  credentialVariants,
  type CredentialVariant,
} from '../../fixtures/corpora/index.ts';
import { sampleExchange } from '../oracle/exchange.test-data.ts';
import {
  followServerClock,
  NEVER_MATCHING,
  type RequestMessage,
  readCredential,
  type Credential,
  type KnownSecret,
  type Presented,
} from '../oracle/index.ts';
import { freeKey } from '../oracle/monitors/watch.test-data.ts';
import { beginHistory } from './history.ts';
import { listInventory, undocumented, updateWithBody, withFields } from './http/operations.ts';

const STORE = storeForChecks();
const KNOWN = new Set(STORE.map(({ petId }) => petId));
const KEY = freeKey({ secret: 'free-Amber-Otter-q7RtVx2LkM' });
const GOOD_BODY = '{"quantity":5}';

/** The requirements of which an answer to a request breaks one, in a store that is known. */
function brokenBy(request: RequestMessage, status: number, body?: JsonValue): readonly string[] {
  const { tell } = beginHistory(followServerClock());
  const authorization = [`Bearer ${KEY.secret}`];
  tell({ type: 'key-known', key: KEY });
  tell({ type: 'inventory-replacement-begun', at: 0 });
  tell({ type: 'inventory-replaced', items: STORE, from: 0, at: 1 });
  tell({ type: 'request-sent', id: 1, request, authorization, spender: KEY, at: 2 });
  const exchange = sampleExchange({
    operation: request.operation,
    method: request.method,
    path: `/v1${request.path}`,
    requestHeaders: request.headers,
    requestBody: request.body,
    key: KEY.label,
    status,
    headers: [['Content-Type', 'application/json']],
    body: body === undefined ? '' : stringifyJson(body),
    sentAt: 2,
    receivedAt: 3,
  });
  const said = tell({ type: 'response-received', id: 1, exchange });
  const accusations = said.filter(({ by, holds }) => by === 'inventory-history' && !holds);
  const explanations: readonly Explanation[] = accusations.flatMap((one) => [one, one.others ?? []].flat());
  return explanations.map(({ id }) => id);
}

function itemOf(petId: bigint, quantity: bigint): JsonValue {
  return { petId, quantity, status: 'available' };
}

describe('each body of the corpus', () => {
  const must = REQUEST_BODIES.filter(({ reading }) => reading.level === 'must');

  test.each(must)('has to be refused: $name', ({ body, reading }) => {
    const request = updateWithBody(7n.toString(), body);
    expect(brokenBy(request, 400)).toEqual([]);
    for (const status of [200, 204, 422, 500]) {
      expect(brokenBy(request, status)).toEqual([reading.requirement]);
    }
  });

  test('a server may ask for the length of a body that there is not, and of no other', () => {
    expect(brokenBy(updateWithBody('7', null), 411)).toEqual([]);
    expect(brokenBy(updateWithBody('7', ''), 411)).toEqual(['update-malformed-body']);
  });

  const open = REQUEST_BODIES.filter(({ reading }) => reading.level === 'observe');

  test.each(open)('may be refused or accepted: $name', ({ body, quantity = 5n }) => {
    const request = updateWithBody(7n.toString(), body);
    expect(brokenBy(request, 400)).toEqual([]);
    expect(brokenBy(request, 200, itemOf(7n, quantity))).toEqual([]);
  });
});

function withConditions(fields: Readonly<Record<string, string>>): RequestMessage {
  return { ...listInventory(), headers: Object.entries(fields) };
}

describe('a request with other fields than usual', () => {
  const inChunks = withFields(updateWithBody('7', GOOD_BODY), [['Transfer-Encoding', 'chunked']]);
  const withCharset: RequestMessage = {
    ...updateWithBody('7', GOOD_BODY),
    headers: [['Content-Type', 'application/json; charset=utf-8']],
  };

  test.each<[string, RequestMessage, number, readonly string[]]>([
    ['a body in chunks may be refused without its length', inChunks, 411, []],
    ['a parameter makes no other media type', withCharset, 415, ['update-succeeds']],
    [
      'a type that is acceptable at all',
      withConditions({ Accept: 'application/json;q=0.9' }),
      406,
      ['list-succeeds'],
    ],
    ['a type that is not acceptable', withConditions({ Accept: 'application/json;q=0' }), 406, []],
    ['HTTP/1.0', { ...listInventory(), isHttp10: true }, 505, []],
    ['a tag that was never given', withConditions(NEVER_MATCHING), 304, ['list-succeeds']],
    ['a tag that may have been given', withConditions({ 'If-None-Match': '"1"' }), 304, []],
  ])('is judged by what that leaves of its meaning: %s', (_name, request, status, broken) => {
    expect(brokenBy(request, status)).toEqual(broken);
  });

  test('is an update if it is accepted in chunks', () => {
    expect(brokenBy(inChunks, 200, itemOf(7n, 5n))).toEqual([]);
    expect(brokenBy(inChunks, 200, itemOf(7n, 6n))).not.toEqual([]);
    expect(brokenBy({ ...inChunks, body: '{}' }, 200)).toEqual(['update-missing-quantity']);
  });
});

describe('each path of the corpora', () => {
  test.each([...pathSpellings('7'), ...ODD_PET_IDS])('may be served or not: $name', ({ method, path }) => {
    const request = undocumented(method, path, method === 'PATCH' ? GOOD_BODY : null);
    const isUnknownPet = /^\/inventory\/(?:-1|0|-9223372036854775808)$/.test(path);
    expect(brokenBy(request, 404)).toEqual([]);
    expect(brokenBy(request, 400)).toEqual([]);
    expect(brokenBy(request, 200)).toEqual(isUnknownPet ? ['update-exact-pet', 'update-unknown-pet'] : []);
  });

  test.each([...unknownPets(KNOWN)])('is of no pet: $name', ({ path }) => {
    const request = updateWithBody(path.replace('/inventory/', ''), GOOD_BODY);
    expect(brokenBy(request, 404)).toEqual([]);
    expect(brokenBy(request, 400)).toEqual(['update-unknown-pet']);
    expect(brokenBy(request, 500)).toEqual(['update-unknown-pet']);
    const isLarge = BigInt(path.replace('/inventory/', '')) >= 2n ** 31n;
    expect(brokenBy(request, 200)).toEqual(['update-unknown-pet', ...(isLarge ? ['update-exact-pet'] : [])]);
  });

  test.each([...unknownPetsNotPositive(KNOWN, 7n)])('is of no pet, in any refusal: $name', ({ path }) => {
    const request = updateWithBody(path.replace('/inventory/', ''), GOOD_BODY);
    expect(brokenBy(request, 404)).toEqual([]);
    expect(brokenBy(request, 400)).toEqual([]);
    expect(brokenBy(request, 200)).toEqual(['update-exact-pet', 'update-unknown-pet']);
  });
});

type InvalidKey = Extract<Credential, { readonly kind: 'invalid' }>['requirement'];

const GOOD = KEY.secret;
const SECRETS: ReadonlyMap<string, KnownSecret> = new Map<string, KnownSecret>([
  [GOOD, { label: 'free#1', state: 'valid' }],
  ['pro-Delta-Lynx-m5XsQa6HvR', { label: 'pro#1', state: 'valid' }],
  ['revoked-Grove-Raven-y3HmDu9ZbF', { label: 'free#2', state: 'revoked' }],
  ['doubtful-Finch-Heron-w4NzPc8JdS', { label: 'free#3', state: 'doubtful' }],
]);

const read = (authorization: readonly string[], elsewhere: Presented['elsewhere'] = ['/inventory']) =>
  readCredential({ authorization, elsewhere }, SECRETS);

/** By value nobody can tell in which way a key was altered. */
function readingsOf({ reading, isMalformed }: CredentialVariant): readonly Credential[] {
  const invalid = (...requirements: readonly InvalidKey[]): readonly Credential[] =>
    requirements.map((requirement) =>
      isMalformed === true ? { kind: 'invalid', requirement, isMalformed } : { kind: 'invalid', requirement },
    );
  switch (reading.requirement) {
    case 'missing-key':
      return [{ kind: 'missing' }];
    case 'unknown-key':
      return invalid('unknown-key', 'altered-key');
    case 'altered-key':
      return invalid(reading.requirement);
    case 'bearer-scheme':
      return [{ kind: 'invalid', requirement: 'bearer-scheme', holds: 'free#1' }];
    case 'bearer-any-case':
      return [{ kind: 'open', key: 'free#1', isOnlyLetterCase: true }];
    default:
      return [{ kind: 'open', key: 'free#1' }];
  }
}

describe.each([GOOD, 'k12', 'sk~live+a/-._~+/b==', '123456789012345678901234', 'aB3-xY9_'])(
  'each spelling of the corpus with key %s',
  (key) => {
    const secrets = new Map([[key, { label: 'free#1', state: 'valid' } as const]]);
    const variants = credentialVariants(key, [key]);

    test.each(variants.map((variant) => [variant.name, variant] as const))(
      '%s is read as the corpus does',
      (_name, variant) => {
        const credential = readCredential({ authorization: variant.authorization, elsewhere: [] }, secrets);
        expect(readingsOf(variant)).toContainEqual(credential);
      },
    );
  },
);

describe('a key', () => {
  test('is valid, revoked, or one of which that is not known', () => {
    expect(read([`Bearer ${GOOD}`])).toEqual({ kind: 'valid', key: 'free#1' });
    expect(read(['Bearer revoked-Grove-Raven-y3HmDu9ZbF'])).toEqual({
      kind: 'invalid',
      requirement: 'revoked-key',
    });
    expect(read(['Bearer doubtful-Finch-Heron-w4NzPc8JdS'])).toEqual({ kind: 'open', key: 'free#3' });
  });

  test('that is revoked is none in any spelling', () => {
    expect(read(['bearer  revoked-Grove-Raven-y3HmDu9ZbF'])).toMatchObject({
      kind: 'invalid',
      requirement: 'revoked-key',
    });
  });

  test('may stand elsewhere, if nobody says that it is looked for', () => {
    expect(read([], [`/inventory?api_key=${GOOD}`])).toEqual({ kind: 'open', key: 'free#1' });
    expect(read(['Bearer nobody'], ['/inventory', GOOD])).toEqual({ kind: 'open', key: 'free#1' });
    expect(read([`Bearer ${GOOD}`], [GOOD])).toEqual({ kind: 'valid', key: 'free#1' });
  });

  test('is itself, though another key is a part of it', () => {
    const secrets = new Map<string, KnownSecret>(
      ['acme', 'acme-2'].map((secret, index) => [secret, { label: `free#${index + 1}`, state: 'valid' }]),
    );
    const readAll = (authorization: readonly string[], elsewhere: readonly string[] = []) =>
      readCredential({ authorization, elsewhere }, secrets);
    expect(readAll(['Bearer acme-2', 'Bearer acme-2'])).toEqual({ kind: 'open', key: 'free#2' });
    expect(readAll(['Basic acme-2'])).toMatchObject({ kind: 'invalid', holds: 'free#2' });
    expect(readAll([], ['/inventory?key=acme-2'])).toEqual({ kind: 'open', key: 'free#2' });
  });

  test('of few characters without its last one may be another key', () => {
    const secrets = new Map([['key1', { label: 'free#1', state: 'valid' } as const]]);
    expect(readCredential({ authorization: ['Bearer key'], elsewhere: [] }, secrets)).toEqual({
      kind: 'open',
      key: null,
    });
  });
});
