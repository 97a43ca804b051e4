import { createServer } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';

import { listenForTest } from '../../fixtures/loopback.test-data.ts';
import { freeKey } from '../oracle/monitors/watch.test-data.ts';
import {
  addressOf,
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

/** A request that got no response, as if each of its tries had taken as long as it does by default. */
async function silenceOf({ client, connect }: Scene): Promise<NoResponse> {
  const error: unknown = await performExchange(client, connect(), listInventory(), NOBODY).catch(
    (reason: unknown) => reason,
  );
  if (error instanceof NoResponse) {
    return Object.assign(error, { ending: 'silent', wasAlone: true } as const);
  }
  throw new Error(`There was a response, or another error: ${String(error)}`);
}

interface Scene {
  readonly client: TargetClient;
  readonly connect: () => ConnectionPool;
}

/** A target that answers what it grants, and other requests from one of them on. */
async function startSilentIfRefused(answersFrom = Infinity): Promise<Scene> {
  let refused = 0;
  const server = createServer((request, response) => {
    const isGranted = request.headers.authorization === `Bearer ${KEY.secret}`;
    refused += isGranted ? 0 : 1;
    if (isGranted || refused >= answersFrom) {
      response.end('[]');
    }
  });
  const origin = `http://127.0.0.1:${await listenForTest(server)}`;
  const pools: ConnectionPool[] = [];
  onTestFinished(async () => {
    await Promise.all(pools.map((pool) => pool.destroy()));
  });
  return {
    client: createTargetClient(addressOf(origin)),
    connect: () => {
      const transport = { timeoutMilliseconds: 100, insecure: false, certificateAuthority: null };
      const pool = openConnections(origin, 1, transport);
      pools.push(pool);
      return pool;
    },
  };
}

test('a silence is a failure if the list is answered meanwhile, and the next one is not waited for as long', async () => {
  const scene = await startSilentIfRefused();
  const { client } = scene;
  const silence = await silenceOf(scene);
  expect(silence.message).toContain('in 3 tries');
  expect(await judgeDropped({ ...scene, key: KEY }, silence)).toBe(true);
  expect(client.judgements.judgementOf('missing-key')).toMatchObject({ outcome: 'fail' });
  expect((await silenceOf(scene)).message).toContain('in 1 try');
});

test('a silence is no failure if nothing is answered', async () => {
  const scene = await startSilentIfRefused();
  expect(await judgeDropped({ ...scene, key: undefined }, await silenceOf(scene))).toBe(false);
  expect(scene.client.judgements.judgementOf('missing-key').outcome).not.toBe('fail');
});

test('a silence is no failure if the request is answered once it is sent again', async () => {
  const scene = await startSilentIfRefused(4);
  expect(await judgeDropped({ ...scene, key: KEY }, await silenceOf(scene))).toBe(false);
  expect(scene.client.losses.isSilenceJudged).toBe(false);
});

test('a request that need not be answered takes the blame for the end of a target from no other', async () => {
  const scene = await startSilentIfRefused();
  const { client } = scene;
  const end = { ending: 'gone', code: 'ECONNREFUSED' } as const;
  const sent = undocumented('GET', '/stockcheck');
  const { tell } = client.history;
  const id = 1_000;
  tell({ type: 'request-sent', id, request: sent, authorization: [], spender: null, at: 0 });
  const blame: NoResponse['blame'] = (since) =>
    tell({ type: 'request-unanswered', id, words: 'Nothing came.', since, at: 0 }).length > 0;
  const ofAnother = Object.assign(await silenceOf(scene), { ...end, sent, blame });
  expect(await judgeDropped({ ...scene, key: undefined }, ofAnother)).toBe(false);
  const own = Object.assign(await silenceOf(scene), end);
  client.losses.suspects.set(own.sent, own);
  await judgeEnd(scene);
  expect(client.judgements.judgementOf('missing-key')).toMatchObject({ outcome: 'fail' });
});

test('of several requests under way when a target ended, the finding names all', async () => {
  const scene = await startSilentIfRefused();
  const { client } = scene;
  const end = { ending: 'gone', code: 'ECONNREFUSED', wasAlone: false } as const;
  const own = Object.assign(await silenceOf(scene), end);
  const other = Object.assign(await silenceOf(scene), end, {
    request: 'GET /store/orders',
    sent: listInventory(),
  });
  client.losses.suspects.set(own.sent, own).set(other.sent, other);
  await judgeEnd(scene);
  const { findings } = client.judgements.judgementOf('missing-key');
  expect(findings).toEqual([
    expect.objectContaining({
      message: expect.stringContaining('which one of several it was: GET /store/orders got none either.'),
    }),
  ]);
});

test('a request is not blamed for the end of a target that answers again', async () => {
  const scene = await startSilentIfRefused();
  const { client } = scene;
  const error = Object.assign(await silenceOf(scene), { ending: 'gone', code: 'ECONNREFUSED' } as const);
  const liveness = { ...client.liveness, outlast: () => Promise.resolve(true) };
  expect(await judgeDropped({ ...scene, client: { ...client, liveness }, key: undefined }, error)).toBe(
    false,
  );
  expect(client.losses.suspects.size).toBe(0);
  expect(await judgeDropped({ ...scene, key: undefined }, error)).toBe(false);
  expect([...client.losses.suspects.values()]).toEqual([error]);
  await performExchange(client, scene.connect(), listInventory(), { key: KEY });
  await judgeEnd(scene);
  expect(client.judgements.judgementOf('missing-key').outcome).not.toBe('fail');
});

test.each([
  ['dies of it again', true, 'fail'],
  ['answers it then', false, 'skipped'],
])('a target that was started again after the run and %s', async (_what, isLost, outcome) => {
  const scene = await startSilentIfRefused();
  const liveness = { ...scene.client.liveness, comesBack: () => Promise.resolve(true) };
  const client = { ...scene.client, liveness };
  const sendAlone = () => Promise.resolve(isLost ? ('lost' as const) : ('answered' as const));
  const error = Object.assign(await silenceOf(scene), { ending: 'gone', sendAlone } as const);
  client.losses.suspects.set(error.sent, error);
  await judgeEnd({ ...scene, client });
  expect(client.judgements.judgementOf('missing-key')).toMatchObject({ outcome });
});
