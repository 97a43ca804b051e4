import { LONGEST_TEMPORARY_SECONDS } from '../../../contract/bans.ts';
import type { InventoryItem } from '../../../contract/inventory.ts';
import { INT64_MAX } from '../../../contract/json/index.ts';
import { DAY_SECONDS, MINUTE_SECONDS } from '../../../contract/plans.ts';
import { seedInventory, storeForChecks } from '../../../fixtures/corpora/index.ts';
import {
  planningLimits,
  type Exchange,
  isAccepted,
  secondsToWait,
  type Key,
  type ServerClock,
} from '../../oracle/index.ts';
import { NoResponse, type KeyNeed } from '../../target/index.ts';
import type { CheckConnections, CheckContext } from '../check-context.ts';
import type { Episode, EpisodeInventory, EpisodeKey, Lane, PlannedRequest } from './episode.ts';
import { wordRequest, type Revocation, type WordedRequest } from './planned-requests.ts';

/** What episodes are played on: one episode at a time. */
export interface Stage {
  /** Lets time pass until the episode begins, fills its inventory and issues its keys. */
  readonly set: (episode: Episode) => Promise<void>;
  readonly followed: (slot: number) => FollowedKey;
  /** Sends one request; without a response it is judged whether one was due. */
  readonly send: (planned: PlannedRequest, lane: Lane) => Promise<void>;
  readonly revoke: (slot: number) => Promise<void>;
  readonly replaceInventory: (inventory: EpisodeInventory) => Promise<void>;
  /** Lets seconds of the server's time pass. */
  readonly wait: (seconds: number) => Promise<void>;
  /** Unix seconds by the server's clock, if they are known. */
  readonly serverTime: () => number | undefined;
  readonly now: () => number;
  /** Requests so far. */
  readonly requests: () => number;
}

/**
 * The stage of a check that plays episodes, on keys and inventories of their own.
 * @param onLost finds out whether the target still answers, after a request that got no response
 */
export function setStage(context: CheckContext, onLost: () => Promise<void>): Stage {
  const { control } = context;
  let items: readonly bigint[] = [];
  let followed: readonly FollowedKey[] = [];
  let requests = 0;
  const revocations = new Map<FollowedKey, Revocation>();
  const followedAt = (slot: number): FollowedKey => {
    const found = followed[slot % followed.length];
    if (found === undefined) {
      throw new Error('An episode has no key');
    }
    return found;
  };
  const stage: Stage = {
    set: async (episode) => {
      await stage.wait(secondsUntilStart(episode, stage.serverTime()));
      await stage.replaceInventory(episode.inventory);
      const keys = await Promise.all(episode.keys.map((key) => context.issue(needOf(key))));
      followed = keys.map(followKey);
    },
    followed: followedAt,
    send: async (planned: PlannedRequest, lane: Lane): Promise<void> => {
      const worded = wordRequest(planned, {
        keyOf: (slot) => followedAt(slot).key,
        revocationOf: (slot) => revocations.get(followedAt(slot)) ?? 'none',
        petIds: items,
        knownSecrets: context.facts.knownSecrets,
        revokedSecrets: context.facts.revokedKeys,
      });
      requests += 1;
      const exchange = await sendOne(context, worded, {
        connections: lane === 'shared' ? 1 : lane === 'own' ? `own ${planned.key % followed.length}` : lane,
        onLost,
      });
      if (exchange !== null && planned.credential === null) {
        followedAt(planned.key).note(exchange, context.clock);
      }
    },
    revoke: async (slot: number): Promise<void> => {
      if (control !== null) {
        const one = followedAt(slot);
        revocations.set(one, 'under way');
        await control.revokeKey(one.key.secret);
        revocations.set(one, 'done');
      }
    },
    replaceInventory: async (inventory: EpisodeInventory): Promise<void> => {
      if (control !== null) {
        const store = storeOf(inventory);
        items = store.map(({ petId }) => petId);
        await control.replaceInventory(store);
      }
    },
    wait: async (seconds: number): Promise<void> => {
      if (seconds > 0) {
        await context.sleep(seconds, 'the explorer');
      }
    },
    serverTime: (): number | undefined => context.clock.at(context.now())?.earliest,
    now: () => context.now(),
    requests: () => requests,
  };
  return stage;
}

