import { expect, test } from 'vitest';
import { startHttpServer } from '../../../fixtures/loopback.test-data.ts';
import { rateLimitFields } from '../../oracle/exchange.test-data.ts';
import { findForeignUse, withoutForeignUse, type ForeignUse } from './foreign-use.ts';
import { openConnections } from '../http/http-transport.ts';
import { freeKey } from '../../oracle/monitors/watch.test-data.ts';
import { addressOf, createTargetClient } from '../http/target-client.ts';
import { listInventory } from '../http/operations.ts';
import { evidence } from '../http/evidence.ts';
import { performExchange } from '../http/perform-exchange.ts';

/** Starts a service of one key whose Remaining falls by so much with each request. */
async function startCounter(fallsBy: (request: number) => number): Promise<string> {
  let remaining = 60;
  let requests = 0;
  return startHttpServer((_, response) => {
    requests += 1;
    remaining -= fallsBy(requests);
    response.writeHead(200, rateLimitFields(60, remaining, 1_790_000_060).flat()).end('[]');
  });
}

/** Has a key blamed for its Remaining, and looks whether others use it. @param others requests that they send in a pause */
async function lookFor(url: string, others: number, issued = false) {
  const { signal } = new AbortController();
  const client = createTargetClient({ ...addressOf(url), headers: [] }, { signal });
  const { judgements } = client;
  const transport = { timeoutMilliseconds: 5_000, insecure: false, certificateAuthority: null };
  const key = freeKey({ issued });
  const pool = openConnections(client.origin, 1, transport);
  const exchange = await performExchange(client, pool, listInventory(), { key });
  await pool.destroy();
  judgements.fail('check', 'minute-limit-free', evidence(client, 'Granted only 57 of 60.', exchange));
  judgements.fail('check', 'item-status', evidence(client, 'The status is "gone".', exchange));
  const judged = (foreign: ForeignUse) =>
    (['minute-limit-free', 'item-status'] as const).map(
      (id) => withoutForeignUse(judgements.judgementOf(id), foreign).outcome,
    );
  const foreign = await findForeignUse(
    [key],
    [judgements.judgementOf('minute-limit-free')],
    client,
    transport,
    async () => {
      for (let sent = 0; sent < others; sent += 1) {
        await (await fetch(`${url}/inventory`)).text();
      }
    },
  );
  return { found: [...foreign.keys()], outcomes: judged(foreign) };
}

test('a key that others use meanwhile is told, and leaves open only what they may explain', async () => {
  const url = await startCounter(() => 1);
  expect(await lookFor(url, 3)).toEqual({ found: ['free#1'], outcomes: ['inconclusive', 'fail'] });
});

test.each([
  ['falls by two with each request', () => 2],
  ['falls by two with every fifth request', (request: number) => (request % 5 === 0 ? 2 : 1)],
  ['does not fall', () => 0],
  ['rises', () => -1],
])('a Remaining that %s is not taken for the use of others', async (_how, fallsBy) => {
  expect(await lookFor(await startCounter(fallsBy), 0)).toEqual({ found: [], outcomes: ['fail', 'fail'] });
});

test('nobody else has a key that was issued for the run', async () => {
  const url = await startCounter(() => 1);
  expect(await lookFor(url, 3, true)).toEqual({ found: [], outcomes: ['fail', 'fail'] });
});
