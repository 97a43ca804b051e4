import { setTimeout as delay } from 'node:timers/promises';

import type { Finding } from '../../contract/verdict.ts';
import {
  COUNTED_BY_KEY,
  ENOUGH_FOREIGN_WRITES,
  isAccepted,
  planningLimits,
  rateLimitOf,
  readListing,
  SEEN_IN_STORE,
  secondsUntilClean,
  secondsUntilRoom,
  type Exchange,
  type Judgement,
  type Key,
} from '../oracle/index.ts';
import { WaitTooLong } from './control/timekeeper.ts';
import { overPool } from './http/http-transport.ts';
import { NoResponse } from './http/no-response.ts';
import { listInventory } from './http/operations.ts';
import { performExchange } from './http/perform-exchange.ts';
import { connectTo, type TargetClient } from './http/target-client.ts';
import type { OpenedTarget } from './open-target.ts';

/** The target once all checks are done, with keys of which somebody else may have one. */
type InquiredTarget = Pick<OpenedTarget, 'client' | 'transport' | 'keys'>;

/** What somebody else seems to do to a target meanwhile. */
export interface SeenOthers {
  /** What was seen, and what to do, in sentences. */
  readonly described: readonly string[];
  /** What they may do that explains a failure, in words; `undefined` if they do not explain it. */
  readonly explain: (failure: Judgement) => string | undefined;
}

/** Leaves open what others may explain. */
export function withoutOthers(judgement: Judgement, others: readonly SeenOthers[]): Judgement {
  const [claim] = judgement.outcome === 'fail' ? others.flatMap((one) => one.explain(judgement) ?? []) : [];
  const message = judgement.findings[0]?.message ?? '';
  return claim === undefined
    ? judgement
    : { ...judgement, outcome: 'inconclusive', reason: `${claim}, which may explain this: ${message}` };
}

// Long enough for whoever sends a request every few seconds.
export const IDLE_MILLISECONDS = 4_000;

/** Sends nothing for so long of real time; not to the end if the run is ended. */
export async function idle(
  { time, signal }: Pick<TargetClient, 'time' | 'signal'>,
  milliseconds = IDLE_MILLISECONDS,
): Promise<void> {
  const why = 'whether somebody else uses a key or writes to the inventory';
  try {
    await (time.virtual ? delay(milliseconds, undefined, { signal }) : time.sleep(milliseconds / 1000, why));
  } catch {
    // It was interrupted; the next request says so.
  }
}

const MOST_KEYS = 2;
const IDLE_PAUSES = 2;
// One more than there are steps from one to the next.
const WATCHED_REQUESTS = IDLE_PAUSES + 2;
/** Requests that finding out may take, at most: for each key those, a last one, and one with another key. */
export const MOST_USE_INQUIRIES = MOST_KEYS * (WATCHED_REQUESTS + 2);
// A key at its limit has room again after a minute; else who uses it up would never be found out.
const LONGEST_WAIT_FOR_USE_SECONDS = 65;
// One may be how a target counts.
const LEAST_OF_OTHERS = 2;
// Others may have begun the window just before.
const LATER_SECONDS = 20;
// Twice within the minute that others began, who send every quarter of one.
const ALONE_SECONDS = 17;

/**
 * Finds out, once all checks are done, whether somebody else uses configured keys that failures were seen with: then
 * the remaining requests of one fall while the run sends nothing, and by more than they do from one request to the next; or,
 * if a window slides and others send now and then, some are used after a minute without any of the run, and none of a key
 * that nothing failed with. Without such a key, longer pauses have to show it.
 * @param pause in which nothing is sent with the keys
 * @returns nothing if nobody does
 */
export async function findForeignUse(
  target: InquiredTarget,
  judgements: readonly Judgement[],
  pause: () => Promise<void>,
): Promise<readonly SeenOthers[]> {
  const { client } = target;
  const blamed = new Set(
    judgements
      .filter(({ id, outcome }) => outcome === 'fail' && COUNTED_BY_KEY.has(id))
      .flatMap(({ findings }) => findings.map(keyOf)),
  );
  const configured = target.keys.filter(({ issued }) => !issued);
  const witness = configured.find(({ label }) => !blamed.has(label));
  const now = client.time.now();
  const waitOf = (key: Key): number =>
    Math.max(
      secondsUntilRoom(key, WATCHED_REQUESTS, now),
      ...(witness === undefined ? [] : [key, witness].map((one) => secondsUntilClean(one, now))),
    );
  const keys = configured
    .filter(
      (key) => blamed.has(key.label) && (client.time.virtual || waitOf(key) <= LONGEST_WAIT_FOR_USE_SECONDS),
    )
    .slice(0, MOST_KEYS);
  if (keys.length === 0 || client.signal.aborted) {
    return [];
  }
  const found = await unlessGone(target, async () => {
    const wait = Math.max(...keys.map(waitOf));
    await client.time.sleep(wait, 'room in the limits of the keys that others may use');
    // The last response came a moment after the last request.
    const clean = new Set(keys.filter((key) => secondsUntilClean(key, now) <= wait + 1));
    return watchUse(target, { keys, witness, clean, pause });
  });
  return found === null || found.size === 0 ? [] : [foreignUse(found)];
}

