import { createServer } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';

import { listenForTest } from '../../fixtures/loopback.test-data.ts';
import { freeKey } from '../oracle/monitors/watch.test-data.ts';
import {
  type ConnectionPool,
  createTargetClient,
  listInventory,
  NoResponse,
  openConnections,
  performExchange,
  type TargetClient,
  undocumented,
} from '../target/index.ts';
import { judgeDropped, judgeEnd } from './dropped-request.ts';

const NOBODY = { authorization: [], labels: [] };
const KEY = freeKey();

const silenceOf = ({ history }: TargetClient): NoResponse =>
  new NoResponse('GET /inventory got no HTTP response in 3 tries', {
    ending: 'silent',
    code: 'HEAD_TIMEOUT',
    request: 'GET /inventory',
    sent: listInventory(),
    wasAlone: true,
    wasAmongDocumented: true,
    tell: history.requestSent(listInventory(), [], 0).unanswered,
  });

interface Scene {
  readonly client: TargetClient;
  readonly connect: () => ConnectionPool;
}

/** A target that answers only what it grants. */
async function startSilentIfRefused(): Promise<Scene> {
  const server = createServer((request, response) => {
    if (request.headers.authorization === `Bearer ${KEY.secret}`) {
      response.end('[]');
    }
  });
  const origin = `http://127.0.0.1:${await listenForTest(server)}`;
  const { signal } = new AbortController();
  const pools: ConnectionPool[] = [];
  onTestFinished(async () => {
    await Promise.all(pools.map((pool) => pool.destroy()));
  });
  return {
    client: createTargetClient({ origin, basePath: '', headers: [] }, { signal }),
    connect: () => {
      const transport = { timeoutMilliseconds: 100, insecure: false, certificateAuthority: null };
      const pool = openConnections(origin, 1, transport);
      pools.push(pool);
      return pool;
    },
  };
}

test('a silence is a failure if the list is answered meanwhile, and the next one is not waited for as long', async () => {
  const { client, connect } = await startSilentIfRefused();
  const tries = async (): Promise<unknown> =>
    performExchange(client, connect(), listInventory(), NOBODY).catch((error: unknown) => error);
  expect(await tries()).toMatchObject({ message: expect.stringContaining('in 3 tries') });
  expect(await judgeDropped({ client, connect, key: KEY }, silenceOf(client))).toBe(true);
  expect(client.judgements.judgementOf('missing-key')).toMatchObject({ outcome: 'fail' });
  expect(await tries()).toMatchObject({ message: expect.stringContaining('in 1 try') });
});

test('a silence is no failure if nothing is answered', async () => {
  const { client, connect } = await startSilentIfRefused();
  expect(await judgeDropped({ client, connect, key: undefined }, silenceOf(client))).toBe(false);
  expect(client.judgements.judgementOf('missing-key').outcome).not.toBe('fail');
});

test('a request that need not be answered takes the blame for the end of a target from no other', async () => {
  const { client, connect } = await startSilentIfRefused();
  const sent = undocumented('GET', '/stockcheck');
  const { tell } = silenceOf(client);
  const end = { ending: 'gone', code: 'ECONNREFUSED', request: 'GET /stockcheck', sent } as const;
  const ofAnother = new NoResponse('GET /stockcheck got no HTTP response in 3 tries', {
    ...end,
    wasAlone: true,
    wasAmongDocumented: true,
    tell: client.history.requestSent(sent, [], 0).unanswered,
  });
  expect(await judgeDropped({ client, connect, key: undefined }, ofAnother)).toBe(false);
  client.losses.suspect = new NoResponse('GET /inventory got no HTTP response in 3 tries', {
    ...end,
    sent: listInventory(),
    wasAlone: true,
    wasAmongDocumented: true,
    tell,
  });
  judgeEnd(client);
  expect(client.judgements.judgementOf('missing-key')).toMatchObject({ outcome: 'fail' });
});
