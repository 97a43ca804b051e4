import type { InventoryItem } from '../contract/inventory.ts';
import { isAccepted, jsonOf, mediaTypeOf, retryAfterOf, type Exchange } from './exchange.ts';
import { openConnections, type TransportOptions } from './http-transport.ts';
import type { KeyLeases } from './key-leases.ts';
import type { Key } from './keys.ts';
import { readListing } from './lab.ts';
import { listInventory } from './operations.ts';
import { NoResponse } from './no-response.ts';
import { exchangeOver, secondsToWait, type Wire } from './wire.ts';

/** What one request tells before any check runs. All but `ready` and `planned` end the run undecided. */
export type Preflight =
  | { readonly state: 'planned' }
  | {
      readonly state: 'ready';
      /** The items of the list that can be read, or `null` where none can. */
      readonly items: readonly InventoryItem[] | null;
      /** Whether these are all items of the list. */
      readonly isWhole: boolean;
      readonly listBytes: number;
      readonly key: Key;
      readonly notice: string | null;
    }
  | {
      readonly state:
        | 'unreachable'
        | 'wrong-base-path'
        | 'key-refused'
        | 'limited'
        | 'out-of-service'
        | 'control-failed';
      readonly message: string;
    };

const LONGEST_WAIT_SECONDS = 130;
const OUT_OF_SERVICE = new Set([502, 503, 504]);

/** Asks for the list once, and tells a target that can't be judged from one that does not conform. */
export async function preflight(
  wire: Wire,
  transport: TransportOptions,
  leases: KeyLeases,
): Promise<Preflight> {
  const [key] = await leases.lease([{ plan: 'any', use: 'share', requests: 3 }]);
  if (key === undefined || key === null) {
    throw new Error('No key could be leased for the pre-flight');
  }
  const pool = openConnections(wire.origin, 1, transport);
  const onAbort = (): void => void pool.destroy();
  wire.signal.addEventListener('abort', onAbort, { once: true });
  try {
    let exchange = await exchangeOver(wire, pool, listInventory(), { key });
    if (exchange.response.status === 429) {
      const wait = retryAfterOf(exchange) === undefined ? 60 : (secondsToWait(exchange, wire.clock) ?? 60);
      if (wait > LONGEST_WAIT_SECONDS && !wire.time.virtual) {
        return { state: 'limited', message: limitedMessage(key, wait) };
      }
      await wire.time.sleep(wait, `${key.label} was at its limit before the run`);
      exchange = await exchangeOver(wire, pool, listInventory(), { key });
    }
    if (exchange.response.status === 401 && key.issued) {
      // The monitors have it already, if this key turns out to be valid.
      exchange = await exchangeOver(wire, pool, listInventory(), { key });
    }
    return assess(exchange, key, wire);
  } catch (error) {
    if (error instanceof NoResponse) {
      return { state: 'unreachable', message: unreachableMessage(wire.origin, error) };
    }
    throw error;
  } finally {
    wire.signal.removeEventListener('abort', onAbort);
    await pool.destroy();
    leases.release(key);
  }
}

function assess(exchange: Exchange, key: Key, { origin, basePath }: Wire): Preflight {
  const { status } = exchange.response;
  const base = `${origin}${basePath}`;
  if (status === 401 || status === 403) {
    return {
      state: 'key-refused',
      message: `The target refuses the key ${key.label} (${status}). Check that it is valid for ${base}, and that it is not banned.`,
    };
  }
  if (status === 404 || status === 405 || (status >= 300 && status < 400)) {
    return {
      state: 'wrong-base-path',
      message: `GET ${base}/inventory answers ${status}, so ${base} does not seem to be the base address. It has to be the address in front of /inventory, which usually ends in /v1.`,
    };
  }
  if (status === 429) {
    return { state: 'limited', message: limitedMessage(key, null) };
  }
  if (OUT_OF_SERVICE.has(status)) {
    return {
      state: 'out-of-service',
      message: `GET ${base}/inventory answers ${status}: the service behind it is not ready.`,
    };
  }
  const items = isAccepted(exchange) ? readListing(exchange) : undefined;
  const isHtml = mediaTypeOf(exchange) === 'text/html';
  return {
    state: 'ready',
    items: items === undefined ? null : [...items.values()],
    isWhole: lengthOf(exchange) === items?.size,
    listBytes: exchange.response.body.length,
    key,
    notice: isHtml
      ? `GET ${base}/inventory answers ${status} with an HTML page. If that is not your service, check the target's address and base path.`
      : null,
  };
}

function lengthOf(exchange: Exchange): number | undefined {
  const body = jsonOf(exchange);
  return Array.isArray(body) ? body.length : undefined;
}

function limitedMessage(key: Key, seconds: number | null): string {
  const when = seconds === null ? '' : `, and says to come back in ${Math.ceil(seconds)} s`;
  return `The target refuses ${key.label} for its rate before the run began${when}. Give a key that nothing else uses, or wait.`;
}

function unreachableMessage(origin: string, error: Error): string {
  return `No answer from ${origin}: ${error.message} Check the address, and that the service runs; --timeout gives it longer.`;
}
