import type { InventoryItem } from '../../../contract/inventory.ts';
import { INT64_MAX } from '../../../contract/json/index.ts';
import type { RequirementId } from '../../../contract/requirements/index.ts';
import { EXPLORE, type Finding } from '../../../contract/verdict.ts';
import { seedInventory, storeForChecks } from '../../../fixtures/corpora/index.ts';
import { collectJudgements, planningLimits, type Exchange, type Key } from '../../oracle/index.ts';
import {
  NoResponse,
  tellingHistory,
  type KeyNeed,
  type TargetClient,
  type TrailLog,
} from '../../target/index.ts';
import type { CheckContext, CheckConnections } from '../check-context.ts';
import type { CheckEnvironment } from '../check-environment.ts';
import type { Check } from '../check.ts';
import { openCheckContext } from '../open-check-context.ts';
import type { StateCoverage } from './coverage.ts';
import type {
  Episode,
  EpisodeInventory,
  EpisodeKey,
  Lane,
  PlannedOperation,
  PlannedRequest,
} from './episode.ts';
import { followKey, type FollowedKey } from './key-states.ts';
import { wordRequest, type Revocation, type WordedRequest } from './planned-requests.ts';

/** A requirement that was seen violated. */
export interface SeenViolation {
  /** Id of the monitor that says so, or of the explorer. */
  readonly by: string;
  readonly id: RequirementId;
  readonly finding: Finding;
}

/** What episodes are played on. */
export interface Scene {
  readonly environment: CheckEnvironment;
  readonly coverage: StateCoverage;
}

/** One episode under way, or several careful ones. */
export interface Stage {
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
  /** The first violation of each requirement since this was asked for last. */
  readonly takeViolations: () => readonly SeenViolation[];
  /** Requests so far. */
  readonly requests: () => number;
  readonly close: () => Promise<void>;
}

const EPISODE: Check = {
  id: EXPLORE,
  title: 'A random sequence of requests',
  judges: [],
  needs: { profile: 'full', keys: [] },
  run: async () => {},
};

/**
 * Issues the keys of an episode, fills the inventory, and begins a history of its own.
 * @param log what led to a finding; it may hold earlier episodes
 */
export async function openStage(scene: Scene, episode: Episode, log: TrailLog): Promise<Stage> {
  const { environment } = scene;
  const { client, violations } = clientOf(environment.client, environment.client.history.another(), log);
  const { time, history } = client;
  const control = environment.control === null ? null : tellingHistory(environment.control, history, time);
  environment.facts.revokedKeys.forEach(history.learnRevoked);
  const own: CheckEnvironment = { ...environment, client, control, store: null };
  const setting = openCheckContext(own, {
    check: EPISODE,
    keys: [],
    pets: [],
    judgements: client.judgements,
  });
  const { context, close } = setting;
  const stage = setStage(scene, { client, context, violations, isOwn: true });
  await stage.wait(secondsUntilStart(episode, stage.serverTime()));
  await stage.replaceInventory(episode.inventory);
  const issuedAt = time.now();
  const keys = await Promise.all(episode.keys.map((key) => context.issue(needOf(key))));
  for (const key of keys) {
    history.learnKey(key, issuedAt);
  }
  stage.follow(keys);
  return { ...stage, close };
}

/**
 * A stage for all episodes on keys and pets that are not their own: it keeps every limit, waits for nothing else, and puts
 * back what it changed.
 */
export async function openCarefulStage(scene: Scene, check: Check, log: TrailLog): Promise<Stage> {
  const { environment } = scene;
  const { client, violations } = clientOf(environment.client, environment.client.history, log);
  const keys = await environment.leases.lease(check.needs.keys);
  const pets = await environment.petLeases.lease(check.needs.pets ?? 0);
  const { context, touched, close } = openCheckContext(
    { ...environment, client },
    { check, keys, pets, judgements: client.judgements },
  );
  const stage = setStage(scene, { client, context, violations, isOwn: false });
  stage.follow(keys.filter((key) => key !== null));
  return {
    ...stage,
    close: async () => {
      environment.inventory.restoreLater(touched());
      await close();
      environment.petLeases.release(pets);
    },
  };
}

