import { withBans, type BanRule } from '../service/bans.ts';
import type { VirtualClock } from '../service/clock.ts';
import { makeKey, planLimits, type KeyRecord } from '../service/key-store.ts';
import { createRateLimiter } from '../service/rate-limiter.ts';
import type { Stores } from '../start.ts';
import { windowFromFirstRequest } from '../service/window.ts';
import { createInventoryView } from './inventory-view.ts';
import { writeRecord } from './key-directory.ts';
import { occasions, type RequestOccasion } from './occasion.ts';
import type { Effect, StoreSession } from './session.ts';

/** Stores that stand for the shared state: they tell what the occasion knows, and require of Redis what it has to do. */
export interface SharedStores extends Stores {
  readonly clock: VirtualClock;
}

export interface SharedStoresOptions {
  readonly session: StoreSession;
  readonly ban: BanRule | false;
  readonly seedRecords: () => readonly string[];
  /** Told of effects that no request waits for. */
  readonly later: (effect: Effect) => void;
}

export function createSharedStores(options: SharedStoresOptions): SharedStores {
  const { session, ban, seedRecords, later } = options;
  const { replica } = session;
  // Counts records that only alterations know, in this process alone.
  const strangers = withBans(createRateLimiter(windowFromFirstRequest), ban);

  function require(effect: Effect): void {
    const occasion = occasions.getStore();
    if (occasion === undefined) {
      later(effect);
    } else {
      occasion.require(effect);
    }
  }

  function requireOf(key: KeyRecord, makeEffect: (digest: string) => Effect): void {
    const digest = replica.keys.digestOfRecord(key);
    if (digest !== undefined) {
      require(makeEffect(digest));
    }
  }

  const limiterOf = (key: KeyRecord) => occasionOf(key)?.limiter ?? strangers;
  const withoutOccasion = createInventoryView(replica, later);
  const inventory = () => occasions.getStore()?.inventory ?? withoutOccasion;

  return {
    clock: {
      now: () => occasions.getStore()?.now() ?? session.now(),
      advance: (seconds) => {
        occasions.getStore()?.advance(seconds);
        require(['advance', `${seconds}`]);
      },
    },
    keys: {
      find: (key) => {
        const occasion = occasions.getStore();
        return occasion?.key === key ? occasion.record : replica.keys.find(key, replica.keys.digestOf(key));
      },
      version: () => occasions.getStore()?.keysVersion ?? -1,
      issue: (plan, some) => {
        const key = makeKey(plan);
        const limits = { ...planLimits(plan), ...some };
        require(['issue', replica.keys.digestOf(key), writeRecord(plan, limits)]);
        return replica.keys.issue(key, plan, limits);
      },
      revoke: (key) => {
        const digest = replica.keys.digestOf(key);
        const isKnown = replica.keys.isKnown(digest);
        if (isKnown) {
          require(['revoke', digest]);
        }
        return isKnown;
      },
      reset: () => {
        const words = seedRecords();
        require(['records', `${words.length / 2}`, ...words]);
      },
    },
    limiter: {
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
    },
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

/** The occasion, where it is that of the key's own request. */
function occasionOf(key: KeyRecord): RequestOccasion | undefined {
  const occasion = occasions.getStore();
  return occasion?.record === key ? occasion : undefined;
}
