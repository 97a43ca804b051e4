import { expect, test, vi } from 'vitest';

import { stringifyJson } from '../../contract/json/index.ts';
import type { SeedKey } from '../../fixtures/corpora/index.ts';
import type { RunningServer } from '../start.ts';
import { advance, fieldOf, member, rateLimit, sendRaw, startForTest } from '../testing.test-data.ts';
import { openFlood, type Flood, type FloodRequest } from './flood.test-data.ts';
import { LOAD_FAULTS } from './index.ts';

const WIDE = { plan: 'enterprise', perMinute: 1_000_000, perDay: 10_000_000 } as const;
const LIST = { key: 'wide' };

const KEYS: readonly SeedKey[] = [
  { ...WIDE, key: 'wide' },
  { ...WIDE, key: 'wide-too' },
  { key: 'business', plan: 'business' },
  { key: 'free', plan: 'free' },
  ...keysOfThree().map((key): SeedKey => ({ key, plan: 'free', perMinute: 3 })),
];

const WITHIN_A_MINUTE = { interval: 0, timeout: 60_000 };

function keysOfThree(): readonly string[] {
  return Array.from({ length: 100 }, (_, index) => `three-${index}`);
}

function times<Value>(length: number, value: Value): readonly Value[] {
  return Array.from({ length }, () => value);
}

function start(id: string | undefined): Promise<RunningServer> {
  return startForTest({
    keys: KEYS,
    ban: false,
    alterations: LOAD_FAULTS.filter((fault) => fault.id === id).map(({ alter }) => alter),
  });
}

interface Scene extends Flood {
  readonly server: RunningServer;
  readonly url: string;
}

/** What a server with each fault does while 200 connections are open. */
const SHOWN: Readonly<Record<string, (scene: Scene) => Promise<void>>> = {
  'server-error-when-busy': async ({ send: flood }) => {
    const statuses = (await flood(times(600, LIST))).map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set([200, 500]));
  },
  'headers-of-another-key-when-busy': async ({ send: flood }) => {
    const requests = times(100, [LIST, { key: 'business' }]).flat();
    const limits = (await flood(requests)).map((received) => rateLimit(received).limit);
    expect(limits.filter((_, index) => requests[index]?.key === 'business')).toContain(WIDE.perMinute);
  },
  'remaining-repeats-when-busy': async ({ send: flood, url }) => {
    const granted = (await flood(times(200, { key: 'business' }))).filter(({ status }) => status === 200);
    expect(granted).toHaveLength(200);
    expect(rateLimit(await sendRaw(`${url}/inventory`, { key: 'business' })).remaining).toBeGreaterThan(799);
  },
  'remaining-missing-when-busy': async ({ send: flood }) => {
    const all = await flood(times(200, LIST));
    expect(all.map((received) => fieldOf(received, 'X-RateLimit-Remaining'))).toContain(undefined);
  },
  'charged-to-another-key-when-busy': async ({ send: flood, url }) => {
    await flood(times(50, [LIST, LIST, LIST, { key: 'business' }]).flat());
    expect(rateLimit(await sendRaw(`${url}/inventory`, { key: 'business' })).remaining).toBeLessThan(949);
  },
  'hammered-key-halts-others': async ({ during, url }) => {
    await during({ key: 'free' }, () =>
      vi.waitFor(
        async () => expect((await sendRaw(`${url}/inventory`, { key: 'business' })).status).toBe(429),
        WITHIN_A_MINUTE,
      ),
    );
  },
  'valid-key-refused-when-busy': async ({ send: flood }) => {
    const statuses = (await flood(times(600, LIST))).map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set([200, 401]));
  },
  'unknown-key-accepted-when-many-are-tried': async ({ send: flood }) => {
    const statuses = (await flood(times(200, { key: 'unknown' }))).map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set([200, 401]));
  },
  'race-when-busy': async ({ send: flood }) => {
    const granted = (await flood(times(200, { key: 'free' }))).filter(({ status }) => status === 200);
    expect(granted.length).toBeGreaterThan(60);
  },
  'keys-forgotten-when-many-are-active': async ({ send: flood }) => {
    const requests = times(
      8,
      keysOfThree().map((key): FloodRequest => ({ key })),
    ).flat();
    const all = await flood(requests);
    const granted = new Map<string, number>();
    for (const [index, { key }] of requests.entries()) {
      granted.set(key, (granted.get(key) ?? 0) + (all[index]?.status === 200 ? 1 : 0));
    }
    expect(Math.max(...granted.values())).toBeGreaterThan(3);
  },
  'retry-after-short-when-busy': async ({ send: flood, server, url }) => {
    await vi.waitFor(async () => {
      await advance(server, 61);
      const refused = (await flood(times(300, { key: 'free' }))).filter(({ status }) => status === 429);
      const waits = refused.map((received) => Number(fieldOf(received, 'Retry-After')));
      const later = Number(fieldOf(await sendRaw(`${url}/inventory`, { key: 'free' }), 'Retry-After'));
      expect(Math.min(...waits)).toBeLessThan(later);
    }, WITHIN_A_MINUTE);
  },
  'update-lost-when-busy': expectOldQuantity,
  'list-stale-when-busy': expectOldQuantity,
  'update-answers-mixed-when-busy': async ({ send: flood }) => {
    const requests = times(60, ['1', '9007199254740993', '9223372036854775807'])
      .flat()
      .map((petId) => ({ key: 'wide', update: { petId, quantity: 5 } }));
    const answered = (await flood(requests)).map(({ body }) => stringifyJson(member(body, 'petId') ?? null));
    expect(answered).not.toEqual(requests.map(({ update }) => update.petId));
  },
};