/** @param found what was seen, by label of the key */
function foreignUse(found: ReadonlyMap<string, string>): SeenOthers {
  return {
    described: [...found].map(
      ([label, seen]) =>
        `Somebody else seems to use ${label} at the same time: ${seen}. Give a key that nothing else uses; what failed with this one is left open.`,
    ),
    explain: ({ id, findings }) => {
      const labels = findings.map(keyOf);
      const [first] = labels;
      return COUNTED_BY_KEY.has(id) && first !== undefined && labels.every((label) => found.has(label ?? ''))
        ? `Somebody else seems to use ${first} at the same time`
        : undefined;
    },
  };
}

interface UseInquiry {
  readonly keys: readonly Key[];
  readonly witness: Key | undefined;
  /** The keys on which nothing of the run counts any more. */
  readonly clean: ReadonlySet<Key>;
  readonly pause: () => Promise<void>;
}

/**
 * What keys show of others once the run has sent nothing with them for a minute, by label. Each is asked once in each round,
 * so that keys that share a count fall by as many each time.
 */
async function watchUse(
  target: InquiredTarget,
  { keys, witness, clean, pause }: UseInquiry,
): Promise<ReadonlyMap<string, string>> {
  const answers = new Map(keys.map((key) => [key, new Array<Exchange>()]));
  const found = new Map<string, string>();
  const askAll = async (): Promise<void> => {
    for (const [key, seen] of answers) {
      const exchange = await askForList(target, key);
      if (exchange === null) {
        answers.delete(key);
      } else {
        seen.push(exchange);
      }
    }
  };
  const settle = (word: (key: Key, seen: readonly Exchange[]) => string | null): void => {
    for (const [key, seen] of answers) {
      const words = word(key, seen);
      if (words !== null) {
        found.set(key.label, words);
        answers.delete(key);
      }
    }
  };
  const watchIdle = async (rest: () => Promise<void>): Promise<void> => {
    for (let pauses = 0; pauses < IDLE_PAUSES && answers.size > 0; pauses += 1) {
      await rest();
      await askAll();
    }
    settle((_key, seen) => wordFalls(falls(seen)));
  };
  const sleep = (seconds: number): Promise<void> =>
    target.client.time.sleep(seconds, 'what others use of the keys');
  await askAll();
  const beside = witness === undefined ? null : await askForList(target, witness);
  await askAll();
  await watchIdle(pause);
  if (witness === undefined) {
    for (const [key, seen] of answers) {
      if (!clean.has(key) || !seen.some((_, own) => foreignUseBefore(key, seen, own) > 0)) {
        answers.delete(key);
      }
    }
    await watchIdle(() => sleep(ALONE_SECONDS));
  } else if (beside !== null && usedBefore(witness, beside) === 0) {
    settle((key, seen) => wordLevel(foreignUseBefore(key, seen, 0), witness));
    if (answers.size > 0) {
      await sleep(LATER_SECONDS);
      await askAll();
      settle((key, seen) => wordLevel(foreignUseBefore(key, seen, WATCHED_REQUESTS), witness));
    }
  }
  return found;
}

/** How many requests others had used before one of those that a key was asked with: it may count more than one for each. */
function foreignUseBefore(key: Key, seen: readonly Exchange[], own: number): number {
  const exchange = seen[own];
  const cost = Math.max(1, Math.min(...falls(seen.slice(0, WATCHED_REQUESTS))));
  const used = exchange === undefined ? undefined : usedBefore(key, exchange);
  return (used ?? 0) - own * cost;
}

/** @param used requests of nobody but others, if any */
function wordLevel(used: number, witness: Key): string | null {
  return used >= LEAST_OF_OTHERS
    ? `X-RateLimit-Remaining said that ${used} requests were used up which this run had not sent, after a minute without any of it, and 0 of ${witness.label}`
    : null;
}

/** How many requests were used up in the minute before one; nothing if its answer does not tell. */
function usedBefore(key: Key, exchange: Exchange): number | undefined {
  const shown = rateLimitOf(exchange);
  return isAccepted(exchange) &&
    exchange.lostResponses === 0 &&
    shown?.limit === planningLimits(key).perMinute
    ? shown.limit - shown.remaining - 1
    : undefined;
}

