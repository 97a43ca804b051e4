import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

import { expect, test } from 'vitest';
import { startHttpServer } from '../../fixtures/loopback.test-data.ts';
import type { RequirementId } from '../../contract/requirements/index.ts';
import type { Judgement } from '../oracle/index.ts';
import { rateLimitFields } from '../oracle/exchange.test-data.ts';
import { freeKey } from '../oracle/monitors/watch.test-data.ts';
import { ignoreHistory, type TargetHistory } from './history.ts';
import { openConnections } from './http/http-transport.ts';
import { evidence } from './http/judge-exchange.ts';
import { listInventory } from './http/operations.ts';
import { performExchange } from './http/perform-exchange.ts';
import { addressOf, createTargetClient } from './http/target-client.ts';
import { findForeignUse, findForeignWrites, withoutOthers, type SeenOthers } from './other-users.ts';

const TRANSPORT = { timeoutMilliseconds: 5_000, insecure: false, certificateAuthority: null };

/** A client of a service that has been asked for the list once, and what was blamed for the answer. */
async function blame(
  url: string,
  ids: readonly RequirementId[],
  {
    issued = false,
    label = 'free#1',
    history = ignoreHistory(),
  }: { issued?: boolean; label?: string; history?: TargetHistory } = {},
) {
  const client = createTargetClient(addressOf(url), { history });
  const key = freeKey({ issued, label });
  const pool = openConnections(client.origin, 1, TRANSPORT);
  const exchange = await performExchange(client, pool, listInventory(), { key });
  await pool.destroy();
  for (const id of ids) {
    client.judgements.fail('check', id, evidence(client, 'It is not as it should be.', exchange));
  }
  const target = { client, keys: [key], transport: TRANSPORT };
  return { target, judged: ids.map((id) => client.judgements.judgementOf(id)) };
}

function outcomesOf(judged: readonly Judgement[], others: readonly SeenOthers[]) {
  return judged.map((judgement) => withoutOthers(judgement, others).outcome);
}

/** Starts a service of one key whose Remaining falls by so much with each request. */
function startCounter(fallsBy: (request: number) => number): Promise<string> {
  let remaining = 60;
  let requests = 0;
  return startHttpServer((_, response) => {
    requests += 1;
    remaining -= fallsBy(requests);
    response.writeHead(200, rateLimitFields(60, remaining, 1_790_000_060).flat()).end('[]');
  });
}

/** Has a key blamed for its Remaining, and looks whether others use it. @param others requests that they send in a pause */
async function lookForUse(url: string, others: number, issued = false) {
  const { target, judged } = await blame(url, ['minute-limit-free', 'item-status'], { issued });
  const seen = await findForeignUse(target, judged, async () => {
    for (let sent = 0; sent < others; sent += 1) {
      await (await fetch(`${url}/inventory`)).text();
    }
  });
  return { found: seen.flatMap(({ described }) => described), outcomes: outcomesOf(judged, seen) };
}

test('a key that others use meanwhile is told, and leaves open only what they may explain', async () => {
  const url = await startCounter(() => 1);
  expect(await lookForUse(url, 3)).toEqual({
    found: [
      expect.stringMatching(
        /^Somebody else seems to use free#1 at the same time: X-RateLimit-Remaining fell/,
      ),
    ],
    outcomes: ['inconclusive', 'fail'],
  });
});

test('a key of which a new connection costs more is not taken for one that others use', async () => {
  const known = new WeakSet<Socket>();
  let remaining = 60;
  const url = await startHttpServer(({ socket }, response) => {
    remaining -= known.has(socket) ? 1 : 5;
    known.add(socket);
    response.writeHead(200, rateLimitFields(60, remaining, 1_790_000_060).flat());
    // An idle connection is closed before the pause is over.
    response.end('[]', () => setTimeout(() => socket.destroy(), 100));
  });
  const { target, judged } = await blame(url, ['minute-limit-free']);
  expect(await findForeignUse(target, judged, () => delay(200))).toEqual([]);
});

test.each([
  ['falls by two with each request', () => 2],
  ['falls by two with every fifth request', (request: number) => (request % 5 === 0 ? 2 : 1)],
  ['does not fall', () => 0],
  ['rises', () => -1],
])('a Remaining that %s is not taken for the use of others', async (_how, fallsBy) => {
  const found = await lookForUse(await startCounter(fallsBy), 0);
  expect(found).toEqual({ found: [], outcomes: ['fail', 'fail'] });
});

