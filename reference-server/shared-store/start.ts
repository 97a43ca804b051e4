import { hash } from 'node:crypto';

import { SEED_KEYS, seedInventory } from '../../fixtures/corpora/index.ts';
import { alterOptions, alterParts, composeService, type Alteration } from '../alterations/alteration.ts';
import { createControl } from '../ports/control.ts';
import { planLimits, createKeyStore } from '../service/key-store.ts';
import {
  banRule,
  createParts,
  openPorts,
  type ReferenceServerOptions,
  type RunningServer,
} from '../start.ts';
import { writeRecord } from './key-directory.ts';
import { createOccasion, occasions, shareControl, shareService } from './shared-service.ts';
import { createReplica, writeEntries } from './replica.ts';
import { joinSharedState, type Effect } from './shared-state.ts';
import { createSharedStores } from './shared-stores.ts';
import { createRateLimiter } from '../service/rate-limiter.ts';
import { createVirtualClock } from '../service/service.ts';
import { createInventoryStore } from '../service/inventory-store.ts';
import { windowFromFirstRequest } from '../service/window.ts';

export interface SharedStoreOptions {
  /** `redis://HOST:PORT/DB` */
  readonly url: string;
  /** Tells services on one Redis apart. */
  readonly namespace: string;
}

/**
 * Starts the reference implementation with its state in Redis, which any number of processes share that are started
 * with the same options.
 * @throws {UnusableStoreError} if the store cannot be used
 * @throws if a port cannot be listened on
 */
export async function startSharedServer(
  given: ReferenceServerOptions,
  store: SharedStoreOptions,
): Promise<RunningServer> {
  const { alterations = [] } = given;
  const options = alterOptions(given, alterations);
  const { inventory = seedInventory(), keys = SEED_KEYS } = options;
  const ban = banRule(options);
  const replica = createReplica(inventory);
  const beginning = hash('sha256', JSON.stringify([keys, ban, writeEntries(inventory)]));

  function seedRecords(): readonly string[] {
    return keys.flatMap(({ key, plan, revoked, ...limits }) => [
      replica.keys.digestOf(key),
      writeRecord(plan, { ...planLimits(plan), ...limits }, revoked),
    ]);
  }

  const state = await joinSharedState({
    ...store,
    replica,
    ban,
    seedRecords,
    configuration: () => replica.keys.digestOf(beginning),
  });
  const later = (effect: Effect): void => {
    state.apply([effect]).catch((error: unknown) => process.emitWarning(String(error)));
  };
  const stores = createSharedStores({ state, ban, seedRecords, later });
  const parts = alterParts(createParts(options, stores), alterations);
  const sharing = { state, ban, later };

  /** What alterations remember ends in every process, though one alone was told to reset. */
  replica.onReset(() => {
    const verdict = { now: state.now(), keysVersion: -1, usage: undefined };
    const silence = createOccasion({
      key: '',
      digest: '',
      verdict,
      replica,
      ban,
      later: () => undefined,
    });
    occasions.run(silence, () => {
      parts.keys.reset();
      parts.limiter.reset();
      parts.inventory.reset();
    });
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
        state.close();
      },
    };
  } catch (error) {
    state.close();
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
    limiter: createRateLimiter(windowFromFirstRequest),
    inventory: createInventoryStore([]),
  });
  const replaced = { ...original, ...parts?.(original) };
  const stores = (['clock', 'keys', 'limiter', 'inventory'] as const).filter(
    (name) => replaced[name] !== original[name],
  );
  return altered.window === undefined ? stores : ['window', ...stores];
}
