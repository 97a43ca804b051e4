import { setTimeout as sleep } from 'node:timers/promises';

import { Redis } from 'ioredis';
import { describe, expect, onTestFinished, test } from 'vitest';

import type { RunningServer } from '../start.ts';
import { fieldOf, issueKey, member, order, rateLimit, sendRaw, type Received } from '../testing.test-data.ts';
import { freshNamespace, obstacle, startTwo, useRedis } from './servers.test-data.ts';

/** @throws if an answer is not as the specification wants it, or as one of 503 is described */
function expectWellFormed(received: Received): void {
  expect([200, 429, 503]).toContain(received.status);
  expect(rateLimit(received).limit).toBeGreaterThan(0);
  expect(fieldOf(received, 'Content-Type')).toBe('application/json');
  if (received.status !== 200) {
    expect(received.body).toEqual({
      code: expect.any(String),
      message: expect.any(String),
      status: received.status,
    });
    expect(fieldOf(received, 'Retry-After')).toMatch(/^\d+$/);
  }
  if (received.status === 503) {
    expect(fieldOf(received, 'Retry-After')).toBe('1');
  }
}

async function list({ url }: RunningServer, key: string): Promise<Received> {
  const received = await sendRaw(`${url}/inventory`, { key });
  expectWellFormed(received);
  return received;
}

/** Asks until the answer is not 503. */
async function untilServed(server: RunningServer, key: string): Promise<Received> {
  for (;;) {
    const received = await list(server, key);
    if (received.status !== 503) {
      return received;
    }
    await sleep(20);
  }
}

const CLIENTS = 8;

describe.skipIf(obstacle !== null)('a store that fails', () => {
  const redis = useRedis({ isDurable: true });

  test('is stopped and started in the middle of a burst: 503 until it is back, and no request beyond the limit', async () => {
    const perDay = 600;
    const servers = await startTwo(redis().url, freshNamespace(), { ban: false });
    const key = await issueKey(servers[0], { plan: 'enterprise', perMinute: 100_000, perDay });
    const statuses: number[] = [];
    let isBack = false;
    let isDone = false;

    async function keepAsking(server: RunningServer): Promise<void> {
      while (!isDone) {
        const { status } = await list(server, key);
        statuses.push(status);
        isDone ||= isBack && status === 429;
        await sleep(status === 503 ? 5 : 1);
      }
    }
    async function interrupt(): Promise<void> {
      while (statuses.length < 100) {
        await sleep(1);
      }
      await redis().stop();
      expect(statuses.filter((status) => status === 200).length).toBeLessThan(perDay);
      await redis().start();
      isBack = true;
    }
    await Promise.all([
      interrupt(),
      ...Array.from({ length: CLIENTS }, (_, index) => keepAsking(servers[index % 2] ?? servers[0])),
    ]);

    const accepted = statuses.filter((status) => status === 200).length;
    expect(statuses).toContain(503);
    expect(statuses.lastIndexOf(200)).toBeGreaterThan(statuses.indexOf(503));
    expect(accepted).toBeLessThanOrEqual(perDay);
    // Each client may have had one request under way whose answer was lost.
    expect(accepted).toBeGreaterThanOrEqual(perDay - CLIENTS);
    for (const server of servers) {
      expect(rateLimit(await list(server, key))).toMatchObject({ limit: perDay, remaining: 0 });
    }
  });

  test('is silent: 503 after a second, and what it does later is counted', async () => {
    const [first] = await startTwo(redis().url, freshNamespace());
    const key = await issueKey(first, { plan: 'enterprise', perMinute: 50, perDay: 100 });
    const client = new Redis(redis().url);
    onTestFinished(() => client.disconnect());
    await list(first, key);
    await client.call('CLIENT', 'PAUSE', '3000', 'ALL');
    const silent = await Promise.all(Array.from({ length: 10 }, () => list(first, key)));
    expect(silent.map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 503));
    expect(member(silent[0]?.body, 'code')).toBe('store_unavailable');
    const served = await untilServed(first, key);
    expect(served.status).toBe(200);
    expect(rateLimit(served).remaining).toBeGreaterThanOrEqual(38);
    expect(rateLimit(served).remaining).toBeLessThanOrEqual(48);
  });

  test.each([
    ['nothing', false],
    ['an older state', true],
  ])('has %s all at once: 503 from every server until a reset', async (_, keepsOlder) => {
    const service = await startWithOlderState(redis().url, keepsOlder);
    const { first, second, key } = service;
    for (const server of [first, second, first, second]) {
      expect(await untilLost(server, key)).toBe(1);
    }
    await expectReset(service);
  });

  test('has nothing, and is reset before a server has noticed: that one goes on with the others', async () => {
    const { first, second, key } = await startWithOlderState(redis().url, false);
    await untilLost(first, key);
    expect((await order(first, 'POST /reset')).status).toBe(204);
    const issued = await issueKey(first, { plan: 'free' });
    expect((await list(second, issued)).status).toBe(200);
    expect((await list(first, issued)).status).toBe(200);
  });

  test('comes back with an older state: no server goes on, even if it knows of nothing that is missing', async () => {
    const service = await startWithOlderState(redis().url, true);
    const { first, second, key, client, log } = service;
    await client.xadd(log, '*', 'commands', '[["run","another"]]');
    await client.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
    expect(await untilLost(second, key)).toBeGreaterThan(0);
    expect(await untilLost(first, key)).toBeGreaterThan(0);
    await expectReset(service);
  });
});

interface Service {
  /** Knows more than Redis has. */
  readonly first: RunningServer;
  /** Knows nothing that Redis lacks, if there is an older state. */
  readonly second: RunningServer;
  readonly key: string;
  readonly client: Redis;
  /** Where the log is. */
  readonly log: string;
}

/** Two servers that have served, and whose state is then put back to what it was. */
async function startWithOlderState(url: string, keepsOlder: boolean): Promise<Service> {
  const namespace = freshNamespace();
  const [first, second] = await startTwo(url, namespace);
  const client = new Redis(url);
  onTestFinished(() => client.disconnect());
  const log = `{${namespace}}:log`;
  const key = await issueKey(first, { plan: 'enterprise', perMinute: 5, perDay: 100 });
  await list(second, key);
  const older = await client.dumpBuffer(log);
  for (let sent = 0; sent < 3; sent += 1) {
    await list(first, key);
  }
  await client.del(log);
  if (keepsOlder) {
    await client.restore(log, 0, older);
  }
  return { first, second, key, client, log };
}

/** How many answers it takes until one tells that the state was lost; all of them are 503. */
async function untilLost(server: RunningServer, key: string): Promise<number> {
  for (let answers = 1; ; answers += 1) {
    const received = await list(server, key);
    expect(received.status).toBe(503);
    if (member(received.body, 'code') === 'store_lost_state') {
      return answers;
    }
    await sleep(20);
  }
}

async function expectReset({ first, second, key }: Service): Promise<void> {
  expect((await order(second, 'POST /keys', { plan: 'free' })).status).toBe(503);
  expect((await order(second, 'POST /reset')).status).toBe(204);
  expect((await sendRaw(`${second.url}/inventory`, { key })).status).toBe(401);
  const served = await untilServed(first, await issueKey(second, { plan: 'free' }));
  expect(served.status).toBe(200);
  expect(rateLimit(served).remaining).toBe(59);
}
