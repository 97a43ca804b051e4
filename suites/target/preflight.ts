import { setTimeout as delay } from 'node:timers/promises';
import type { InventoryItem } from '../../contract/inventory.ts';
import {
  bodyBytesOf,
  header,
  isAccepted,
  listOf,
  mediaTypeOf,
  rateLimitOf,
  retryAfterOf,
  type Exchange,
  type Key,
  type Listing,
  readListing,
  secondsToWait,
  percentDecoded,
} from '../oracle/index.ts';
import { WaitTooLong } from './control/timekeeper.ts';
import { overPool, type TransportOptions } from './http/http-transport.ts';
import { leaseOne, type KeyLeases } from './keys/key-leases.ts';
import { NoRoomLeft } from './keys/lease-configured-keys.ts';
import { listInventory, listOrders } from './http/operations.ts';
import { explainUnreachable, httpsAdvice, saysHttpsIsWanted } from './http/unreachable.ts';
import { evidence } from './http/judge-exchange.ts';
import { NoResponse } from './http/no-response.ts';
import { performExchange } from './http/perform-exchange.ts';
import { connectTo, UNTRACKED_LIVENESS, type TargetClient } from './http/target-client.ts';

/** What the first request shows of a target that can be judged. */
export type ReadyPreflight = ReturnType<typeof ready>;

/** Why nothing of a target can be judged. */
export interface PreflightFailure {
  readonly state:
    | 'unreachable'
    | 'wrong-base-path'
    | 'not-the-service'
    | 'key-refused'
    | 'limited'
    | 'out-of-service'
    | 'control-failed'
    | 'interrupted'
    /** It is there, or was, and left the first request without an answer, which is judged as a failure of `list-succeeds`. */
    | 'died';
  readonly message: string;
}

export type Preflight = ReadyPreflight | PreflightFailure;

const LONGEST_WAIT_SECONDS = 130;
const OUT_OF_SERVICE = new Set([502, 503, 504]);

/**
 * Asks for the list once. A target that cannot be judged is not one that does not conform.
 * @param existing petIds that the user named
 */
export function preflight(
  client: TargetClient,
  transport: TransportOptions,
  leases: KeyLeases,
  existing: readonly bigint[] = [],
): Promise<Preflight> {
  // A target that does not answer yet is explained by the pre-flight itself.
  const liveness = { ...client.liveness, ask: UNTRACKED_LIVENESS.ask };
  return client.time.participate(() => askOnce({ ...client, liveness }, transport, leases, existing));
}

async function askOnce(
  client: TargetClient,
  transport: TransportOptions,
  leases: KeyLeases,
  existing: readonly bigint[],
): Promise<Preflight> {
  const need = { plan: 'any', use: 'share', requests: 4 } as const;
  const given = leases.candidates(need).length;
  let key: Key | null = null;
  const leased: Key[] = [];
  const leaseNext = async (): Promise<Key> => {
    const next = await leaseOne(leases, need);
    leased.push(next);
    return next;
  };
  const onAbort = new AbortController();
  const ask = (message = listInventory(), holder = key): Promise<Exchange> =>
    overPool(connectTo(client, 1, transport), (pool) => {
      const stop = (): void => void pool.destroy();
      client.signal.addEventListener('abort', stop, { once: true, signal: onAbort.signal });
      const credentials = holder === null ? { authorization: [], labels: [] } : { key: holder };
      return performExchange(client, pool, message, credentials);
    });
  try {
    key = leases.issues || given > 0 ? await leaseNext() : null;
    let exchange = await ask();
    // Another key may have room when the day of this one is used up.
    while (isLimitedForLong(client, exchange) && leased.length < given) {
      key = await leaseNext();
      exchange = await ask();
    }
    if (key === null) {
      // Whatever it was answered, the target is there.
      return ready(exchange, key, null, existing);
    }
    if (exchange.response.status === 429) {
      const wait = secondsAskedFor(client, exchange);
      if (isLimitedForLong(client, exchange)) {
        return { state: 'limited', message: limitedMessage(key, wait) };
      }
      await client.time.sleep(wait, `${key.label} was at its limit before the run`);
      exchange = await ask();
    }
    if ([401, 403].includes(exchange.response.status) && key.issued) {
      // A target of several processes may need a moment, and another connection, to know a new key.
      await delay(NEW_KEY_MILLISECONDS);
      exchange = await ask();
    }
    const isBeside = [404, 405].includes(exchange.response.status);
    return isBeside && (await isAnswered(ask(listOrders()), isAccepted))
      ? ready(exchange, key, ONLY_LIST_IS_NOT, existing)
      : assess(exchange, key, client, existing);
  } catch (error) {
    const isThere = (): Promise<boolean> => isAnswered(ask(listInventory(), null), isUnauthorized);
    return await explainFailure(client, transport, error, key === null ? null : isThere);
  } finally {
    onAbort.abort();
    leased.forEach((one) => leases.release(one));
  }
}