/**
 * What an idle key shows of others, or `null` if it shows nothing.
 * @param all by how much Remaining fell from one request to the next, and then after each pause
 */
function wordFalls(all: readonly number[]): string | null {
  const [ordinary = 0] = all;
  const idle = all.slice(-IDLE_PAUSES);
  return ordinary > 0 && idle.every((fall) => fall > ordinary)
    ? `X-RateLimit-Remaining fell by ${idle.join(', then by ')} while this run sent one request after a pause, and by ${ordinary} from one request to the next`
    : null;
}

/** By how much Remaining fell from each response to the next; nothing if one of them does not tell. */
function falls(exchanges: readonly Exchange[]): readonly number[] {
  const readings = exchanges
    .filter((exchange) => isAccepted(exchange) && exchange.lostResponses === 0)
    .map(rateLimitOf)
    .filter((reading) => reading !== undefined);
  return readings.length < exchanges.length || new Set(readings.map(({ limit }) => limit)).size > 1
    ? []
    : readings.slice(1).map(({ remaining }, index) => (readings[index]?.remaining ?? 0) - remaining);
}

/** Label of the key that a finding was seen with. */
function keyOf({ exchange }: Finding): string | undefined {
  const value = exchange?.request.headers.find(([name]) => /^authorization$/i.test(name))?.[1];
  return /^Bearer (\w+#\d+)$/.exec(value ?? '')?.[1];
}

/** @param claim what others seem to do; @param because what speaks for it */
function foreignWrites(claim: string, because: string): SeenOthers {
  return {
    described: [
      `${claim}: ${because}. Run it while nobody does; what failed and this may explain is left open.`,
    ],
    explain: ({ id }) => (SEEN_IN_STORE.has(id) ? claim : undefined),
  };
}

const STOPPED = foreignWrites(
  'Somebody else may have written to the inventory at the same time',
  'the failures did not come back when the same requests were sent again after a pause',
);

const PAUSES = 4;
// What reading changes, it changes each time; no update that goes wrong changes anything then.
const STEPS = 6;
/** Requests for lists that finding out may take, at most: some in a row, one after each pause, and one after each repetition. */
export const MOST_WRITE_INQUIRIES = 2 * PAUSES + STEPS + 1;
const LONGEST_WAIT_FOR_WRITES_SECONDS = 60;
// Of a longer list the others are left out.
const MOST_PETS = 10_000;
// Two runs that disturb each other might do so once more, but hardly twice.
const ENOUGH_REPETITIONS = 2;

interface WriteInquiry {
  /** Sends nothing for a while. */
  readonly pause: () => Promise<void>;
  /** Provokes what failed once more. @returns whether it failed; `null` if that could not be tried */
  readonly failsAgain: () => Promise<boolean | null>;
}

/**
 * Finds out, once the checks are over, whether somebody else writes to the inventory that failures were seen in: then more
 * quantities change while the run sends nothing than from one request to the next, or some while it only reads, again and
 * again, and to others than the list showed before. A list that goes back and forth between two states shows nothing new. Nor has the target
 * violated anything if pets stood at what nothing asked for, and all is well as soon as nobody writes: somebody else may
 * have stopped.
 * @returns nothing if nobody does
 */
export async function findForeignWrites(
  target: InquiredTarget,
  judgements: readonly Judgement[],
  inquiry: WriteInquiry,
): Promise<readonly SeenOthers[]> {
  const { client, keys } = target;
  const isBlamed = judgements.some(({ id, outcome }) => outcome === 'fail' && SEEN_IN_STORE.has(id));
  const { idle, unexplained } = client.history.strangeChanges();
  if (isBlamed && idle.length >= ENOUGH_FOREIGN_WRITES) {
    return [describe(idle, 'sent nothing')];
  }
  const now = client.time.now();
  const waitOf = (key: Key): number => secondsUntilRoom(key, MOST_WRITE_INQUIRIES, now);
  const [key] = isBlamed ? keys.toSorted((a, b) => waitOf(a) - waitOf(b)) : [];
  if (key === undefined || client.signal.aborted || waitOf(key) > LONGEST_WAIT_FOR_WRITES_SECONDS) {
    return [];
  }
  const seen = await askForLists(target, key, async (ask) => {
    await client.time.sleep(waitOf(key), `room in the limit of ${key.label}, to see whether others write`);
    // A single write of somebody else leaves a pet at what nothing asked for.
    return watchStore(
      ask,
      unexplained > 0 ? inquiry : { ...inquiry, failsAgain: () => Promise.resolve(null) },
    );
  });
  return seen ?? [];
}

/** What an inventory shows of others while it is left alone, and of the target when what failed is repeated. */
async function watchStore(
  look: () => Promise<Exchange>,
  { pause, failsAgain }: WriteInquiry,
): Promise<readonly SeenOthers[]> {
  const seen = new Map<bigint, Set<string>>();
  // A list may show late what the run itself wrote before.
  await pause();
  const steps = await readAlone(look, seen);
  if (steps === null) {
    return [];
  }
  const moved = steps.flatMap(([example]) => example ?? []);
  if (moved.length >= ENOUGH_FOREIGN_WRITES && moved.length <= STEPS / 2) {
    return [describe(moved, 'only read')];
  }
  const ordinary = Math.min(...steps.map(({ length }) => length));
  const telling: string[] = [];
  const repeated: (boolean | null)[] = [];
  for (let pauses = 1; pauses <= PAUSES && telling.length < ENOUGH_FOREIGN_WRITES; pauses += 1) {
    await pause();
    const changed = noteNew(await look(), seen);
    if (changed === null) {
      return [];
    }
    const [example] = changed;
    if (example !== undefined && changed.length > ordinary) {
      telling.push(example);
      continue;
    }
    const fails = await failsAgain();
    if (fails !== null && noteNew(await look(), seen) === null) {
      return [];
    }
    repeated.push(fails);
    if (timesOf(repeated, true) === ENOUGH_REPETITIONS) {
      return [];
    }
    if (timesOf(repeated, null) === ENOUGH_REPETITIONS && telling.length === 0) {
      break;
    }
  }
  if (telling.length >= ENOUGH_FOREIGN_WRITES) {
    return [describe(telling, 'sent nothing')];
  }
  return repeated.includes(false) ? [STOPPED] : [];
}

function timesOf<Value>(values: readonly Value[], value: Value): number {
  return values.filter((one) => one === value).length;
}

/** What lists show that only lists come between, from each to the next; `null` if one is none. */
async function readAlone(look: () => Promise<Exchange>, seen: Map<bigint, Set<string>>) {
  const steps: (readonly string[])[] = [];
  for (let list = 0; list <= STEPS; list += 1) {
    const changed = noteNew(await look(), seen);
    if (changed === null) {
      return null;
    }
    steps.push(changed);
  }
  return steps.slice(1);
}

function describe(changes: readonly string[], did: 'sent nothing' | 'only read'): SeenOthers {
  return foreignWrites(
    'Somebody else seems to write to the inventory at the same time',
    `${changes.slice(0, 2).join(', and then ')} while this run ${did}`,
  );
}

/**
 * Notes what a list shows.
 * @param seen the quantities that each pet was seen with; is added to
 * @returns the pets that were seen with others only, in words; `null` if it is no list
 */
function noteNew(exchange: Exchange, seen: Map<bigint, Set<string>>): readonly string[] | null {
  const items = isAccepted(exchange) ? readListing(exchange) : undefined;
  if (items === undefined) {
    return null;
  }
  const changed: string[] = [];
  for (const { petId, quantity: now } of items.values().take(MOST_PETS)) {
    const quantity = `${now}`;
    const before = seen.get(petId);
    if (before === undefined) {
      seen.set(petId, new Set([quantity]));
    } else if (!before.has(quantity)) {
      changed.push(`pet ${petId} went from ${[...before].at(-1)} to ${quantity}`);
      before.add(quantity);
    }
  }
  return changed;
}

/** Asks for the list once with a key; `null` if the target stopped answering or the run was ended. */
function askForList(target: InquiredTarget, key: Key): Promise<Exchange | null> {
  return askForLists(target, key, (ask) => ask());
}

/** Has `use` ask for the list with a key, each over a connection of its own. */
function askForLists<Result>(
  target: InquiredTarget,
  key: Key,
  use: (ask: () => Promise<Exchange>) => Promise<Result>,
): Promise<Result | null> {
  const { client, transport } = target;
  // What a new connection costs is not taken for what others do in a pause.
  return unlessGone(target, () =>
    use(() =>
      overPool(connectTo(client, 1, transport), (pool) =>
        performExchange(client, pool, listInventory(), { key }),
      ),
    ),
  );
}

/** @returns `null` if the target stopped answering or the run was ended */
async function unlessGone<Result>(
  { client }: Pick<InquiredTarget, 'client'>,
  act: () => Promise<Result>,
): Promise<Result | null> {
  try {
    return await act();
  } catch (error) {
    if (error instanceof NoResponse || error instanceof WaitTooLong || client.signal.aborted) {
      return null;
    }
    throw error;
  }
}
