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
} from '../../fixtures/corpora/index.ts';
import { sampleExchange } from '../oracle/exchange.test-data.ts';
import { followServerClock, newUsage, type Key, type RequestMessage } from '../oracle/index.ts';
import { beginHistory } from './history.ts';
import { undocumented, updateWithBody } from './http/operations.ts';

const STORE = storeForChecks();
const KNOWN = new Set(STORE.map(({ petId }) => petId));
const KEY: Key = {
  label: 'free#1',
  secret: 'free-Amber-Otter-q7RtVx2LkM',
  plan: 'free',
  limits: { perMinute: 60, perDay: 1000 },
  issued: true,
  usedToday: 0,
  usage: newUsage(),
};
const GOOD_BODY = '{"quantity":5}';

/** The requirements of which an answer to a request breaks one, in a store that is known. */
function brokenBy(request: RequestMessage, status: number, body?: JsonValue): readonly string[] {
  const history = beginHistory(followServerClock());
  history.learnKey(KEY);
  history.replacingInventory(0)(STORE, 1);
  const sent = history.requestSent(request, [`Bearer ${KEY.secret}`], 2);
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
  const accusations = sent.received(exchange).filter(({ by, holds }) => by === 'inventory-history' && !holds);
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

  const open = REQUEST_BODIES.filter(({ reading }) => reading.level === 'observe');

  test.each(open)('may be refused or accepted: $name', ({ body, quantity = 5n }) => {
    const request = updateWithBody(7n.toString(), body);
    expect(brokenBy(request, 400)).toEqual([]);
    expect(brokenBy(request, 200, itemOf(7n, quantity))).toEqual([]);
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