/** An update by one client, which that client does not see afterwards. */
async function expectOldQuantity({ during, url }: Scene): Promise<void> {
  let quantity = 0;
  await during(LIST, () =>
    vi.waitFor(async () => {
      quantity += 1;
      const body = `{"quantity":${quantity}}`;
      await sendRaw(`${url}/inventory/1`, { key: 'wide-too', method: 'PATCH', body });
      const seen = await sendRaw(`${url}/inventory`, { key: 'wide-too' });
      expect(stringifyJson(seen.body ?? null)).not.toContain(`{"petId":1,"quantity":${quantity},`);
    }, WITHIN_A_MINUTE),
  );
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

test('there is a demonstration of each fault', () => {
  expect(Object.keys(SHOWN).toSorted()).toEqual(LOAD_FAULTS.map(({ id }) => id).toSorted());
});

test.each(LOAD_FAULTS)('$id: $title', async ({ id }) => {
  const server = await start(id);
  const flood = await openFlood(server.url, 200, 'wide');
  await expect(SHOWN[id]?.({ ...flood, server, url: server.url })).resolves.toBeUndefined();
});

test('one request at a time is answered as by a server without a fault', async () => {
  const expected = await converse(await start(undefined));
  expect(expected.at(-2)).toMatch(/^429 /);
  expect(expected.at(-1)).toMatch(/^200 60 59 /);
  const others = await Promise.all(LOAD_FAULTS.map(async ({ id }) => [id, await converse(await start(id))]));
  expect(others).toEqual(LOAD_FAULTS.map(({ id }) => [id, expected]));
});

test.each(LOAD_FAULTS)('$id does not show with as many requests at once as a check sends', async ({ id }) => {
  const { url } = await start(id);
  const flood = await openFlood(url, 28, 'wide');
  const all = await flood.send(times(120, { key: 'free' }));
  const granted = all.filter(({ status }) => status === 200);
  expect(granted).toHaveLength(60);
  expect(all.filter(({ status }) => status === 429)).toHaveLength(60);
  expect(new Set(granted.map((received) => rateLimit(received).remaining)).size).toBe(60);
  expect(new Set(all.map((received) => rateLimit(received).limit))).toEqual(new Set([60]));
});
