import { setTimeout as sleep } from 'node:timers/promises';

import {
  connectStore,
  type LogEntry,
  type StoreConnection,
  StateLostError,
  StoreUnavailableError,
  UnusableStoreError,
} from './connection.ts';
import type { Ruling } from './shared-keys.ts';
import type { Command, SharedState } from './shared-state.ts';

const REJOIN_MILLISECONDS = 200;
/** Entries beyond so many are replaced by a snapshot; a process that lags behind further reads that. */
const KEPT_ENTRIES = 1_000;

/** The log of commands that all processes of a service append to and carry out. */
export type SharedLog = Awaited<ReturnType<typeof joinLog>>;

export interface SharedLogOptions {
  /** `redis://HOST:PORT/DB` */
  readonly url: string;
  /** Tells services on one Redis apart. */
  readonly namespace: string;
  readonly state: SharedState;
}

/**
 * Joins the processes of a service, or begins it.
 * @throws {UnusableStoreError}
 */
export async function joinLog({ url, namespace, state }: SharedLogOptions) {
  const connection = await connectStore(url, namespace);
  const followed = followLog(connection, state);
  const membership = createMembership(connection, state, followed);
  try {
    await membership.join();
    if (state.course().phase === 'foreign') {
      throw new UnusableStoreError(
        `the service ${JSON.stringify(namespace)} there was begun with other keys, pets or bans; use the same ones, or another namespace`,
      );
    }
  } catch (error) {
    membership.leave();
    connection.close();
    throw error instanceof StoreUnavailableError
      ? new UnusableStoreError('Redis cannot be used: it does not answer', { cause: error })
      : error;
  }

  return {
    /** The time by the clock of the service, as well as it is known without asking; Unix seconds. */
    now: followed.now,
    /**
     * Appends commands as one entry, and brings the state to it.
     * @returns what was decided on the request of a valid key
     * @throws {StoreUnavailableError} they may be carried out all the same
     * @throws {StateLostError}
     */
    append: async (commands: readonly Command[]): Promise<Ruling | undefined> => {
      if (!membership.isOpen()) {
        throw new StoreUnavailableError('Redis does not answer');
      }
      const begins = commands[0]?.[0] === 'reset';
      if (state.course().phase !== 'open' && !begins) {
        // Another process may have begun the state anew; until then nobody would carry this out.
        await followed.readAnew();
      }
      const ruling = state.course().phase === 'open' || begins ? await followed.append(commands) : undefined;
      if (state.course().phase !== 'open') {
        throw new StateLostError('Redis has less than it had');
      }
      if (state.isResuming()) {
        throw new StoreUnavailableError('Redis was started a moment ago');
      }
      return ruling;
    },
    close: (): void => {
      membership.leave();
      connection.close();
    },
  };
}

/** Makes this process one of those that share the state, again after each loss of the connection. */
function createMembership(
  connection: StoreConnection,
  state: SharedState,
  { append, readAnew }: ReturnType<typeof followLog>,
) {
  let isOpen = false;
  // What is under way counts only if no later attempt was begun meanwhile.
  let attempts = 0;

  async function join(): Promise<void> {
    const attempt = (attempts += 1);
    const run = await connection.readRun();
    await readAnew();
    if (state.course().phase === 'new') {
      await append([state.beginning(), ['run', run]]);
    } else if (state.course().run !== run) {
      await append([['run', run]]);
    }
    while (state.isResuming()) {
      await sleep(REJOIN_MILLISECONDS);
      await append([['run', run]]);
    }
    isOpen = attempt === attempts;
  }

  function rejoin(): void {
    const joining = join();
    const attempt = attempts;
    joining.catch(async () => {
      await sleep(REJOIN_MILLISECONDS, undefined, { ref: false });
      if (attempt === attempts) {
        rejoin();
      }
    });
  }

  function leave(): void {
    isOpen = false;
    attempts += 1;
  }

  connection.listen({ onReady: rejoin, onLost: leave });
  return { isOpen: () => isOpen, join, leave };
}