function secondsAskedFor({ clock }: TargetClient, exchange: Exchange): number {
  return retryAfterOf(exchange) === undefined ? 60 : (secondsToWait(exchange, clock) ?? 60);
}

function isLimitedForLong(client: TargetClient, exchange: Exchange): boolean {
  return (
    exchange.response.status === 429 &&
    !client.time.virtual &&
    secondsAskedFor(client, exchange) > LONGEST_WAIT_SECONDS
  );
}

/** @param isThere whether the service answers without a key, if it was asked with one */
async function explainFailure(
  client: TargetClient,
  transport: TransportOptions,
  error: unknown,
  isThere: (() => Promise<boolean>) | null,
): Promise<PreflightFailure> {
  if (error instanceof NoRoomLeft || error instanceof WaitTooLong) {
    return { state: 'limited', message: `${error.message} ${LIMITED_ADVICE}` };
  }
  if (!(error instanceof NoResponse)) {
    throw error;
  }
  const { ending } = error;
  if (ending === 'too large') {
    return { state: 'unreachable', message: error.message };
  }
  const isBroken = (ending === 'closed' || ending === 'silent') && (await isThere?.()) === true;
  if (ending !== 'gone' && !isBroken) {
    return { state: 'unreachable', message: await explainUnreachable(client, transport, error) };
  }
  const why = isBroken
    ? 'Without a key it is answered 401 as documented, so the service runs, and fails on a good key.'
    : 'The target took this request and answered nothing from then on; it seems to have died of it.';
  const message = `${error.message} ${why}`;
  client.judgements.fail('preflight', 'list-succeeds', evidence(client, message));
  return { state: 'died', message };
}

const NEW_KEY_MILLISECONDS = 1_000;
const ONLY_LIST_IS_NOT = 'GET /store/orders is answered as by the service, and GET /inventory is not.';

/** Whether the service itself, as its headers show, answers so. */
async function isAnswered(asked: Promise<Exchange>, fits: (exchange: Exchange) => boolean): Promise<boolean> {
  try {
    const exchange = await asked;
    return rateLimitOf(exchange) !== undefined && fits(exchange);
  } catch (error) {
    if (error instanceof NoResponse) {
      return false;
    }
    throw error;
  }
}

function isUnauthorized({ response: { status } }: Exchange): boolean {
  return status === 401;
}

function assess(
  exchange: Exchange,
  key: Key,
  { origin, basePath }: TargetClient,
  existing: readonly bigint[],
): Preflight {
  const { status } = exchange.response;
  const base = `${origin}${basePath}`;
  const list = `${base}/inventory`;
  const readyWith = (notice: string | null): Preflight => ready(exchange, key, notice, existing);
  if ([401, 403, 429].includes(status) && key.issued) {
    return readyWith(
      `The target refuses ${key.label} (${status}), a key that its control URL has just issued and that nothing else has used.`,
    );
  }
  if (status === 401 || status === 403) {
    return {
      state: 'key-refused',
      message: `The target refuses the key ${key.label} (${status}). Check that it is valid for ${base}, and that it is not banned.`,
    };
  }
  // What nobody asked for is no redirect.
  if (status >= 300 && status < 400 && status !== 304) {
    const { isSameList, message } = readListRedirect(list, status, header(exchange, 'Location'));
    return isSameList ? readyWith(message) : { state: 'wrong-base-path', message };
  }
  if (
    status === 405 &&
    rateLimitOf(exchange) !== undefined &&
    /\bGET\b/.test(header(exchange, 'Allow') ?? '')
  ) {
    return readyWith(`GET ${list} is answered 405 by the service, with an Allow that names GET.`);
  }
  if (status === 404 || status === 405) {
    return {
      state: 'wrong-base-path',
      message: `GET ${list} answers ${status}, so ${base} does not seem to be the base address. It has to be the address in front of /inventory, which usually ends in /v1.`,
    };
  }
  if (status === 429) {
    return { state: 'limited', message: limitedMessage(key, null) };
  }
  if (OUT_OF_SERVICE.has(status)) {
    return {
      state: 'out-of-service',
      message: `GET ${list} answers ${status}: the service behind it is not ready.`,
    };
  }
  if (saysHttpsIsWanted(status, exchange.response.body)) {
    const { host } = new URL(origin);
    return { state: 'unreachable', message: `No service at ${origin}: ${httpsAdvice(host)}` };
  }
  return readyWith(
    mediaTypeOf(exchange) === 'text/html'
      ? `GET ${list} answers ${status} with an HTML page. If that is not your service, check the target's address and base path.`
      : null,
  );
}

