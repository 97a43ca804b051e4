import { expect, test } from 'vitest';
import { startHttpServer } from '../../../fixtures/loopback.test-data.ts';
import { rateLimitFields } from '../../oracle/exchange.test-data.ts';
import { freeKey } from '../../oracle/monitors/watch.test-data.ts';
import { evidence } from '../http/evidence.ts';
import { openConnections } from '../http/http-transport.ts';
import { listInventory } from '../http/operations.ts';
import { performExchange } from '../http/perform-exchange.ts';
import { ignoreHistory } from '../history.ts';
import { addressOf, createTargetClient } from '../http/target-client.ts';
import { findForeignWrites, withoutForeignWrites } from './foreign-writes.ts';

/**
 * Has failures seen in a store of two pets, and looks whether others write to it.
 * @param quantity of the second pet, by pauses and requests
 * @param seen what changed before while nothing was sent
 */
async function lookFor(quantity: (pauses: number, requests: number) => number, seen: readonly string[] = []) {
  let pauses = 0;
  let requests = 0;
  const url = await startHttpServer((_, response) => {
    requests += 1;
    const items = [
      { petId: 1, quantity: 4, status: 'sold' },
      { petId: 2, quantity: quantity(pauses, requests), status: 'sold' },
    ];
    const fields = rateLimitFields(60, 60 - requests, Math.ceil(Date.now() / 1000) + 60);
    response.writeHead(200, [...fields.flat(), 'Content-Type', 'application/json']);
    response.end(JSON.stringify(items));
  });
  const { signal } = new AbortController();
  const client = createTargetClient(
    { ...addressOf(url), headers: [] },
    { signal, history: { ...ignoreHistory(), foreignWrites: () => seen } },
  );
  const { judgements } = client;
  const transport = { timeoutMilliseconds: 5_000, insecure: false, certificateAuthority: null };
  const key = freeKey({ issued: false });
  const pool = openConnections(client.origin, 1, transport);
  const exchange = await performExchange(client, pool, listInventory(), { key });
  await pool.destroy();
  const ids = ['update-persists', 'refused-changes-nothing', 'item-status'] as const;
  for (const id of ids) {
    judgements.fail('check', id, evidence(client, 'Pet 1 is not as it was.', exchange));
  }
  const judged = ids.map((id) => judgements.judgementOf(id));
  const foreign = await findForeignWrites([key], judged, client, transport, () => {
    pauses += 1;
    return Promise.resolve();
  });
  return { foreign, outcomes: judged.map((judgement) => withoutForeignWrites(judgement, foreign).outcome) };
}

test('an inventory that others write to is told, and leaves open only what that may explain', async () => {
  expect(await lookFor((pauses) => 10 + pauses)).toEqual({
    foreign: 'pet 2 went from 10 to 11, and then pet 2 went from 11 to 12 while this run sent nothing',
    outcomes: ['inconclusive', 'inconclusive', 'fail'],
  });
});

test('others may write now and then', async () => {
  expect(await lookFor((pauses) => 10 + Math.floor(pauses / 2))).toMatchObject({
    outcomes: ['inconclusive', 'inconclusive', 'fail'],
  });
});

test.each([
  ['stays', () => 10],
  ['is carried out late once', (pauses: number) => (pauses < 1 ? 10 : 20)],
  ['goes back and forth', (pauses: number) => 10 + (pauses % 2)],
  ['is another in each list', (_: number, requests: number) => 10 + requests],
])('a quantity that %s is not taken for the writes of others', async (_how, quantity) => {
  expect(await lookFor(quantity)).toEqual({ foreign: null, outcomes: ['fail', 'fail', 'fail'] });
});

test('what changed in the run while nothing was sent tells as much, if it happened twice', async () => {
  const once = ['pet 2 went from 3 sold to 4'];
  expect((await lookFor(() => 10, once)).outcomes).toEqual(['fail', 'fail', 'fail']);
  expect(await lookFor(() => 10, [...once, 'pet 1 went from 5 sold to 6'])).toEqual({
    foreign: 'pet 2 went from 3 sold to 4, and then pet 1 went from 5 sold to 6 while this run sent nothing',
    outcomes: ['inconclusive', 'inconclusive', 'fail'],
  });
});
