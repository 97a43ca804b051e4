import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

import type { BanRule } from '../service/bans.ts';
import { connectStore } from './connection.ts';
import type { Position, Replica } from './replica.ts';
import {
  readMembership,
  readScriptReply,
  readSnapshot,
  readLimiterReply,
  type Obstacle,
  type Reply,
  type LimiterReply,
} from './replies.ts';
import type { ScriptName } from './scripts.ts';
import { StateLostError, StoreUnavailableError, UnusableStoreError } from './store-errors.ts';

/** What a process does with the state that it shares with others. */
export interface StoreSession {
  readonly replica: Replica;
  /**
   * Decides on one request, and brings the replica to the state that the decision was made in.
   * @param digest of the request's key, '' where it carries none
   * @throws {StoreUnavailableError} the request may be counted all the same
   * @throws {StateLostError}
   */
  readonly decide: (digest: string) => Promise<LimiterReply>;
  /** Carries out effects, all of them in one step; throws as `decide` does. */
  readonly apply: (effects: readonly Effect[]) => Promise<void>;
  /** Begins anew where the state was lost; throws as `decide` does. */
  readonly recover: () => Promise<void>;
  /** The time by the clock of the service as far as it is known without asking; Unix seconds. */
  readonly now: () => number;
  readonly close: () => void;
}

/** An operation of the script `apply` and what it takes. */
export type Effect = readonly string[];

export interface StoreSessionOptions {
  /** `redis://HOST:PORT/DB` */
  readonly url: string;
  /** Tells services on one Redis apart. */
  readonly namespace: string;
  readonly replica: Replica;
  readonly ban: BanRule | false;
  /** Digest, record, digest, record … of the keys at start. */
  readonly seedRecords: () => readonly string[];
  /** Changes with anything that all processes of the service must have in common. */
  readonly configuration: () => string;
}

const PATIENCE_FOR_ALL_MILLISECONDS = 10_000;
const REJOIN_MILLISECONDS = 200;
const VERSIONS_IN_AN_EPOCH = 2 ** 32;

/**
 * Joins the processes that share one state, or begins it.
 * @throws {UnusableStoreError}
 */
