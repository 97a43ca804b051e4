import { seedInventory } from '../../../fixtures/corpora/index.ts';
import type { ServerAddress } from '../../library/embedded/embedded-target.ts';
import type { HeaderField } from '../../../contract/verdict.ts';
import type { RequestMessage } from '../../../suites/oracle/index.ts';
import {
  connectControl,
  getPet,
  listInventory,
  listOrders,
  openConnections,
  updateInventory,
  updateWithBody,
  type ControlClient,
  type TargetConfig,
  type TransportOptions,
} from '../../../suites/target/index.ts';
import type { TrafficExchange } from '../../../suites/watch/index.ts';

type Ask = (message: RequestMessage, secret: string | null) => Promise<TrafficExchange>;

const PETS = 8;
const AT_ONCE = 4;
const ROUNDS = 10;
const MOST_UNTIL_LIMIT = 80;
const AFTER_THE_WAIT = 10;
// What others may have sent before has left every window of a minute by then.
const REST_SECONDS = 150;

/**
 * What an ordinary client does, as a proxy would record it: some hundred requests, mistakes among them, two keys, a
 * limit that is reached once, and one wait, for which the control clock is moved.
 */
export async function recordOrdinaryTraffic(
  { url, controlUrl }: ServerAddress,
  keys: TargetConfig['keys'],
  transport: TransportOptions,
): Promise<readonly TrafficExchange[]> {
  const [free = '', pro = ''] = ['free', 'pro'].map((plan) => keys.find((key) => key.plan === plan)?.key);
  const petIds = seedInventory()
    .slice(0, PETS)
    .map(({ petId }) => petId);
  const { origin, pathname } = new URL(url);
  const pool = openConnections(origin, AT_ONCE, transport);
  const control = await connectControl(controlUrl, transport.timeoutMilliseconds, { probes: false });
  const traffic: TrafficExchange[] = [];
  let movedMilliseconds = 0;
  const now = (): number => Date.now() + movedMilliseconds;
  const ask: Ask = async (message, secret) => {
    const authorization: readonly HeaderField[] =
      secret === null ? [] : [['Authorization', `Bearer ${secret}`]];
    const request = {
      method: message.method,
      url: url + message.path,
      headers: [...authorization, ...message.headers],
      body: message.body,
      sentAt: now(),
    };
    const path = pathname + message.path;
    const response = await pool.send({ ...message, headers: request.headers, path }).catch(() => null);
    const exchange = { request, response, endedAt: now() };
    traffic.push(exchange);
    return exchange;
  };
  try {
    await work(ask, petIds, pro);
    await makeMistakes(ask, petIds, pro);
    const wait = async (seconds: number): Promise<void> => {
      await advance(control, seconds);
      movedMilliseconds += seconds * 1000;
    };
    await ask(listInventory(), free);
    await wait(REST_SECONDS);
    await wait(await reachLimit(ask, free));
    for (let sent = 0; sent < AFTER_THE_WAIT; sent += 1) {
      await ask(listInventory(), free);
    }
  } finally {
    await pool.destroy();
  }
  return traffic.toSorted((a, b) => a.request.sentAt - b.request.sentAt);
}

/** Lists, updates and looks, some of it at once. */
async function work(ask: Ask, petIds: readonly bigint[], key: string): Promise<void> {
  for (let round = 0; round < ROUNDS; round += 1) {
    const pets = petIds.slice(round % petIds.length).slice(0, AT_ONCE);
    await ask(listInventory(), key);
    await Promise.all(pets.map((petId, index) => ask(updateInventory(petId, 10 * round + index), key)));
    await Promise.all([
      ask(listInventory(), key),
      ask(listOrders(), key),
      ...pets.map((id) => ask(getPet(id), key)),
    ]);
  }
}

const BAD_BODIES = [
  '{}',
  '{"quantity":null}',
  '{"quantity":"5"}',
  '{"quantity":1.5}',
  '{"quantity":',
  '[]',
  '',
];

async function makeMistakes(ask: Ask, petIds: readonly bigint[], key: string): Promise<void> {
  const [petId = 1n] = petIds;
  for (const body of BAD_BODIES) {
    await ask(updateWithBody(petId, body), key);
  }
  await ask(updateInventory(404_404_404n, 5), key);
  for (const secret of [null, 'no-such-key']) {
    await ask(listInventory(), secret);
    await ask(updateInventory(petId, 77), secret);
  }
  await ask(listInventory(), key);
}

/** @returns seconds to wait, by Retry-After */
async function reachLimit(ask: Ask, key: string): Promise<number> {
  for (let sent = 0; sent < MOST_UNTIL_LIMIT; sent += 1) {
    const { response } = await ask(listInventory(), key);
    if (response?.status === 429) {
      const told = response.headers?.find(([name]) => name.toLowerCase() === 'retry-after')?.[1] ?? '';
      return /^\d{1,6}$/.test(told) ? Number(told) : 60;
    }
  }
  return 0;
}

async function advance(control: ControlClient, seconds: number): Promise<void> {
  if (seconds > 0) {
    await control.advance(seconds);
  }
}