/** Carries the log out, one step after the other. */
function followLog(connection: StoreConnection, state: SharedState) {
  const clock = createFollowingClock();
  // The entry up to which this process has carried out the log; '' before it has read anything.
  let known = '';
  let isSaving = false;
  let batch: Batch | undefined;
  let last: Promise<unknown> = Promise.resolve();

  function inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const turn = last.then(work);
    last = turn.catch(() => undefined);
    return turn;
  }

  function carryOut(entries: readonly LogEntry[]): ReadonlyMap<string, Ruling> {
    const rulings = new Map<string, Ruling>();
    for (const { id, commands } of entries) {
      for (const command of commands) {
        const ruling = state.carryOut(command, timeOf(id));
        if (ruling !== undefined) {
          rulings.set(id, ruling);
        }
      }
      known = id;
    }
    clock.follow(state.now());
    return rulings;
  }

  /** Reads the log from its snapshot on, and tells it if it has lost what this process knows and nobody has said so since. */
  async function read(): Promise<ReadonlyMap<string, Ruling>> {
    const { snapshot, entries } = await connection.read();
    const isKept = ({ id, commands }: LogEntry): boolean =>
      id === known || (isAfter(id, known) && commands.some(([name]) => name === 'lose'));
    const isLost = known !== '' && !isAfter(snapshot.id, known) && !entries.some(isKept);
    known = '';
    state.forget();
    const rulings = carryOut([snapshot, ...entries.filter(({ id }) => id !== snapshot.id)]);
    if (isLost) {
      await send([[['lose']]]);
    }
    return rulings;
  }

  async function send(appended: Batch['entries']): Promise<readonly (Ruling | undefined)[]> {
    const { ids, entries, length } = await connection.append(appended, known === '' ? '-' : known);
    const at = entries.findIndex(({ id }) => id === known);
    const rulings = at >= 0 || known === '' ? carryOut(entries.slice(at + 1)) : await read();
    if (length > KEPT_ENTRIES && state.course().phase === 'open' && !state.isResuming() && !isSaving) {
      isSaving = true;
      connection
        .save({ id: known, commands: state.snapshot() })
        .catch(() => undefined)
        .finally(() => {
          isSaving = false;
        });
    }
    return ids.map((id) => rulings.get(id));
  }

  return {
    now: clock.now,
    readAnew: () => inTurn(read),
    /** Appends commands as one entry, together with those that come until it is their turn. */
    append: async (commands: readonly Command[]): Promise<Ruling | undefined> => {
      if (batch === undefined) {
        const entries: (readonly Command[])[] = [];
        const rulings = inTurn(() => {
          batch = undefined;
          return send(entries);
        });
        batch = { entries, rulings };
      }
      const place = batch.entries.push(commands) - 1;
      return (await batch.rulings)[place];
    },
  };
}

interface Batch {
  readonly entries: (readonly Command[])[];
  readonly rulings: Promise<readonly (Ruling | undefined)[]>;
}

/** Goes on from the time that it was told last, and never backwards. */
function createFollowingClock() {
  let latest = { now: Date.now() / 1_000, at: performance.now() };
  const now = (): number => latest.now + (performance.now() - latest.at) / 1_000;
  return {
    now,
    follow: (told: number): void => {
      latest = told >= now() ? { now: told, at: performance.now() } : latest;
    },
  };
}

/** When an entry was appended; Unix seconds by the clock of Redis. */
function timeOf(id: string): number {
  return Number(id.split('-')[0]) / 1_000;
}

function isAfter(id: string, other: string): boolean {
  const [milliseconds = 0, number = 0] = id.split('-').map(Number);
  const [otherMilliseconds = 0, otherNumber = 0] = other.split('-').map(Number);
  return milliseconds > otherMilliseconds || (milliseconds === otherMilliseconds && number > otherNumber);
}