/** Whose violations are kept apart. */
interface Watched {
  readonly client: TargetClient;
  /** The first of each requirement. */
  readonly violations: Map<RequirementId, SeenViolation>;
}

function clientOf(client: TargetClient, history: TargetClient['history'], log: TrailLog): Watched {
  const violations = new Map<RequirementId, SeenViolation>();
  const judgements: TargetClient['judgements'] = {
    ...collectJudgements(),
    pass: (...said) => client.judgements.pass(...said),
    observe: (...said) => client.judgements.observe(...said),
    fail: (by, id, finding) => {
      if (!violations.has(id)) {
        violations.set(id, { by, id, finding });
      }
    },
  };
  return { client: { ...client, history, sender: { check: EXPLORE }, log, judgements }, violations };
}

/** What can only hit pets that are leased, and changes nothing that is not put back. */
const HARMLESS: ReadonlySet<PlannedOperation['kind']> = new Set([
  'list',
  'update',
  'body',
  'pet',
  'orders',
  'spelling',
  'usual spelling',
]);

interface Setting extends Watched {
  readonly context: CheckContext;
  /** Whether keys and the inventory are its own, so that limits, time and any pet may be used up. */
  readonly isOwn: boolean;
}

function setStage({ coverage, environment }: Scene, { client, context, violations, isOwn }: Setting) {
  let items: readonly bigint[] = context.pets.map(({ petId }) => petId);
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
  const isHarmless = ({ operation: { kind } }: PlannedRequest): boolean =>
    HARMLESS.has(kind) && (items.length > 0 || kind === 'list');
  const control = isOwn ? context.control : null;
  return {
    follow: (keys: readonly Key[]): void => {
      followed = keys.map(followKey);
    },
    followed: followedAt,
    send: async (planned: PlannedRequest, lane: Lane): Promise<void> => {
      if (!isOwn && !isHarmless(planned)) {
        return;
      }
      const worded = wordRequest(planned, {
        keyOf: (slot) => followedAt(slot).key,
        revocationOf: (slot) => revocations.get(followedAt(slot)) ?? 'none',
        petIds: items,
        knownSecrets: environment.facts.knownSecrets,
        revokedSecrets: environment.facts.revokedKeys,
      });
      requests += 1;
      const exchange = await sendOne(
        client,
        context,
        worded,
        connectionsOf(lane, planned.key % followed.length),
      );
      if (exchange !== null && planned.credential === null) {
        const one = followedAt(planned.key);
        const before = one.state();
        one.note(exchange, client.clock);
        coverage.note(before, one.state());
      }
    },
    revoke: async (slot: number): Promise<void> => {
      if (control !== null) {
        const one = followedAt(slot);
        revocations.set(one, 'under way');
        await control.revokeKey(one.key.secret);
        revocations.set(one, 'done');
        coverage.note(one.state(), 'revoked');
        one.revoke();
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
      if (isOwn && seconds > 0) {
        await context.sleep(seconds, 'the explorer');
      }
    },
    serverTime: (): number | undefined => (isOwn ? context.clock.at(context.now())?.earliest : undefined),
    now: () => context.now(),
    takeViolations: (): readonly SeenViolation[] => {
      const taken = [...violations.values()];
      violations.clear();
      return taken;
    },
    requests: (): number => requests,
  };
}

function connectionsOf(lane: Lane, slot: number): CheckConnections {
  return lane === 'shared' ? 1 : lane === 'own' ? `own ${slot}` : lane;
}

/** @returns `null` if no response came */
async function sendOne(
  client: TargetClient,
  context: CheckContext,
  { message, credentials }: WordedRequest,
  connections: CheckConnections,
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
    await client.liveness.ask(client);
    return null;
  }
}

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

const MINUTE = 60;
const DAY = 86_400;

function secondsUntilStart({ start }: Episode, now: number | undefined): number {
  if (start === null || now === undefined) {
    return 0;
  }
  const [length, moment] = start.of === 'minute' ? [MINUTE, start.second] : [DAY, DAY - start.secondsLeft];
  return (((moment - now) % length) + length) % length;
}