/** @returns `null` if no response came */
async function sendOne(
  context: CheckContext,
  { message, credentials }: WordedRequest,
  { connections, onLost }: { readonly connections: CheckConnections; readonly onLost: () => Promise<void> },
): Promise<Exchange | null> {
  try {
    return await context.send(message, credentials, connections);
  } catch (error) {
    if (!(error instanceof NoResponse)) {
      throw error;
    }
    await context.reportDropped(error).catch((left: unknown) => {
      // An episode goes on, whatever that proves.
      if (left !== error) {
        throw left;
      }
    });
    await onLost();
    return null;
  }
}

/** A key as an episode asks for it. */
function needOf({ plan, limits, leftToday }: EpisodeKey): KeyNeed {
  return {
    plan,
    use: 'ban',
    requests: 0,
    ...(limits === null ? {} : { agree: limits }),
    ...(leftToday === null
      ? {}
      : {
          usedToday: () => Math.max(0, planningLimits({ plan, limits }).perDay - leftToday),
        }),
  };
}

// Checks leave it out, so that it is unknown.
const LARGEST: InventoryItem = { petId: INT64_MAX, quantity: 21, status: 'pending' };

function storeOf(inventory: EpisodeInventory): readonly InventoryItem[] {
  if (inventory.of === 'seeded') {
    return seedInventory({ size: inventory.size });
  }
  const all: readonly InventoryItem[] = [...storeForChecks(), LARGEST];
  const chosen = new Set(inventory.indexes.map((index) => index % all.length));
  return all.filter((_, index) => chosen.has(index));
}

function secondsUntilStart({ start }: Episode, now: number | undefined): number {
  if (start === null || now === undefined) {
    return 0;
  }
  const [length, moment] =
    start.of === 'minute' ? [MINUTE_SECONDS, start.second] : [DAY_SECONDS, DAY_SECONDS - start.secondsLeft];
  return (((moment - now) % length) + length) % length;
}

type FollowedKey = ReturnType<typeof followKey>;

/** Follows a key that was issued just now, as its client sees it. */
function followKey(key: Key) {
  const { perMinute, perDay } = planningLimits(key);
  const acceptedAt: number[] = [];
  let isRefused = false;
  let retryAt = 0;
  const acceptedWithin = (milliseconds: number, now: number): number => {
    const first = acceptedAt.findIndex((moment) => moment > now - milliseconds);
    return first === -1 ? 0 : acceptedAt.length - first;
  };
  return {
    key,
    /** Requests that it may still send now, by the count of its client. */
    room: (now: number): number => {
      const today = perDay - key.usedToday - acceptedWithin(DAY_SECONDS * 1000, now);
      return Math.max(0, Math.min(perMinute - acceptedWithin(MINUTE_SECONDS * 1000, now), today));
    },
    /** Timekeeper's milliseconds until which it was told to wait; 0 if it was never refused. */
    retryAt: (): number => retryAt,
    note: (exchange: Exchange, clock: ServerClock): void => {
      const { status } = exchange.response;
      if (isAccepted(exchange)) {
        acceptedAt.push(exchange.receivedAt);
      }
      if (isAccepted(exchange) || status === 400 || status === 404) {
        isRefused = false;
      } else if ([401, 403, 429].includes(status)) {
        // Any temporary ban has ended by then, even one that does not say how long it lasts.
        const untold = status !== 429 && isRefused ? LONGEST_TEMPORARY_SECONDS : MINUTE_SECONDS;
        isRefused = true;
        retryAt = Math.max(retryAt, exchange.receivedAt + (secondsToWait(exchange, clock) ?? untold) * 1000);
      }
    },
  };
}
