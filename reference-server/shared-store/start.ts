import { SEED_KEYS, seedInventory } from '../../fixtures/corpora/index.ts';
import { alterOptions, alterParts, composeService, type Alteration } from '../alterations/alteration.ts';
import { createControl } from '../ports/control.ts';
import { createInventoryStore } from '../service/inventory-store.ts';
import { createKeyStore } from '../service/key-store.ts';
import { createRateLimiter } from '../service/rate-limiter.ts';
import { createVirtualClock } from '../service/service.ts';
import { windowFromFirstRequest } from '../service/window.ts';
import {
  banRule,
  createParts,
  openPorts,
  type ReferenceServerOptions,
  type RunningServer,
} from '../start.ts';
import { joinLog, type SharedLogOptions } from './shared-log.ts';
import { createSharedStores, inSilence, shareControl, shareService } from './shared-service.ts';
import { createSharedState } from './shared-state.ts';

/**
 * Starts the reference implementation with its state in Redis, which any number of processes share that are started
 * with the same options.
 * @throws {UnusableStoreError} if the store cannot be used
 * @throws if a port cannot be listened on
 */
export async function startSharedServer(
  given: ReferenceServerOptions,
  store: Omit<SharedLogOptions, 'state'>,
): Promise<RunningServer> {
  const { alterations = [] } = given;
  const options = alterOptions(given, alterations);
  const { inventory = seedInventory(), keys = SEED_KEYS } = options;
  const ban = banRule(options);
  let forget: (() => void) | undefined;
  const state = createSharedState({ seed: { keys, inventory, ban }, onReset: () => forget?.() });
  const log = await joinLog({ ...store, state });
  const sharing = { log, state, ban };
  const stores = createSharedStores(sharing);
  const parts = alterParts(createParts(options, stores), alterations);
  // What alterations remember ends in every process, though one alone was told to reset.
  forget = () =>
    inSilence(() => {
      parts.keys.reset();
      parts.limiter.reset();
      parts.inventory.reset();
    });

  try {
    const server = await openPorts(options, parts.route, {
      service: shareService(composeService(parts, alterations), sharing),
      control: shareControl(
        createControl({ ...parts, clock: { now: parts.clock.now, advance: stores.clock.advance } }),
        sharing,
      ),
    });
    return {
      ...server,
      close: async () => {
        await server.close();
        log.close();
      },
    };
  } catch (error) {
    log.close();
    throw error;
  }
}

/** A part that an alteration replaces, so that the shared state would no longer decide. */
export type UnshareablePart = 'window' | 'clock' | 'keys' | 'limiter' | 'inventory';

/** The parts that hold state and that an alteration replaces or wraps. */
export function replacedParts({ options, parts }: Alteration): readonly UnshareablePart[] {
  const altered = options?.({}) ?? {};
  const original = createParts(altered, {
    clock: createVirtualClock(),
    keys: createKeyStore([]),
    limiter: createRateLimiter(() => windowFromFirstRequest),
    inventory: createInventoryStore([]),
  });
  const replaced = { ...original, ...parts?.(original) };
  const stores = (['clock', 'keys', 'limiter', 'inventory'] as const).filter(
    (name) => replaced[name] !== original[name],
  );
  return altered.window === undefined ? stores : ['window', ...stores];
}