/** @param key without one nothing of the list is used */
function ready(exchange: Exchange, key: Key | null, notice: string | null, existing: readonly bigint[]) {
  const items = key !== null && isAccepted(exchange) ? readListing(exchange) : undefined;
  return {
    state: 'ready' as const,
    /** The items of the list that can be read, or `null` if none can. */
    items: items === undefined ? null : pickItems(items, existing),
    /** Whether these are all items of the list. */
    isWhole: items !== undefined && listOf(exchange)?.length === items.size && items.size <= MOST_ITEMS,
    listBytes: bodyBytesOf(exchange.response),
    /** How long that answer took. */
    latencyMilliseconds: exchange.durationMilliseconds,
    key,
    notice,
  };
}

// A longer list is neither kept nor put back as a whole.
const MOST_ITEMS = 50_000;

/** All items, or of a very long list the named ones and some others. */
function pickItems(items: Listing['items'], existing: readonly bigint[]): readonly InventoryItem[] {
  if (items.size <= MOST_ITEMS) {
    return [...items.values()];
  }
  const step = Math.ceil(items.size / MOST_ITEMS);
  const spread = items.values().filter((_, index) => index % step === 0);
  const named = existing.flatMap((petId) => items.get(petId) ?? []);
  return [...new Map([...named, ...spread].map((item) => [item.petId, item])).values()];
}

function limitedMessage(key: Key, seconds: number | null): string {
  const when = seconds === null ? '' : `, and asks to wait ${Math.ceil(seconds)} s`;
  return `The target refuses ${key.label} for its rate before the run began${when}. ${LIMITED_ADVICE}`;
}

const LIMITED_ADVICE = 'Give a key that nothing else uses, or wait.';

/**
 * Reads the Location of a redirect (RFC 9110, section 10.2.2): it leads to the same list in another spelling, to that of
 * another base address, or elsewhere.
 * @param list the URL that was asked for, which ends in /inventory
 */
export function readListRedirect(
  list: string,
  status: number,
  location: string | undefined,
): { readonly isSameList: boolean; readonly message: string } {
  const asked = new URL(list);
  const target = location === undefined ? null : URL.parse(location, list);
  if (target === null) {
    const message = `GET ${list} answers ${status} without a Location that can be followed. Check the target's address and base path.`;
    return { isSameList: false, message };
  }
  if (target.origin === asked.origin && plainPath(target) === plainPath(asked)) {
    const message = `GET ${list} is not answered but redirected (${status}) to ${target.pathname + target.search}, another spelling of the same path.`;
    return { isSameList: true, message };
  }
  const base = /^(.*)\/inventory\/?$/.exec(target.pathname)?.[1];
  const message =
    base === undefined
      ? `GET ${list} redirects (${status}) to ${target.origin + target.pathname}, which is not an inventory. Check the target's address and base path, and whether something in front of the service asks for a login.`
      : `GET ${list} redirects (${status}) to another address. Use ${target.origin + base} as the target.`;
  return { isSameList: false, message };
}

/** The path without what servers take for mere spelling: slashes too many, letter-case, percent-encoding. */
function plainPath({ pathname }: URL): string {
  return percentDecoded(pathname)
    .replaceAll(/\/{2,}/g, '/')
    .replace(/\/$/, '')
    .toLowerCase();
}
