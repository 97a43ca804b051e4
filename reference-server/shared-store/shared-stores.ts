import { withBans, type BanRule } from '../service/bans.ts';
import type { VirtualClock } from '../service/service.ts';
import type { InventoryStore } from '../service/inventory-store.ts';
import { makeKey, planLimits, type KeyRecord, type KeyStore } from '../service/key-store.ts';
import { createRateLimiter, type RateLimiter } from '../service/rate-limiter.ts';
import type { Stores } from '../start.ts';
import { windowFromFirstRequest } from '../service/window.ts';
import { createInventoryView } from './inventory-view.ts';
import { writeRecord, type KeyDirectory } from './key-directory.ts';
import { occasions, type RequestOccasion } from './shared-service.ts';
import type { Effect, SharedState } from './shared-state.ts';

/** Stores that stand for the shared state: they tell what the occasion knows, and require of Redis what it has to do. */
export interface SharedStores extends Stores {
  readonly clock: VirtualClock;
}

export interface SharedStoresOptions {
  readonly state: SharedState;
  readonly ban: BanRule | false;
  readonly seedRecords: () => readonly string[];
  /** Takes effects that no request waits for. */
  readonly later: (effect: Effect) => void;
}

export function createSharedStores({ state, ban, seedRecords, later }: SharedStoresOptions): SharedStores {
  const { replica } = state;

  function require(effect: Effect): void {
    const occasion = occasions.getStore();
    if (occasion === undefined) {
      later(effect);
    } else {
      occasion.require(effect);
    }
  }

  const withoutOccasion = createInventoryView(replica, later);
  const inventory = (): InventoryStore => occasions.getStore()?.inventory ?? withoutOccasion;
  return {
    clock: {
      now: () => occasions.getStore()?.now() ?? state.now(),
      advance: (seconds) => {
        occasions.getStore()?.advance(seconds);
        require(['advance', `${seconds}`]);
      },
    },
    keys: shareKeys(replica.keys, require, seedRecords),
    limiter: shareLimiter(replica.keys, require, ban),
    inventory: {
      find: (petId) => inventory().find(petId),
      list: () => inventory().list(),
      version: () => inventory().version(),
      setQuantity: (petId, quantity) => inventory().setQuantity(petId, quantity),
      replace: (items) => inventory().replace(items),
      reset: () => inventory().reset(),
    },
  };
}

function shareKeys(
  directory: KeyDirectory,
  require: (effect: Effect) => void,
  seedRecords: () => readonly string[],
): KeyStore {
  return {
    find: (key) => {
      const occasion = occasions.getStore();
      return occasion?.key === key ? occasion.record : directory.find(key, directory.digestOf(key));
    },
    version: () => occasions.getStore()?.keysVersion ?? -1,
    issue: (plan, some) => {
      const key = makeKey(plan);
      const limits = { ...planLimits(plan), ...some };
      require(['issue', directory.digestOf(key), writeRecord(plan, limits)]);
      return directory.issue({ key, plan, limits });
    },
    revoke: (key) => {
      const digest = directory.digestOf(key);
      const isKnown = directory.isKnown(digest);
      if (isKnown) {
        require(['revoke', digest]);
      }
      return isKnown;
    },
    reset: () => {
      const words = seedRecords();
      require(['records', `${words.length / 2}`, ...words]);
    },
  };
}

function shareLimiter(
  directory: KeyDirectory,
  require: (effect: Effect) => void,
  ban: BanRule | false,
): RateLimiter {
  // Counts records that only alterations know, in this process alone.
  const strangers = withBans(createRateLimiter(windowFromFirstRequest), ban);
  const limiterOf = (key: KeyRecord): RateLimiter => occasionOf(key)?.limiter ?? strangers;

  function requireOf(key: KeyRecord, makeEffect: (digest: string) => Effect): void {
    const digest = directory.digestOfRecord(key);
    if (digest !== undefined) {
      require(makeEffect(digest));
    }
  }

  return {
    decide: (key, now, request) => {
      if (occasionOf(key)?.takeDecision() !== true) {
        requireOf(key, (digest) => ['decide', digest]);
      }
      return limiterOf(key).decide(key, now, request);
    },
    look: (key, now) => limiterOf(key).look(key, now),
    giveBack: (key) => {
      requireOf(key, (digest) => ['giveBack', digest]);
      limiterOf(key).giveBack(key);
    },
    countEarlier: (key, requests, now) => {
      requireOf(key, (digest) => ['earlier', digest, `${requests}`]);
      limiterOf(key).countEarlier(key, requests, now);
    },
    reset: () => {
      require(['usage']);
      strangers.reset();
    },
  };
}

/** The occasion, if it is that of the key's own request. */
function occasionOf(key: KeyRecord): RequestOccasion | undefined {
  const occasion = occasions.getStore();
  return occasion?.record === key ? occasion : undefined;
}