// The first one after a silent minute, one right after it, and one after each of two pauses.
const WATCHED = 4;

/**
 * Looks whether others use a key after a silent minute.
 * @param usedBefore by key, how many requests the service says were used up before the first one
 * @param later and how many more once it has been watched
 * @param changes whether there is no other key, and how many more are used in each longer pause, or with each request after
 *   the first
 */
async function lookAfterSilence(
  usedBefore: Readonly<Record<string, number>>,
  later = 0,
  { isAlone = false, inPause = 0, more = 0 } = {},
) {
  const own = new Map<string, number>();
  let pauses = 0;
  const url = await startHttpServer(({ headers }, response) => {
    const secret = headers.authorization?.replace('Bearer ', '') ?? '';
    own.set(secret, (own.get(secret) ?? 0) + 1);
    const requests = own.get(secret) ?? 0;
    const of = requests + more * (requests - 1) + inPause * pauses;
    const used = (usedBefore[secret] ?? 0) + of + (requests > WATCHED ? later : 0);
    response.writeHead(200, rateLimitFields(60, 60 - used, 1_790_000_060).flat()).end('[]');
  });
  const { target, judged } = await blame(url, ['limit-renews']);
  const witness = freeKey({ label: 'free#2', secret: 'another-key-of-this-test', issued: false });
  own.clear();
  target.keys.forEach(({ usage }) => usage.sentAt.splice(0));
  const sleep = (seconds: number): Promise<void> => {
    pauses += seconds > 15 ? 1 : 0;
    return Promise.resolve();
  };
  const client = { ...target.client, time: { ...target.client.time, sleep } };
  const keys = isAlone ? target.keys : [...target.keys, witness];
  const others = await findForeignUse({ ...target, client, keys }, judged, () => Promise.resolve());
  return outcomesOf(judged, others);
}

test('a key of which others use as many as leave a window that slides is told by another key', async () => {
  const { secret } = freeKey();
  expect(await lookAfterSilence({ [secret]: 12 })).toEqual(['inconclusive']);
});

test('others may have begun the window just before', async () => {
  const { secret } = freeKey();
  expect(await lookAfterSilence({ [secret]: 0 }, 4)).toEqual(['inconclusive']);
  expect(await lookAfterSilence({ [secret]: 0 }, 1)).toEqual(['fail']);
});

test('longer pauses tell of others on the only key, if some were used after a silent minute', async () => {
  const used = { [freeKey().secret]: 1 };
  expect(await lookAfterSilence(used, 0, { isAlone: true, inPause: 1 })).toEqual(['inconclusive']);
  expect(await lookAfterSilence(used, 0, { isAlone: true })).toEqual(['fail']);
});

test('a Remaining that falls by two from the second request on shows nobody else, with other keys or without', async () => {
  const used = { [freeKey().secret]: 0 };
  expect(await lookAfterSilence(used, 0, { more: 1 })).toEqual(['fail']);
  expect(await lookAfterSilence(used, 0, { more: 1, isAlone: true })).toEqual(['fail']);
});

test.each([
  ['one request too many is counted', { first: 1, other: 0 }],
  ['each key shows the same', { first: 12, other: 12 }],
])('nobody else is blamed if %s', async (_why, { first, other }) => {
  const used = { [freeKey().secret]: first, 'another-key-of-this-test': other };
  expect(await lookAfterSilence(used)).toEqual(['fail']);
});

test.each([
  ['counts them together', 0, ['fail', 'fail']],
  ['serves others with both', 2, ['inconclusive', 'inconclusive']],
])('two keys are watched in the time of one at a service that %s', async (_, others, outcomes) => {
  const url = await startCounter(() => 1);
  const { target, judged } = await blame(url, ['limit-renews']);
  const second = await blame(url, ['minute-limit-free'], { label: 'free#2' });
  const slept: number[] = [];
  const sleep = (seconds: number): Promise<void> => {
    slept.push(seconds);
    return Promise.resolve();
  };
  const client = { ...target.client, time: { ...target.client.time, sleep } };
  const both = { ...target, client, keys: [...target.keys, ...second.target.keys] };
  const failures = [...judged, ...second.judged];
  const seen = await findForeignUse(both, failures, async () => {
    for (let sent = 0; sent < others; sent += 1) {
      await (await fetch(`${url}/inventory`)).text();
    }
  });
  expect(outcomesOf(failures, seen)).toEqual(outcomes);
  expect(slept).toHaveLength(1);
});

