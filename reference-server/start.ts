import { SEED_KEYS, seedInventory } from '../fixtures/corpora/index.ts';
import { alterOptions, alterParts, composeService, type Alteration } from './alterations/alteration.ts';
import type { ServerOptions } from './options.ts';
import { createAuthenticator } from './service/authenticator.ts';
import { withBans, type BanRule } from './service/bans.ts';
import { createVirtualClock, type Clock, untouchedMinute, type ServiceParts } from './service/service.ts';
import { createControl } from './ports/control.ts';
import { guardControl } from './ports/control-guard.ts';
import { createInventoryStore } from './service/inventory-store.ts';
import { createKeyStore } from './service/key-store.ts';
import { readInventoryUpdate, readPetId } from './service/inventory-update.ts';
import { listen, type Listener } from './ports/listen.ts';
import type { Service } from './service/messages.ts';
import { createRateLimiter, tighterOf } from './service/rate-limiter.ts';
import { writeDeltaSeconds } from './service/refusals.ts';
import { createRenderer, representation } from './service/answer.ts';
import { BASE_PATH, createRouter, type Router } from './service/router.ts';
import { windowFromFirstRequest } from './service/window.ts';

export interface ReferenceServerOptions extends ServerOptions {
  /** What is different from the reference, in the order in which it is applied. */
  readonly alterations?: readonly Alteration[];
}

export interface RunningServer {
  /** Base address, `http://HOST:PORT/v1` if no other path was chosen. */
  readonly url: string;
  /** Address of the control contract, without a trailing slash; '' if there is none. */
  readonly controlUrl: string;
  /** Lets requests in flight finish and frees the ports. */
  readonly close: () => Promise<void>;
}

const DEFAULT_BAN: BanRule = { afterRefused: 10, seconds: 60, status: 429, extended: false };
const MAXIMUM_BODY_BYTES = 1_048_576;
const MAXIMUM_CONTROL_BODY_BYTES = 67_108_864;
const LOOPBACK = '127.0.0.1';

/**
 * Starts the reference implementation of the specification, with its state in memory.
 * @throws if a port cannot be listened on
 */
export async function startReferenceServer(given: ReferenceServerOptions = {}): Promise<RunningServer> {
  const { alterations = [] } = given;
  const options = alterOptions(given, alterations);
  const clock = createVirtualClock();
  const parts = createAlteredParts(options, clock, alterations);
  return openPorts(options, parts.route, {
    service: composeService(parts, alterations),
    control: createControl({ ...parts, clock: { now: parts.clock.now, advance: clock.advance } }),
  });
}

/**
 * The parts of a service with its state in memory.
 * @param options altered already
 */
export function createAlteredParts(
  options: ServerOptions,
  clock: Clock,
  alterations: readonly Alteration[],
): ServiceParts {
  const stores = {
    clock,
    keys: createKeyStore(options.keys ?? SEED_KEYS),
    limiter: withBans(createRateLimiter(options.window ?? (() => windowFromFirstRequest)), banRule(options)),
    inventory: createInventoryStore(options.inventory ?? seedInventory()),
  };
  return alterParts(createParts(options, stores), alterations);
}

/** What holds the state of a service. */
export type Stores = Pick<ServiceParts, 'clock' | 'keys' | 'limiter' | 'inventory'>;

/** The parts of the reference service around its state. */
export function createParts(options: ServerOptions, stores: Stores): ServiceParts {
  const ban = banRule(options);
  return {
    ...stores,
    authenticate: createAuthenticator(),
    describe: tighterOf,
    describeWithoutKey: untouchedMinute,
    readPetId,
    readUpdate: readInventoryUpdate,
    route: createRouter(options.basePath ?? BASE_PATH),
    representation,
    render: createRenderer(),
    retryAfter: writeDeltaSeconds,
    banStatus: ban === false ? DEFAULT_BAN.status : ban.status,
  };
}

/** How keys are banned; `false` for not at all. */
export function banRule({ ban }: ReferenceServerOptions): BanRule | false {
  return ban === false ? false : { ...DEFAULT_BAN, ...ban };
}

/**
 * Listens on the ports of a service and of its control contract.
 * @throws if a port cannot be listened on
 */
export async function openPorts(
  options: ReferenceServerOptions,
  route: Router,
  services: { readonly service: Service; readonly control: Service },
): Promise<RunningServer> {
  const { graceMilliseconds = 5_000, keepAliveMilliseconds = 65_000, basePath = BASE_PATH } = options;
  const service = await listen(services.service, {
    host: options.host ?? LOOPBACK,
    port: options.port ?? 0,
    maximumBodyBytes: MAXIMUM_BODY_BYTES,
    graceMilliseconds,
    keepAliveMilliseconds,
    route,
  });
  const control =
    options.control === false
      ? undefined
      : await listenOrClose(service, guardControl(services.control), {
          host: LOOPBACK,
          port: options.controlPort ?? 0,
          maximumBodyBytes: MAXIMUM_CONTROL_BODY_BYTES,
          graceMilliseconds,
          keepAliveMilliseconds,
          route: () => ({ kind: 'not-found' }),
        });
  return {
    url: `${service.origin}${basePath}`,
    controlUrl: control?.origin ?? '',
    close: async () => {
      await Promise.all([service.close(), control?.close()]);
    },
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
