import { expect, onTestFinished, test } from 'vitest';
import { Agent } from 'undici';

import { stringifyJson } from '../../contract/json/index.ts';
import type { HeaderField } from '../../contract/verdict.ts';
import type { SeedKey } from '../../fixtures/corpora/index.ts';
import type { RunningServer } from '../start.ts';
import { advance, fieldOf, rateLimit, sendRaw, startForTest, type Received } from '../testing.test-data.ts';
import { LOAD_FAULTS } from './index.ts';

const WIDE = { plan: 'enterprise', perMinute: 1_000_000, perDay: 10_000_000 } as const;

const KEYS: readonly SeedKey[] = [
  { ...WIDE, key: 'wide' },
  { key: 'business', plan: 'business' },
  { key: 'free', plan: 'free' },
];

function start(id: string | undefined): Promise<RunningServer> {
  return startForTest({
    keys: KEYS,
    ban: false,
    alterations: LOAD_FAULTS.filter((fault) => fault.id === id).map(({ alter }) => alter),
  });
}

/** Sends requests for the list with these keys all at once, over so many connections that are open already. */
async function flood(
  url: string,
  connections: number,
  keys: readonly string[],
): Promise<readonly Pick<Received, 'status' | 'headers'>[]> {
  const agent = new Agent({ connections });
  onTestFinished(() => agent.close());
  const { origin, pathname } = new URL(url);
  const send = async (key: string) => {
    const { statusCode, headers, body } = await agent.request({
      origin,
      path: `${pathname}/inventory`,
      method: 'GET',
      headers: { Authorization: `Bearer ${key}` },
    });
    await body.dump();
    return {
      status: statusCode,
      headers: Object.entries(headers).map(([name, value]): HeaderField => [name, String(value)]),
    };
  };
  await Promise.all(Array.from({ length: connections }, () => send('wide')));
  return Promise.all(keys.map(send));
}

/** What one client is told that sends request after request, goes beyond its limit and waits as it is told. */
async function converse({ url, ...server }: RunningServer): Promise<readonly string[]> {
  const told: string[] = [];
  const ask = async (path: string, request: Parameters<typeof sendRaw>[1]): Promise<string> => {
    const received = await sendRaw(`${url}${path}`, request);
    const { limit, remaining } = rateLimit(received);
    const content = received.status === 429 ? '' : stringifyJson(received.body ?? null);
    told.push(`${received.status} ${limit} ${remaining} ${content}`);
    return fieldOf(received, 'Retry-After') ?? '';
  };
  for (const key of ['free', 'wide', 'unknown', 'free', 'business']) {
    await ask('/inventory/1', { key, method: 'PATCH', body: `{"quantity":${told.length}}` });
    await ask('/inventory', { key });
    await ask('/inventory/404', { key, method: 'PATCH', body: '{}' });
  }
  for (let sent = 0; sent < 55; sent += 1) {
    await ask('/inventory', { key: 'free' });
  }
  const wait = await ask('/inventory', { key: 'free' });
  await advance({ url, ...server }, Number(wait));
  await ask('/inventory', { key: 'free' });
  return told;
}

// That each fault shows under load is measured where `load` is.
test('one request at a time is answered as by a server without a fault', async () => {
  const expected = await converse(await start(undefined));
  expect(expected.at(-2)).toMatch(/^429 /);
  expect(expected.at(-1)).toMatch(/^200 60 59 /);
  const others = await Promise.all(LOAD_FAULTS.map(async ({ id }) => [id, await converse(await start(id))]));
  expect(others).toEqual(LOAD_FAULTS.map(({ id }) => [id, expected]));
});

test.each(LOAD_FAULTS)('$id does not show with as many requests at once as a check sends', async ({ id }) => {
  const { url } = await start(id);
  const all = await flood(url, 28, Array<string>(120).fill('free'));
  const granted = all.filter(({ status }) => status === 200);
  expect(granted).toHaveLength(60);
  expect(all.filter(({ status }) => status === 429)).toHaveLength(60);
  expect(new Set(granted.map((received) => rateLimit(received).remaining)).size).toBe(60);
  expect(new Set(all.map((received) => rateLimit(received).limit))).toEqual(new Set([60]));
});