test('nobody else has a key that was issued for the run', async () => {
  const url = await startCounter(() => 1);
  expect(await lookForUse(url, 3, true)).toEqual({ found: [], outcomes: ['fail', 'fail'] });
});

/** What others may do to a store of two pets. */
interface Others {
  /** Of the second pet, by pauses and requests. */
  readonly quantity?: (pauses: number, requests: number) => number;
  /** What changed before while nothing was sent. */
  readonly seen?: readonly string[];
  /** By how often it was tried. */
  readonly failsAgain?: (times: number) => boolean | null;
}

/** Has failures seen in a store of two pets, and looks whether others write to it. */
async function lookForWrites({ quantity = () => 10, seen = [], failsAgain = () => true }: Others) {
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
  const history = { ...ignoreHistory(), strangeChanges: () => ({ idle: seen, unexplained: 2 }) };
  const ids = ['list-complete', 'update-persists', 'refused-changes-nothing', 'item-status'] as const;
  const { target, judged } = await blame(url, ids, { history });
  let times = 0;
  const others = await findForeignWrites(target, judged, {
    pause: () => {
      pauses += 1;
      return Promise.resolve();
    },
    failsAgain: () => {
      times += 1;
      return Promise.resolve(failsAgain(times));
    },
  });
  return { found: others.flatMap(({ described }) => described), outcomes: outcomesOf(judged, others) };
}

const ALL_FAIL = { found: [], outcomes: ['fail', 'fail', 'fail', 'fail'] };
const LEFT_OPEN = { outcomes: ['inconclusive', 'inconclusive', 'inconclusive', 'fail'] };

test('an inventory that others write to is told, and leaves open only what that may explain', async () => {
  expect(await lookForWrites({ quantity: (pauses) => 10 + pauses })).toEqual({
    found: [
      'Somebody else seems to write to the inventory at the same time: pet 2 went from 11 to 12, and then pet 2 went from 12 to 13 while this run sent nothing. Run it while nobody does; what failed and this may explain is left open.',
    ],
    ...LEFT_OPEN,
  });
});

test('others who write at every third request are told by lists alone', async () => {
  expect(await lookForWrites({ quantity: (_, requests) => 10 + Math.floor(requests / 3) })).toMatchObject({
    found: [expect.stringContaining(' while this run only read.')],
    ...LEFT_OPEN,
  });
});

test.each([false, null])(
  'others may write now and then, whether the checks ran again (%s) or not',
  async (fails) => {
    const found = await lookForWrites({
      quantity: (pauses) => 10 + Math.floor(pauses / 2),
      failsAgain: () => fails,
    });
    expect(found).toMatchObject(LEFT_OPEN);
  },
);

const STOPPED = {
  found: [expect.stringMatching(/^Somebody else may have written to the inventory at the same time: /)],
  ...LEFT_OPEN,
};

test.each([
  ['never', () => false, STOPPED],
  // Two runs that began together may disturb each other once more.
  ['once more', (times: number) => times === 1, STOPPED],
  // The first repetition took most of the requests that were left.
  ['never, as long as it can be tried,', (times: number) => (times === 1 ? false : null), STOPPED],
  ['every other time', (times: number) => times % 2 === 0, ALL_FAIL],
  ['nobody knows how often', () => null, ALL_FAIL],
] as const)(
  'a failure that comes back %s may be the writes of somebody who has stopped, or not',
  async (_, failsAgain, found) => {
    expect(await lookForWrites({ failsAgain })).toMatchObject(found);
  },
);

test.each([
  ['stays', () => 10],
  ['is carried out late once', (pauses: number) => (pauses < 1 ? 10 : 20)],
  ['goes back and forth', (pauses: number) => 10 + (pauses % 2)],
  ['is another in each list', (_: number, requests: number) => 10 + requests],
])('a quantity that %s is not taken for the writes of others', async (_how, quantity) => {
  expect(await lookForWrites({ quantity })).toEqual(ALL_FAIL);
});

test('what changed in the run while nothing was sent tells as much, if it happened twice', async () => {
  const once = ['pet 2 went from 3 sold to 4'];
  expect(await lookForWrites({ seen: once })).toEqual(ALL_FAIL);
  expect(await lookForWrites({ seen: [...once, 'pet 1 went from 5 sold to 6'] })).toMatchObject({
    found: [
      expect.stringContaining(
        ': pet 2 went from 3 sold to 4, and then pet 1 went from 5 sold to 6 while this run sent nothing.',
      ),
    ],
    ...LEFT_OPEN,
  });
});
