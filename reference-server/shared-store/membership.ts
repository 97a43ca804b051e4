import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

import { type StoreConnection, UnusableStoreError } from './connection.ts';
import { readMembershipReply, type MembershipReply, type Reply } from './replies.ts';
import type { Replica } from './replica.ts';

/** Whether this process is one of those that share the state. */
export interface Membership {
  /** `lost`: Redis has less than the process knows it had. */
  readonly status: () => 'open' | 'unavailable' | 'lost';
  /** @throws {UnusableStoreError} */
  readonly join: () => Promise<void>;
  /** Takes note that the state was lost, and joins again. */
  readonly lose: () => void;
  /** Joins again unless it did so a moment ago: another process may have begun the state anew. */
  readonly retry: () => void;
  /** Begins the state anew if it was lost. */
  readonly recover: () => Promise<void>;
  readonly leave: () => void;
}

export interface MembershipOptions {
  /** Keeps services on one Redis apart. */
  readonly namespace: string;
  readonly replica: Replica;
  /** Digest, record, digest, record … of the keys at start. */
  readonly seedRecords: () => readonly string[];
  /** Changes with anything that all processes of the service must have in common. */
  readonly configuration: () => string;
}

const REJOIN_MILLISECONDS = 200;

/** @param load brings the replica to the present state; called on each joining */
export function createMembership(
  connection: StoreConnection,
  progress: ReplicaProgress,
  options: MembershipOptions,
  load: () => Promise<void>,
): Membership {
  let status: ReturnType<Membership['status']> = 'unavailable';
  // What is under way counts only if no later attempt was begun meanwhile.
  let attempts = 0;
  let retryAt = Number.POSITIVE_INFINITY;

  async function join(recovers = false): Promise<void> {
    attempts += 1;
    const attempt = attempts;
    const begun = performance.now();
    retryAt = Number.POSITIVE_INFINITY;
    try {
      const reply = await askToJoin(connection, progress, options, recovers);
      if (reply.status === 'lost') {
        status = 'lost';
      } else if (attempt === attempts) {
        progress.enter(reply.epoch, reply.sequence);
        await load();
        status = attempt === attempts ? 'open' : status;
      }
    } finally {
      retryAt = attempt === attempts ? begun + REJOIN_MILLISECONDS : retryAt;
    }
  }

  function rejoin(): void {
    const joining = join();
    const attempt = attempts;
    joining.catch((error: unknown) => {
      if (error instanceof UnusableStoreError) {
        status = 'lost';
      }
      setTimeout(() => {
        if (attempt === attempts) {
          rejoin();
        }
      }, REJOIN_MILLISECONDS).unref();
    });
  }

  connection.listen({
    onReady: rejoin,
    onLost: () => {
      status = status === 'lost' ? 'lost' : 'unavailable';
      attempts += 1;
    },
  });

  return {
    status: () => status,
    join,
    lose: () => {
      if (status === 'open') {
        status = 'lost';
        rejoin();
      }
    },
    retry: () => {
      if (performance.now() > retryAt) {
        rejoin();
      }
    },
    recover: async () => {
      await join();
      if (status === 'lost') {
        await join(true);
      }
    },
    leave: () => {
      attempts += 1;
    },
  };
}

/** Gives the reply once decisions are made again. */
async function askToJoin(
  connection: StoreConnection,
  progress: ReplicaProgress,
  { namespace, replica, configuration, seedRecords }: MembershipOptions,
  recovers: boolean,
): Promise<Exclude<MembershipReply, { status: 'configuration' }>> {
  replica.keys.useSalt(await connection.agreeOnSalt(replica.keys.salt()));
  const run = await connection.readRun();
  const time = progress.knowsTime() ? progress.now() : 0;
  const known = [progress.epoch(), `${progress.sequence()}`, run, randomUUID()];
  const words = [...known, configuration(), recovers ? '1' : '', `${time}`, ...seedRecords()];
  const reply = readMembershipReply(await connection.run('join', words));
  if (reply.status === 'configuration') {
    throw new UnusableStoreError(
      `the service ${JSON.stringify(namespace)} there was begun with other keys, pets or bans; use the same ones, or another namespace`,
    );
  }
  if (reply.status === 'ok') {
    await sleep(reply.waitSeconds * 1_000);
  }
  return reply;
}

/** How far this process has seen the shared state come; it notices by it if Redis has lost something. */
export interface ReplicaProgress {
  /** Names the state from one beginning to the next; '' before the process has joined. */
  readonly epoch: () => string;
  /** How many epochs the process has seen. */
  readonly epochs: () => number;
  /** The greatest sequence number of a script's run in this epoch. */
  readonly sequence: () => number;
  /** The time by the clock of the service, as well as it is known without asking; Unix seconds. */
  readonly now: () => number;
  /** Whether Redis has said the time yet. */
  readonly knowsTime: () => boolean;
  readonly enter: (epoch: string, sequence: number) => void;
  readonly follow: (reply: Pick<Reply, 'sequence' | 'now'>) => void;
}

export function createProgress(): ReplicaProgress {
  let epoch = '';
  let epochs = 0;
  let sequence = 0;
  let latest: { readonly now: number; readonly at: number } | undefined;

  function now(): number {
    return latest === undefined ? Date.now() / 1_000 : latest.now + (performance.now() - latest.at) / 1_000;
  }

  return {
    epoch: () => epoch,
    epochs: () => epochs,
    sequence: () => sequence,
    now,
    knowsTime: () => latest !== undefined,
    enter: (entered, from) => {
      if (entered !== epoch) {
        epoch = entered;
        epochs += 1;
        sequence = from;
      }
    },
    follow: (reply) => {
      sequence = Math.max(sequence, reply.sequence);
      if (reply.now >= now()) {
        latest = { now: reply.now, at: performance.now() };
      }
    },
  };
}
