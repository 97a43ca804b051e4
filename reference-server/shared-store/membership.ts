import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

import { type StoreConnection, UnusableStoreError } from './connection.ts';
import { readMembershipReply, type MembershipReply, type Reply } from './replies.ts';
import type { Replica } from './replica.ts';

/** `lost`: Redis has less than the process knows it had. */
type MembershipStatus = 'open' | 'unavailable' | 'lost';

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

/**
 * Makes this process one of those that share the state.
 * @param load brings the replica to the present state; called on each joining
 */
export function createMembership(
  connection: StoreConnection,
  progress: ReplicaProgress,
  options: MembershipOptions,
  load: () => Promise<void>,
) {
  let status: MembershipStatus = 'unavailable';
  // What is under way counts only if no later attempt was begun meanwhile.
  let attempts = 0;
  let retryAt = Number.POSITIVE_INFINITY;

  async function join(recovers = false): Promise<void> {
    const attempt = (attempts += 1);
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
    status: (): MembershipStatus => status,
    join,
    /** Takes note that the state was lost, and joins again. */
    lose: (): void => {
      if (status === 'open') {
        status = 'lost';
        rejoin();
      }
    },
    /** Joins again unless it did so a moment ago: another process may have begun the state anew. */
    retry: (): void => {
      if (performance.now() > retryAt) {
        rejoin();
      }
    },
    /** Begins the state anew if it was lost. */
    recover: async (): Promise<void> => {
      await join();
      if (status === 'lost') {
        await join(true);
      }
    },
    leave: (): void => {
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

export type ReplicaProgress = ReturnType<typeof createProgress>;

/** How far this process has seen the shared state come; it notices by it if Redis has lost something. */
export function createProgress() {
  let epoch = '';
  let epochs = 0;
  let sequence = 0;
  let latest: { readonly now: number; readonly at: number } | undefined;

  function now(): number {
    return latest === undefined ? Date.now() / 1_000 : latest.now + (performance.now() - latest.at) / 1_000;
  }

  return {
    /** Names the state from one beginning to the next; '' before the process has joined. */
    epoch: (): string => epoch,
    /** How many epochs the process has seen. */
    epochs: (): number => epochs,
    /** The greatest sequence number of a script's run in this epoch. */
    sequence: (): number => sequence,
    /** The time by the clock of the service, as well as it is known without asking; Unix seconds. */
    now,
    /** Whether Redis has said the time yet. */
    knowsTime: (): boolean => latest !== undefined,
    enter: (entered: string, from: number): void => {
      if (entered !== epoch) {
        epoch = entered;
        epochs += 1;
        sequence = from;
      }
    },
    follow: (reply: Pick<Reply, 'sequence' | 'now'>): void => {
      sequence = Math.max(sequence, reply.sequence);
      if (reply.now >= now()) {
        latest = { now: reply.now, at: performance.now() };
      }
    },
  };
}
