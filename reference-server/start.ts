import type { InventoryItem } from '../contract/inventory.ts';
import { SEED_KEYS, seedInventory, type SeedKey } from '../fixtures/seed.ts';
import { createAuthenticator } from './authenticator.ts';
import { createVirtualClock } from './clock.ts';
import { createControl } from './control.ts';
import { createInventoryStore } from './inventory-store.ts';
import { createKeyStore } from './key-store.ts';
import { listen, type Listener } from './listen.ts';
import type { Service } from './messages.ts';
import { createRateLimiter, type BanRule } from './rate-limiter.ts';
import { createRenderer } from './render.ts';
import { representation } from './representation.ts';
import { BASE_PATH, route } from './router.ts';
import { createService, type ServiceParts } from './service.ts';

export interface ReferenceServerOptions {
  /** Default 127.0.0.1. */
  readonly host?: string;
  /** Default 0, any free port. */
  readonly port?: number;
  /** `false` starts no control port; it is bound to 127.0.0.1 whatever `host` is. */
  readonly control?: boolean;
  /** Default 0, any free port. */
  readonly controlPort?: number;
  /** Entries at start; default `seedInventory()`. */
  readonly inventory?: readonly InventoryItem[];
  /** Keys at start; default `SEED_KEYS`. */
  readonly keys?: readonly SeedKey[];
  /** Default: a ban of 60 s after 10 refused requests that follow a 429, answered 429. */
  readonly ban?: Partial<BanRule> | false;
  /** Whole Unix seconds; default 1 January 2026. */
  readonly deprecatedSince?: number;
  /** Whole Unix seconds; default 1 January 2028. */
  readonly sunset?: number;
  /** How long `close` waits for requests in flight, in milliseconds; default 5,000. */
  readonly graceMilliseconds?: number;
  /** Replaces parts of the service; the control contract then acts on the replaced ones. */
  readonly replaceParts?: (parts: ServiceParts) => ServiceParts;
  /** Composes the service; default `createService`. */
  readonly compose?: (parts: ServiceParts) => Service;
}

export interface RunningServer {
  /** Base address, `http://HOST:PORT/v1`. */
  readonly url: string;
  /** Address of the control contract, without a trailing slash; '' where there is none. */
  readonly controlUrl: string;
  /** Lets requests in flight finish and frees the ports. */
  readonly close: () => Promise<void>;
}

const DEFAULT_BAN: BanRule = { afterRefused: 10, seconds: 60, status: 429 };
const DEPRECATED_SINCE = Date.UTC(2026, 0, 1) / 1_000;
const SUNSET = Date.UTC(2028, 0, 1) / 1_000;
const MAXIMUM_BODY_BYTES = 1_048_576;
const MAXIMUM_CONTROL_BODY_BYTES = 67_108_864;
const LOOPBACK = '127.0.0.1';

/**
 * Starts the reference implementation of the specification, with its state in memory.
 * @throws where a port can't be listened on
 */
export async function startReferenceServer(options: ReferenceServerOptions = {}): Promise<RunningServer> {
  const { graceMilliseconds = 5_000, replaceParts, compose = createService } = options;
  const clock = createVirtualClock();
  const defaults = createParts(options, clock);
  const parts = replaceParts?.(defaults) ?? defaults;

  const service = await listen(compose(parts), {
    host: options.host ?? LOOPBACK,
    port: options.port ?? 0,
    maximumBodyBytes: MAXIMUM_BODY_BYTES,
    graceMilliseconds,
  });
  const control =
    options.control === false
      ? undefined
      : await listenOrClose(
          service,
          createControl({ ...parts, clock: { now: parts.clock.now, advance: clock.advance } }),
          {
            host: LOOPBACK,
            port: options.controlPort ?? 0,
            maximumBodyBytes: MAXIMUM_CONTROL_BODY_BYTES,
            graceMilliseconds,
          },
        );
  return {
    url: `${service.origin}${BASE_PATH}`,
    controlUrl: control?.origin ?? '',
    close: async () => {
      await Promise.all([service.close(), control?.close()]);
    },
  };
}

function createParts(options: ReferenceServerOptions, clock: ServiceParts['clock']): ServiceParts {
  const ban = options.ban === false ? false : { ...DEFAULT_BAN, ...options.ban };
  return {
    clock,
    keys: createKeyStore(options.keys ?? SEED_KEYS),
    authenticate: createAuthenticator(),
    limiter: createRateLimiter(ban),
    inventory: createInventoryStore(options.inventory ?? seedInventory()),
    route,
    representation,
    render: createRenderer(),
    deprecation: {
      since: options.deprecatedSince ?? DEPRECATED_SINCE,
      sunset: options.sunset ?? SUNSET,
    },
    banStatus: ban === false ? DEFAULT_BAN.status : ban.status,
  };
}

async function listenOrClose(running: Listener, ...toListen: Parameters<typeof listen>): Promise<Listener> {
  try {
    return await listen(...toListen);
  } catch (error) {
    await running.close();
    throw error;
  }
}
