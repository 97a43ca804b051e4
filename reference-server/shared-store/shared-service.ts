import { AsyncLocalStorage } from 'node:async_hooks';

import type { InventoryItem } from '../../contract/inventory.ts';
import { readKey } from '../service/authenticator.ts';
import { type BanRule, withBans } from '../service/bans.ts';
import type { InventoryStore } from '../service/inventory-store.ts';
import { makeKey, planLimits, type KeyRecord, type KeyStore } from '../service/key-store.ts';
import type { MessageRefusal, Service, ServiceRequest, ServiceResponse } from '../service/messages.ts';
import { createRateLimiter, type RateLimiter } from '../service/rate-limiter.ts';
import type { VirtualClock } from '../service/service.ts';
import { windowFromFirstRequest } from '../service/window.ts';
import type { Stores } from '../start.ts';
import { StateLostError, StoreUnavailableError } from './connection.ts';
import type { SharedLog } from './shared-log.ts';
import { readUsage, resumeLimiter, writeRecord, type Ruling } from './shared-keys.ts';
import { writeItems, type Command, type SharedState } from './shared-state.ts';

/** What the processes of a service share, as one of them has it. */
export interface Sharing {
  readonly log: SharedLog;
  readonly state: SharedState;
  readonly ban: BanRule | false;
}

/**
 * Has the log decide on each request before the service answers it, and take what the answer says before it goes out. If
 * Redis does not answer, the response is a 503.
 */
export function shareService(service: Service, sharing: Sharing): Service {
  return {
    ...service,
    respond: (request) =>
      respondOrRefuse(service, () => respondOnOccasion(service, request, readKey(request) ?? '', sharing)),
  };
}

/** The same for the control contract. A reset also ends the state of having lost something. */
export function shareControl(control: Service, sharing: Sharing): Service {
  return {
    ...control,
    respond: (request) =>
      respondOrRefuse(control, async () => {
        try {
          return await respondOnOccasion(control, request, '', sharing);
        } catch (error) {
          if (!(error instanceof StateLostError && isReset(request))) {
            throw error;
          }
          await sharing.log.append([sharing.state.reset()]);
          return respondOnOccasion(control, request, '', sharing);
        }
      }),
  };
}

async function respondOnOccasion(
  service: Service,
  request: ServiceRequest,
  key: string,
  { log, state, ban }: Sharing,
): Promise<ServiceResponse> {
  const digest = state.keys.digestOf(key);
  const ruling = await log.append([['request', digest]]);
  const occasion = createOccasion(key, ruling, ban);
  const response = await occasions.run(occasion, () => service.respond(request));
  const { commands } = occasion;
  // What is required from now on is appended at once.
  occasion.commands = undefined;
  if (ruling !== undefined && !occasion.isDecided) {
    // An alteration has let the request pass by the limits: the ruling is taken back.
    commands?.push(['undo', digest, ruling.before, ruling.after]);
  }
  if (commands !== undefined && commands.length > 0) {
    await log.append(commands);
  }
  return response;
}

async function respondOrRefuse(
  service: Service,
  respond: () => Promise<ServiceResponse>,
): Promise<ServiceResponse> {
  try {
    return await respond();
  } catch (error) {
    return service.refuse(refusalOf(error));
  }
}

const RETRY_AFTER = ['Retry-After', '1'] as const;

function refusalOf(error: unknown): MessageRefusal {
  if (error instanceof StateLostError) {
    return {
      status: 503,
      code: 'store_lost_state',
      message: 'The store has less than it had: the service waits for a reset.',
      headers: RETRY_AFTER,
    };
  }
  if (error instanceof StoreUnavailableError) {
    return {
      status: 503,
      code: 'store_unavailable',
      message: 'The store of the service does not answer. Try again in 1 s.',
      headers: RETRY_AFTER,
    };
  }
  throw error;
}