export async function joinStore(options: StoreSessionOptions): Promise<StoreSession> {
  const { url, namespace, replica, ban } = options;
  const banWords =
    ban === false ? ['', '0', ''] : [`${ban.afterRefused}`, `${ban.seconds}`, ban.extended ? '1' : ''];
  let state: 'open' | 'unavailable' | 'lost' = 'unavailable';
  let salt = randomBytes(32).toString('hex');
  let epoch = '';
  let epochs = 0;
  let sequence = 0;
  let attempts = 0;
  let loading: Promise<void> | undefined;
  let isJoining = false;
  let lastJoin = Number.NEGATIVE_INFINITY;
  let latest = { now: 0, at: 0 };

  const connection = await connectStore(url, namespace, {
    onReady: rejoin,
    onLost: () => {
      state = state === 'lost' ? 'lost' : 'unavailable';
      attempts += 1;
    },
  });

  function now(): number {
    return latest.now === 0 ? Date.now() / 1_000 : latest.now + (performance.now() - latest.at) / 1_000;
  }

  async function ask(script: ScriptName, words: readonly string[], milliseconds?: number): Promise<Reply> {
    const asked = epoch;
    const { generation, version } = replica.position();
    const known = [epoch, `${sequence}`, `${generation}`, `${version}`];
    const reply = readScriptReply(await connection.run(script, [...known, ...words], milliseconds));
    if (typeof reply === 'string') {
      throw failureOf(reply);
    }
    if (asked !== epoch) {
      throw new StoreUnavailableError('The state was begun anew meanwhile');
    }
    sequence = Math.max(sequence, reply.sequence);
    if (reply.now >= now()) {
      latest = { now: reply.now, at: performance.now() };
    }
    return reply;
  }

  function failureOf(obstacle: Obstacle): Error {
    if (obstacle === 'resuming') {
      return new StoreUnavailableError('Redis was started a moment ago');
    }
    if (state === 'open') {
      state = 'lost';
      rejoin();
    }
    return new StateLostError('Redis has less than it had');
  }

  function isBehind({ generation, version }: Position): boolean {
    const mine = replica.position();
    return generation > mine.generation || (generation === mine.generation && version > mine.version);
  }

  async function askAndFollow(
    script: ScriptName,
    words: readonly string[],
    milliseconds?: number,
  ): Promise<Reply> {
    if (state !== 'open') {
      throw state === 'lost' ? lostForNow() : new StoreUnavailableError('Redis does not answer');
    }
    const reply = await ask(script, words, milliseconds);
    if (reply.isComplete && reply.generation === replica.position().generation) {
      replica.follow(reply, reply.changes);
    }
    while (isBehind(reply)) {
      loading ??= load();
      await loading;
    }
    return reply;
  }

  async function load(): Promise<void> {
    try {
      const reply = await ask('load', [replica.base()], PATIENCE_FOR_ALL_MILLISECONDS);
      replica.load(readSnapshot(reply));
    } finally {
      loading = undefined;
    }
  }

  /** Another process may have begun the state anew. */
  function lostForNow(): StateLostError {
    if (!isJoining && performance.now() - lastJoin > REJOIN_MILLISECONDS) {
      rejoin();
    }
    return new StateLostError('Redis has less than it had');
  }

  function rejoin(): void {
    attempts += 1;
    const attempt = attempts;
    join(attempt, false).catch((error: unknown) => {
      if (error instanceof UnusableStoreError) {
        state = 'lost';
      }
      setTimeout(() => {
        if (attempt === attempts) {
          rejoin();
        }
      }, REJOIN_MILLISECONDS).unref();
    });
  }

  async function join(attempt: number, recovers: boolean): Promise<void> {
    isJoining = true;
    lastJoin = performance.now();
    try {
      await joinAs(attempt, recovers);
    } finally {
      isJoining &&= attempt !== attempts;
    }
  }

  async function joinAs(attempt: number, recovers: boolean): Promise<void> {
    salt = await connection.agreeOnSalt(salt);
    replica.keys.salt(salt);
    const run = await connection.readRun();
    const known = [epoch, `${sequence}`, run, randomUUID(), options.configuration(), recovers ? '1' : ''];
    const words = [...known, `${latest.now === 0 ? 0 : now()}`, ...options.seedRecords()];
    const membership = readMembership(await connection.run('join', words));
    if (membership.status === 'configuration') {
      throw new UnusableStoreError(
        `the service ${JSON.stringify(namespace)} there was begun with other keys, pets or bans; take these, or another namespace`,
      );
    }
    if (membership.status === 'lost') {
      state = 'lost';
      return;
    }
    await sleep(membership.waitSeconds * 1_000);
    if (attempt !== attempts) {
      return;
    }
    if (membership.epoch !== epoch) {
      ({ epoch, sequence } = membership);
      epochs += 1;
    }
    await load();
    if (attempt === attempts) {
      state = 'open';
    }
  }

  try {
    await join(attempts, false);
  } catch (error) {
    connection.close();
    throw error instanceof StoreUnavailableError
      ? new UnusableStoreError("Redis can't be used: it does not answer", { cause: error })
      : error;
  }

  return {
    replica,
    now,
    decide: async (digest) => {
      const verdict = readLimiterReply(await askAndFollow('decide', [digest, ...banWords]));
      // Versions of another epoch mean nothing here.
      return { ...verdict, keysVersion: epochs * VERSIONS_IN_AN_EPOCH + verdict.keysVersion };
    },
    apply: async (effects) => {
      const holdsEntries = effects.some(([operation]) => operation === 'entries');
      const patience = holdsEntries ? PATIENCE_FOR_ALL_MILLISECONDS : undefined;
      await askAndFollow('apply', [...banWords, ...effects.flat()], patience);
    },
    recover: async () => {
      attempts += 1;
      await join(attempts, false);
      if (state === 'lost') {
        attempts += 1;
        await join(attempts, true);
      }
    },
    close: () => {
      attempts += 1;
      connection.close();
    },
  };
}
