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
 * @param failsAgain by how often it was tried
 */
async function lookFor(
  quantity: (pauses: number, requests: number) => number,
  seen: readonly string[] = [],
  failsAgain: (times: number) => boolean | null = () => true,
) {
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
    { signal, history: { ...ignoreHistory(), strangeChanges: () => ({ idle: seen, unexplained: 2 }) } },
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
  let times = 0;
  const foreign = await findForeignWrites([key], judged, client, transport, {
    pause: () => {
      pauses += 1;
      return Promise.resolve();
    },
    failsAgain: () => {
      times += 1;
      return Promise.resolve(failsAgain(times));
    },
  });
  return { foreign, outcomes: judged.map((judgement) => withoutForeignWrites(judgement, foreign).outcome) };
}

test('an inventory that others write to is told, and leaves open only what that may explain', async () => {
  expect(await lookFor((pauses) => 10 + pauses)).toEqual({
    foreign: {
      claim: 'Somebody else seems to write to the inventory at the same time',
      because: 'pet 2 went from 10 to 11, and then pet 2 went from 11 to 12 while this run sent nothing',
    },
    outcomes: ['inconclusive', 'inconclusive', 'fail'],
  });
});

test.each([false, null])(
  'others may write now and then, whether the checks ran again (%s) or not',
  async (fails) => {
    expect(
      await lookFor(
        (pauses) => 10 + Math.floor(pauses / 2),
        [],
        () => fails,
      ),
    ).toMatchObject({
      outcomes: ['inconclusive', 'inconclusive', 'fail'],
    });
  },
);

test('what fails once, but not when it is tried again, may be the writes of somebody who has stopped', async () => {
  const claim = 'Somebody else may have written to the inventory at the same time';
  const left = { foreign: { claim }, outcomes: ['inconclusive', 'inconclusive', 'fail'] };
  expect(
    await lookFor(
      () => 10,
      [],
      () => false,
    ),
  ).toMatchObject(left);
  // Two runs that began together may disturb each other once more.
  expect(
    await lookFor(
      () => 10,
      [],
      (times) => times === 1,
    ),
  ).toMatchObject(left);
  expect(
    await lookFor(
      () => 10,
      [],
      (times) => times % 2 === 0,
    ),
  ).toMatchObject({ foreign: null });
  expect(
    await lookFor(
      () => 10,
      [],
      () => null,
    ),
  ).toMatchObject({ foreign: null });
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
  expect(await lookFor(() => 10, [...once, 'pet 1 went from 5 sold to 6'])).toMatchObject({
    foreign: {
      because:
        'pet 2 went from 3 sold to 4, and then pet 1 went from 5 sold to 6 while this run sent nothing',
    },
    outcomes: ['inconclusive', 'inconclusive', 'fail'],
  });
});