function isReset({ method, target }: ServiceRequest): boolean {
  return method === 'POST' && /^\/reset\/?(?:[?#]|$)/.test(target);
}

/** What the parts of the service know while they work on one request, from the ruling of the log to the response. */
interface Occasion {
  /** The key that the request carries; '' for none. */
  readonly key: string;
  readonly ruling: Ruling | undefined;
  /** The ordinary limiter as it stood before the ruling. */
  readonly limiter: RateLimiter;
  /** Whether the service has made the decision that the ruling is about. */
  isDecided: boolean;
  /** Entries that the request has written. */
  readonly changed: Map<bigint, InventoryItem>;
  /** Seconds by which the request has set the clock forward. */
  advanced: number;
  /** What the log has to take before the response goes out; `undefined` once it has. */
  commands: Command[] | undefined;
}

const occasions = new AsyncLocalStorage<Occasion>();

function createOccasion(key: string, ruling: Ruling | undefined, ban: BanRule | false): Occasion {
  const limiter = resumeLimiter(readUsage(ruling?.before ?? ''), ban);
  return { key, ruling, limiter, isDecided: false, changed: new Map(), advanced: 0, commands: [] };
}

/** Has something done that the log must not hear of. */
export function inSilence(work: () => void): void {
  occasions.run(createOccasion('', undefined, false), work);
}

/** Stores that stand for the shared state: they tell what the occasion knows, and require what the log has to take. */
export interface SharedStores extends Stores {
  readonly clock: VirtualClock;
}

export function createSharedStores(sharing: Sharing): SharedStores {
  const { log, state } = sharing;
  const require = (command: Command): void => {
    const commands = occasions.getStore()?.commands;
    if (commands === undefined) {
      log.append([command]).catch((error: unknown) => process.emitWarning(String(error)));
    } else {
      commands.push(command);
    }
  };
  return {
    clock: {
      now: () => log.now() + (occasions.getStore()?.advanced ?? 0),
      advance: (seconds) => {
        const occasion = occasions.getStore();
        if (occasion !== undefined) {
          occasion.advanced += seconds;
        }
        require(['advance', `${seconds}`]);
      },
    },
    keys: shareKeys(state, require),
    limiter: shareLimiter(sharing, require),
    inventory: shareInventory(state.inventory, require),
  };
}

function changedEntries(): Occasion['changed'] | undefined {
  return occasions.getStore()?.changed;
}

/** The inventory as one request sees it: what this process holds, and what the request itself has written. */
function shareInventory(shared: InventoryStore, require: (command: Command) => void): InventoryStore {
  const find = (petId: bigint): InventoryItem | undefined =>
    changedEntries()?.get(petId) ?? shared.find(petId);
  return {
    find,
    list: () => shared.list().map((item) => changedEntries()?.get(item.petId) ?? item),
    // Nothing that is remembered serves for a request that has written.
    version: () => ((changedEntries()?.size ?? 0) === 0 ? shared.version() : Number.NaN),
    setQuantity: (petId, quantity) => {
      const found = find(petId);
      if (found === undefined) {
        return undefined;
      }
      const updated = { ...found, quantity };
      changedEntries()?.set(petId, updated);
      require(['quantity', `${petId}`, `${quantity}`]);
      return updated;
    },
    replace: (items) => require(['items', writeItems(items)]),
    // The reset of the keys is one of everything.
    reset: () => undefined,
  };
}

function shareKeys(state: SharedState, require: (command: Command) => void): KeyStore {
  return {
    find: (key) => {
      // From here on its record knows the key.
      const found = state.keys.find(key);
      const occasion = occasions.getStore();
      return occasion?.key === key ? occasion.ruling?.record : found;
    },
    version: state.keys.version,
    issue: (plan, some) => {
      const record = { key: makeKey(plan), plan, limits: { ...planLimits(plan), ...some } };
      require(['key', state.keys.digestOf(record.key), writeRecord(plan, record.limits)]);
      return record;
    },
    revoke: (key) => {
      const digest = state.keys.digestOf(key);
      const isKnown = state.keys.isIssued(digest);
      if (isKnown) {
        require(['revoke', digest]);
      }
      return isKnown;
    },
    // Of everything, entries and counts too.
    reset: () => require(state.reset()),
  };
}

function shareLimiter({ state, ban }: Sharing, require: (command: Command) => void): RateLimiter {
  // Counts records that only alterations know, in this process alone.
  const strangers = withBans(
    createRateLimiter(() => windowFromFirstRequest),
    ban,
  );

  function limiterOf(key: KeyRecord): RateLimiter {
    const occasion = occasions.getStore();
    return (occasion?.ruling?.record === key ? occasion.limiter : state.keys.limiterOf(key)) ?? strangers;
  }

  function requireOf(name: string, key: KeyRecord, ...words: readonly string[]): void {
    if (state.keys.limiterOf(key) !== undefined) {
      require([name, state.keys.digestOf(key.key), ...words]);
    }
  }

  return {
    decide: (key, now, request) => {
      const occasion = occasions.getStore();
      if (occasion?.ruling?.record === key && !occasion.isDecided) {
        occasion.isDecided = true;
        return occasion.limiter.decide(key, occasion.ruling.now, request);
      }
      requireOf('request', key);
      return limiterOf(key).decide(key, now, request);
    },
    look: (key, now) => limiterOf(key).look(key, now),
    giveBack: (key) => {
      requireOf('giveBack', key);
      limiterOf(key).giveBack(key);
    },
    countEarlier: (key, requests) => {
      require(['earlier', state.keys.digestOf(key.key), `${requests}`]);
    },
    reset: strangers.reset,
  };
}
