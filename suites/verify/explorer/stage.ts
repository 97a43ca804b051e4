import type { InventoryItem } from '../../../contract/inventory.ts';
import { INT64_MAX } from '../../../contract/json/index.ts';
import type { RequirementId } from '../../../contract/requirements/index.ts';
import { EXPLORE, type Finding } from '../../../contract/verdict.ts';
import { seedInventory, storeForChecks } from '../../../fixtures/corpora/index.ts';
import { collectJudgements, planningLimits, type Exchange, type Judgements } from '../../oracle/index.ts';
import {
  NoResponse,
  openTrailLog,
  performExchange,
  tellingHistory,
  tellingTrail,
  type ConnectionPool,
  type TargetClient,
  type TrailLog,
} from '../../target/index.ts';
import type { CheckEnvironment } from '../check-environment.ts';
import { judgeDropped } from '../dropped-request.ts';
import type { StateCoverage } from './coverage.ts';
import type { Episode, EpisodeInventory, EpisodeKey, Lane, PlannedRequest } from './episode.ts';
import { followKey, type FollowedKey } from './key-states.ts';
import { wordRequest, type Revocation, type Subjects, type WordedRequest } from './planned-requests.ts';

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
  /** Takes what holds and what is observed. */
  readonly judgements: Pick<Judgements, 'pass' | 'observe'>;
  readonly coverage: StateCoverage;
  /** Whether one more request may be sent. */
  readonly mayStillSend: () => boolean;
}

/** One episode under way, on keys and an inventory of its own. */
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
  /** The first violation of each requirement so far. */
  readonly violations: ReadonlyMap<RequirementId, SeenViolation>;
  /** Requests so far. */
  readonly requests: () => number;
  readonly close: () => Promise<void>;
}

/**
 * Issues the keys of an episode, fills the inventory, and begins a history of its own.
 * @param log what led to a finding; it may hold earlier episodes
 */
export async function openStage(
  scene: Scene,
  episode: Episode,
  log: TrailLog = openTrailLog(),
): Promise<Stage> {
  const { environment } = scene;
  const violations = new Map<RequirementId, SeenViolation>();
  const client = clientOf(scene, violations, log);
  const { time, history } = client;
  const control = tellingTrail(
    environment.control === null ? null : tellingHistory(environment.control, history, time),
    client,
  );
  const clock = client.clock;
  environment.facts.revokedKeys.forEach(history.learnRevoked);
  const serverTime = (): number | undefined => clock.at(time.now())?.earliest;
  const wait = (seconds: number): Promise<void> =>
    seconds > 0 ? time.sleep(seconds, 'the explorer') : Promise.resolve();
  await wait(secondsUntilStart(episode, serverTime()));
  let items = storeOf(episode.inventory);
  await control?.replaceInventory(items);
  const issuedAt = time.now();
  const keys = await environment.leases.lease(episode.keys.map(needOf));
  const followed = keys.flatMap((key) => (key === null ? [] : [followKey(key)]));
  for (const { key } of followed) {
    history.learnKey(key, issuedAt);
    client.log?.issued(key, issuedAt);
  }
  const followedAt = (slot: number): FollowedKey => {
    const found = followed[slot % followed.length];
    if (found === undefined) {
      throw new Error('An episode has no key');
    }
    return found;
  };
  const subjects = (): Subjects => ({
    keyOf: (slot) => followedAt(slot).key,
    revocationOf: (slot) => revocations.get(followedAt(slot)) ?? 'none',
    petIds: items.map(({ petId }) => petId),
    knownSecrets: environment.facts.knownSecrets,
    revokedSecrets: environment.facts.revokedKeys,
  });
  const revocations = new Map<FollowedKey, Revocation>();
  const lanes = openLanes(environment);
  let requests = 0;
  return {
    followed: followedAt,
    send: async (planned, lane) => {
      const worded = wordRequest(planned, subjects());
      const { pool, release } = lanes.pick(lane, planned.key % followed.length);
      requests += 1;
      try {
        const exchange = await sendOne(environment, client, pool, worded);
        if (exchange !== null && planned.credential === null) {
          noteState(scene, followedAt(planned.key), exchange, client);
        }
      } finally {
        await release();
      }
    },
    revoke: async (slot) => {
      const one = followedAt(slot);
      revocations.set(one, 'under way');
      await control?.revokeKey(one.key.secret);
      revocations.set(one, 'done');
      scene.coverage.note(one.state(), 'revoked');
      one.revoke();
    },
    replaceInventory: async (inventory) => {
      items = storeOf(inventory);
      await control?.replaceInventory(items);
    },
    wait,
    serverTime,
    now: () => time.now(),
    violations,
    requests: () => requests,
    close: lanes.close,
  };
}

/** A client with a history of its own, whose violations are kept apart. */
export function clientOf(
  { environment: { client }, judgements }: Scene,
  violations: Map<RequirementId, SeenViolation>,
  log: TrailLog = openTrailLog(),
): TargetClient {
  return {
    ...client,
    history: client.history.another(),
    sender: { check: EXPLORE },
    log,
    judgements: {
      ...collectJudgements(),
      pass: judgements.pass,
      observe: judgements.observe,
      fail: (by, id, finding) => {
        if (!violations.has(id)) {
          violations.set(id, { by, id, finding });
        }
      },
    },
  };
}

/** @returns `null` if no response came */
async function sendOne(
  { connect }: CheckEnvironment,
  client: TargetClient,
  pool: ConnectionPool,
  { message, credentials }: WordedRequest,
): Promise<Exchange | null> {
  try {
    return await performExchange(client, pool, message, credentials);
  } catch (error) {
    if (!(error instanceof NoResponse)) {
      throw error;
    }
    if (message.operation !== null) {
      const key = 'key' in credentials ? credentials.key : undefined;
      await judgeDropped({ client, connect, key }, error);
    }
    await client.liveness.ask(client);
    return null;
  }
}

/** Notes in which state an answer leaves its key. */
export function noteState(
  { coverage }: Scene,
  one: FollowedKey,
  exchange: Exchange,
  client: TargetClient,
): void {
  const before = one.state();
  one.note(exchange, client.clock);
  coverage.note(before, one.state());
}

function needOf({ plan, limits, leftToday }: EpisodeKey) {
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
  } as const;
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

/** The connections of an episode. */
function openLanes({ connect }: CheckEnvironment) {
  const pools = new Map<string, ConnectionPool>();
  return {
    pick: (
      lane: Lane,
      slot: number,
    ): { readonly pool: ConnectionPool; readonly release: () => Promise<void> } => {
      if (lane === 'new') {
        const pool = connect(1);
        return { pool, release: () => pool.destroy() };
      }
      const name = lane === 'own' ? `own ${slot}` : String(lane);
      const pool = pools.get(name) ?? connect(typeof lane === 'number' ? lane : 1);
      pools.set(name, pool);
      return { pool, release: async () => {} };
    },
    close: async () => {
      await Promise.all([...pools.values()].map((pool) => pool.destroy()));
    },
  };
}
