import { describe, expect, onTestFinished, test } from 'vitest';

import type { RunningServer } from '../start.ts';
import {
  advance,
  exchangeText,
  FREE_KEY,
  fieldOf,
  issueKey,
  ITEMS,
  order,
  rateLimit,
  readNow,
  readResponses,
  REVOKED_KEY,
  sendRaw,
} from '../testing.test-data.ts';
import { VARIANTS } from '../variants/index.ts';
import { startSharedServer } from './start.ts';
import { freshNamespace, obstacle, startSharedForTest, startTwo, useRedis } from './servers.test-data.ts';

const PET = '9007199254740993';

async function burst(
  servers: readonly RunningServer[],
  count: number,
  key: string,
): Promise<readonly number[]> {
  return Promise.all(
    Array.from({ length: count }, async (_, index) => {
      const { status } = await sendRaw(`${servers[index % servers.length]?.url}/inventory`, { key });
      return status;
    }),
  );
}

function accepted(statuses: readonly number[]): number {
  return statuses.filter((status) => status === 200).length;
}

describe.skipIf(obstacle !== null)('two servers with one store', () => {
  const redis = useRedis({ isDurable: false });

  test.each([
    ['minute', { plan: 'enterprise', perMinute: 150, perDay: 1_000 }],
    ['day', { plan: 'enterprise', perMinute: 1_000, perDay: 150 }],
  ])('accept exactly the limit of the %s over both, however concurrently', async (_window, wanted) => {
    const servers = await startTwo(redis().url, freshNamespace(), { ban: false });
    const [first, second] = servers;
    const key = await issueKey(first, wanted);
    const statuses = await burst(servers, 400, key);
    expect(accepted(statuses)).toBe(150);
    expect(statuses.filter((status) => status === 429)).toHaveLength(250);
    const refused = await sendRaw(`${second.url}/inventory`, { key });
    expect(rateLimit(refused)).toMatchObject({ limit: 150, remaining: 0 });
    await advance(second, 86_400);
    expect(accepted(await burst(servers, 400, key))).toBe(150);
  });

  test('take back together what an alteration gives back of an issued key', async () => {
    const alterations = VARIANTS.filter(({ id }) => id === 'uncounted-errors').map(({ alter }) => alter);
    const [first, second] = await startTwo(redis().url, freshNamespace(), { alterations });
    const key = await issueKey(first, { plan: 'free' });
    const remaining: number[] = [];
    for (const server of [first, second, first]) {
      const refused = await sendRaw(`${server.url}/inventory/1`, { method: 'PATCH', key, body: '{}' });
      remaining.push(
        rateLimit(refused).remaining,
        rateLimit(await sendRaw(`${server.url}/inventory`, { key })).remaining,
      );
    }
    expect(remaining).toEqual([60, 59, 59, 58, 58, 57]);
  });

  test('ban a key together, and end the ban together', async () => {
    const servers = await startTwo(redis().url, freshNamespace(), { ban: { status: 403 } });
    const [first, second] = servers;
    const key = await issueKey(first, { plan: 'enterprise', perMinute: 1, perDay: 100 });
    expect(await burst(servers, 1, key)).toEqual([200]);
    const statuses: number[] = [];
    for (let index = 0; index < 12; index += 1) {
      statuses.push((await sendRaw(`${servers[index % 2]?.url}/inventory`, { key })).status);
    }
    expect(statuses).toEqual([...Array.from({ length: 10 }, () => 429), 403, 403]);
    await advance(second, 61);
    expect((await sendRaw(`${first.url}/inventory`, { key })).status).toBe(200);
  });

  test('see each update that the other has answered', async () => {
    const servers = await startTwo(redis().url, freshNamespace());
    const key = await issueKey(servers[0], { plan: 'enterprise' });
    for (let quantity = 100; quantity < 108; quantity += 1) {
      const [writer, reader] = quantity % 2 === 0 ? servers : servers.toReversed();
      const body = JSON.stringify({ quantity });
      const updated = await sendRaw(`${writer?.url}/inventory/${PET}`, { method: 'PATCH', key, body });
      expect(updated.body).toEqual({ petId: BigInt(PET), quantity, status: 'sold' });
      const { body: list } = await sendRaw(`${reader?.url}/inventory`, { key });
      expect(list).toContainEqual({ petId: BigInt(PET), quantity, status: 'sold' });
    }
  });

  test('one that was away for more changes than are kept goes on from all of them, as does a new one', async () => {
    const namespace = freshNamespace();
    const [first, second] = await startTwo(redis().url, namespace);
    const key = await issueKey(first, { plan: 'enterprise' });
    await Promise.all(
      Array.from({ length: 600 }, (_, quantity) =>
        sendRaw(`${first.url}/inventory/1`, { method: 'PATCH', key, body: JSON.stringify({ quantity }) }),
      ),
    );
    const mine = await sendRaw(`${first.url}/inventory`, { key });
    for (const server of [second, await startSharedForTest(redis().url, namespace)]) {
      const others = await sendRaw(`${server.url}/inventory`, { key });
      expect(others.body).toEqual(mine.body);
      expect(rateLimit(others).remaining).toBeLessThan(rateLimit(mine).remaining);
    }
    expect((await sendRaw(`${second.url}/inventory`)).status).toBe(200);
  });

  test('know the keys that the other has issued, and no longer those that it has revoked', async () => {
    const [first, second] = await startTwo(redis().url, freshNamespace());
    const key = await issueKey(first, { plan: 'enterprise', perMinute: 7, perDay: 70, usedToday: 60 });
    expect(rateLimit(await sendRaw(`${second.url}/inventory`, { key }))).toMatchObject({
      limit: 7,
      remaining: 6,
    });
    expect(rateLimit(await sendRaw(`${second.url}/inventory`, { key })).remaining).toBe(5);
    expect((await order(second, `DELETE /keys/${key}`)).status).toBe(204);
    expect((await sendRaw(`${first.url}/inventory`, { key })).status).toBe(401);
    expect((await sendRaw(`${second.url}/inventory`, { key })).status).toBe(401);
    expect((await order(first, `DELETE /keys/${key}`)).status).toBe(204);
    expect((await order(first, 'DELETE /keys/unknown')).status).toBe(404);
    expect((await sendRaw(`${first.url}/inventory`, { key: REVOKED_KEY })).status).toBe(401);
  });

  test('have one clock, one inventory and one reset', async () => {
    const [first, second] = await startTwo(redis().url, freshNamespace());
    const before = await readNow(first);
    await advance(second, 1_000);
    expect(await readNow(first)).toBeGreaterThanOrEqual(before + 1_000);

    const items = [{ petId: 5, quantity: 9_223_372_036_854_775_807n, status: 'pending' }];
    const put = await fetch(`${first.controlUrl}/inventory`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: '[{"petId":5,"quantity":9223372036854775807,"status":"pending"}]',
    });
    expect(put.status).toBe(204);
    expect((await sendRaw(`${second.url}/inventory`)).body).toEqual(items);
    const key = await issueKey(first, { plan: 'free' });

    expect((await order(second, 'POST /reset')).status).toBe(204);
    const listed = await sendRaw(`${first.url}/inventory`);
    expect(listed.body).toHaveLength(ITEMS.length);
    expect(rateLimit(listed).remaining).toBe(59);
    expect((await sendRaw(`${first.url}/inventory`, { key })).status).toBe(401);
    expect(await readNow(second)).toBeGreaterThanOrEqual(before + 1_000);
  });

  test('one that is started later goes on from what there is', async () => {
    const namespace = freshNamespace();
    const first = await startSharedForTest(redis().url, namespace);
    await sendRaw(`${first.url}/inventory/1`, { method: 'PATCH', body: '{"quantity":77}' });
    const second = await startSharedForTest(redis().url, namespace);
    const received = await sendRaw(`${second.url}/inventory`);
    expect(received.body).toContainEqual({ petId: 1, quantity: 77, status: 'available' });
    expect(rateLimit(received).remaining).toBe(58);
  });

  test('services of other names know nothing of each other', async () => {
    const first = await startSharedForTest(redis().url, freshNamespace());
    const second = await startSharedForTest(redis().url, freshNamespace());
    await sendRaw(`${first.url}/inventory`);
    expect(rateLimit(await sendRaw(`${second.url}/inventory`)).remaining).toBe(59);
  });

  test('one with other keys, pets or bans is not taken in', async () => {
    const namespace = freshNamespace();
    await startSharedForTest(redis().url, namespace);
    await expect(startSharedForTest(redis().url, namespace, { ban: { seconds: 5 } })).rejects.toThrow(
      'was begun with other keys, pets or bans',
    );
  });

  test('a body that is broken while Redis decides is answered as from memory', async () => {
    const server = await startSharedForTest(redis().url, freshNamespace());
    const head = `PATCH /v1/inventory/1 HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${FREE_KEY}\r\n`;
    const text = await exchangeText(server.url, `${head}Transfer-Encoding: chunked\r\n\r\nno chunk\r\n`);
    const [received, ...further] = readResponses(text);
    expect(further).toEqual([]);
    expect(received).toMatchObject({ status: 400, body: { code: 'malformed_request' } });
    expect(rateLimit(received ?? { headers: [] }).remaining).toBe(59);
  });

  test('a body that comes late is read as from memory', async () => {
    const server = await startSharedForTest(redis().url, freshNamespace());
    const body = new ReadableStream({
      start: (controller) => {
        setTimeout(() => {
          controller.enqueue(new TextEncoder().encode('{"quantity":3}'));
          controller.close();
        }, 30);
      },
    });
    const response = await fetch(`${server.url}/inventory/1`, {
      method: 'PATCH',
      headers: { authorization: `Bearer ${FREE_KEY}` },
      body,
      duplex: 'half',
    });
    expect(response.status).toBe(200);
    expect(fieldOf({ headers: [...response.headers] }, 'X-RateLimit-Remaining')).toBe('59');
  });
});

test('a Redis that is not there is said at start', async () => {
  const starting = startSharedServer({}, { url: 'redis://127.0.0.1:1', namespace: 'n' });
  onTestFinished(async () => {
    await starting.catch(() => undefined);
  });
  await expect(starting).rejects.toThrow(/^Redis cannot be used: connect ECONNREFUSED 127\.0\.0\.1:1$/);
});
