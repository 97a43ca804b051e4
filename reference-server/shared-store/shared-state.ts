import type { BanRule } from '../service/bans.ts';
import {
  connectStore,
  type StoreConnection,
  StateLostError,
  StoreUnavailableError,
  UnusableStoreError,
} from './connection.ts';
import {
  createMembership,
  type MembershipOptions,
  createProgress,
  type ReplicaProgress,
} from './membership.ts';
import type { Position, Replica } from './replica.ts';
import { readScriptReply, readSnapshot, readLimiterReply, type Reply, type LimiterReply } from './replies.ts';
import type { ScriptName } from './scripts.ts';

/** An operation of the script `apply` and what it takes. */
export type Effect = readonly string[];

export interface SharedStateOptions extends MembershipOptions {
  /** `redis://HOST:PORT/DB` */
  readonly url: string;
  readonly ban: BanRule | false;
}

const LONG_PATIENCE_MILLISECONDS = 10_000;
const VERSIONS_IN_AN_EPOCH = 2 ** 32;

/** The state that this process shares with others through Redis. */
export type SharedState = Awaited<ReturnType<typeof joinSharedState>>;

/**
 * Joins the processes that share one state, or begins it.
 * @throws {UnusableStoreError}
 */
export async function joinSharedState(options: SharedStateOptions) {
  const { url, namespace, replica, ban } = options;
  const banWords =
    ban === false ? ['', '0', ''] : [`${ban.afterRefused}`, `${ban.seconds}`, ban.extended ? '1' : ''];
  const connection = await connectStore(url, namespace);
  const progress = createProgress();
  const scripts = createScriptRunner(connection, progress, replica, () => membership.lose());
  const membership = createMembership(connection, progress, options, scripts.load);

  async function run(script: ScriptName, words: readonly string[], milliseconds?: number): Promise<Reply> {
    const status = membership.status();
    if (status === 'unavailable') {
      throw new StoreUnavailableError('Redis does not answer');
    }
    if (status === 'lost') {
      membership.retry();
      throw stateLost();
    }
    return scripts.run(script, words, milliseconds);
  }

  try {
    await membership.join();
  } catch (error) {
    connection.close();
    throw error instanceof StoreUnavailableError
      ? new UnusableStoreError('Redis cannot be used: it does not answer', { cause: error })
      : error;
  }

  return {
    replica,
    now: progress.now,
    /**
     * Decides on one request, and brings the replica to the state that the decision was made in.
     * @param digest of the request's key, '' if it carries none
     * @throws {StoreUnavailableError} the request may be counted all the same
     * @throws {StateLostError}
     */
    decide: async (digest: string): Promise<LimiterReply> => {
      const verdict = readLimiterReply(await run('decide', [digest, ...banWords]));
      // Versions of another epoch mean nothing here.
      return { ...verdict, keysVersion: progress.epochs() * VERSIONS_IN_AN_EPOCH + verdict.keysVersion };
    },
    /** Carries out effects, all of them in one step; throws as `decide` does. */
    apply: async (effects: readonly Effect[]): Promise<void> => {
      const holdsEntries = effects.some(([operation]) => operation === 'entries');
      const patience = holdsEntries ? LONG_PATIENCE_MILLISECONDS : undefined;
      await run('apply', [...banWords, ...effects.flat()], patience);
    },
    /** Begins anew if the state was lost; throws as `decide` does. */
    recover: membership.recover,
    close: (): void => {
      membership.leave();
      connection.close();
    },
  };
}

/** Runs scripts on the shared state, each of which brings the replica to the state that it saw. */
function createScriptRunner(
  connection: StoreConnection,
  progress: ReplicaProgress,
  replica: Replica,
  onLost: () => void,
) {
  let loading: Promise<void> | undefined;

  async function ask(script: ScriptName, words: readonly string[], milliseconds?: number): Promise<Reply> {
    const epoch = progress.epoch();
    const { generation, version } = replica.position();
    const known = [epoch, `${progress.sequence()}`, `${generation}`, `${version}`];
    const reply = readScriptReply(await connection.run(script, [...known, ...words], milliseconds));
    if (reply === 'resuming') {
      throw new StoreUnavailableError('Redis was started a moment ago');
    }
    if (typeof reply === 'string') {
      onLost();
      throw stateLost();
    }
    if (epoch !== progress.epoch()) {
      throw new StoreUnavailableError('The state was begun anew meanwhile');
    }
    progress.follow(reply);
    return reply;
  }

  async function load(): Promise<void> {
    try {
      replica.load(readSnapshot(await ask('load', [replica.base()], LONG_PATIENCE_MILLISECONDS)));
    } finally {
      loading = undefined;
    }
  }

  async function run(script: ScriptName, words: readonly string[], milliseconds?: number): Promise<Reply> {
    const reply = await ask(script, words, milliseconds);
    if (reply.isComplete && reply.generation === replica.position().generation) {
      replica.follow(reply, reply.changes);
    }
    while (isBehind(replica.position(), reply)) {
      loading ??= load();
      await loading;
    }
    return reply;
  }

  return { run, load };
}

function stateLost(): StateLostError {
  return new StateLostError('Redis has less than it had');
}

function isBehind(mine: Position, theirs: Position): boolean {
  return (
    theirs.generation > mine.generation ||
    (theirs.generation === mine.generation && theirs.version > mine.version)
  );
}
