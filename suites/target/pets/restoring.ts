import { setTimeout as delay } from 'node:timers/promises';

import { countText } from '../../../contract/words/enumeration.ts';
import type { InventoryItem } from '../../../contract/inventory.ts';
import {
  isAccepted,
  itemInAnswer,
  listOf,
  type Exchange,
  leftOfDay,
  type RequestMessage,
  secondsUntilRoom,
  type Key,
} from '../../oracle/index.ts';
import { ControlError, type ControlClient } from '../control/control-client.ts';
import { LONGEST_REAL_WAIT_SECONDS } from '../control/timekeeper.ts';
import { overPool, type TransportOptions } from '../http/http-transport.ts';
import { listInventory, updateInventory } from '../http/operations.ts';
import {
  fateOfInventory,
  fateOfPet,
  findAbandoned,
  type AbandonedJournal,
  type Listed,
  type NotedInventory,
  type NotedPet,
  type PetFate,
} from '../journal/index.ts';
import { performExchange } from '../http/perform-exchange.ts';
import { connectTo, type TargetClient } from '../http/target-client.ts';

/** What it takes to look at the inventory and to set quantities. */
export interface RestoringOptions {
  readonly client: TargetClient;
  readonly transport: TransportOptions;
  readonly keys: readonly Key[];
  readonly control: ControlClient | null;
  readonly problems: string[];
  readonly onNotice: ((notice: string) => void) | undefined;
}

const SHORTEST_PAUSE_MILLISECONDS = 250;

/** A pet that could not be put back, and why. */
export interface PetLeft {
  readonly petId: bigint;
  readonly why: string;
  /** What somebody else has done to it, so that it is left to them. */
  readonly fate?: 'changed' | 'gone';
}

/** Those that somebody else has set, whom they belong to from then on, and those that may still be put back. */
export function partLeft(left: readonly PetLeft[]) {
  return {
    foreign: left.filter(({ fate }) => fate === 'changed'),
    owed: left.filter(({ fate }) => fate !== 'changed'),
  };
}

interface WrittenPet extends NotedPet {
  /** Whether it is known that each request that was sent to it was refused. */
  readonly isRefused?: boolean;
}

/** Whether a response to an update shows that a pet stands at a quantity. */
export function showsQuantity(exchange: Exchange, { petId, quantity }: InventoryItem): boolean {
  const item = exchange.response.status === 200 ? itemInAnswer(exchange) : undefined;
  return item?.petId === petId && BigInt(item.quantity) === BigInt(quantity);
}

/** Sets a pet to the quantity at which it stands. @returns whether that was answered as documented */
export async function isSetBack(item: InventoryItem, options: RestoringOptions): Promise<boolean> {
  const update = updateInventory(item.petId, item.quantity);
  const [answer] = await sendWithAnyKey([update], options, ({ response }) => response.status === 200);
  return answer !== undefined && showsQuantity(answer, item);
}

/**
 * The list as it is now, or `null` if no key gets it. Goes on after an interruption.
 * @param patienceMilliseconds for how long it is asked for again if nothing is answered
 */
export async function lookAtList(
  options: RestoringOptions,
  patienceMilliseconds = 0,
): Promise<Listed | null> {
  const end = performance.now() + patienceMilliseconds;
  let [exchange] = await sendWithAnyKey([listInventory()], options, isAccepted);
  for (let pause = SHORTEST_PAUSE_MILLISECONDS; exchange === undefined; pause *= 2) {
    const left = end - performance.now();
    const isHopeless = options.keys.every((key) => isHeldBack(key, options.client));
    if (left <= 0 || isHopeless || options.client.liveness.isGone()) {
      return null;
    }
    await delay(Math.min(pause, left));
    [exchange] = await sendWithAnyKey([listInventory()], options, isAccepted);
  }
  return isAccepted(exchange) ? (listOf(exchange) ?? null) : null;
}

/**
 * Puts back pets that still stand as something that was sent to them set them.
 * @param listed the list as it is now; `null` if it cannot be read, and then all are set
 * @returns those that don't stand as noted, each with the reason
 */
export async function putBackPets(
  pets: readonly WrittenPet[],
  listed: Listed | null,
  options: RestoringOptions,
): Promise<readonly PetLeft[]> {
  const changeable = pets.filter(
    (pet) => listed === null || ['as-sent', 'unreadable'].includes(fateOfPet(pet, listed)),
  );
  const answers = await sendWithAnyKey(
    changeable.map(({ item }) => updateInventory(item.petId, item.quantity)),
    options,
    ({ response }) => response.status === 200,
  );
  const unconfirmed = changeable.filter(({ item }, index) => {
    const answer = answers[index];
    return answer === undefined || !showsQuantity(answer, item);
  });
  const after = unconfirmed.length === 0 ? null : await lookAtList(options);
  const left = unconfirmed.flatMap((pet) => {
    const status = answers[changeable.indexOf(pet)]?.response.status;
    const isUnsent = options.keys.every((key) => isHeldBack(key, options.client));
    const unsaid = isUnsent ? 'could not be sent, as no key has room for it' : 'got no answer';
    const said = status === undefined ? unsaid : `was answered ${status}`;
    const was = `was ${pet.item.quantity}${pet.isRefused === true ? ', and may still be, since each update of it was refused' : ''}`;
    return after !== null && fateOfPet(pet, after) === 'as-noted'
      ? []
      : [{ petId: pet.item.petId, why: `${was}, and the update that sets it ${said}` }];
  });
  const others =
    listed === null ? [] : petsLeft(pets, listed, (fate) => fate === 'changed' || fate === 'gone');
  return [...left, ...others];
}

/**
 * Puts back what dead runs left changed at the target, and says what cannot be put back.
 * @param mayWrite whether the profile lets it; else it only says what there is
 * @returns whether something was set
 */
export async function undoAbandonedRuns(
  target: string,
  directories: readonly string[],
  mayWrite: boolean,
  options: RestoringOptions,
): Promise<boolean> {
  const { abandoned, unclear } = findAbandoned(target, directories);
  for (const { file, reason } of unclear) {
    options.problems.push(
      `It is not known whether the run that wrote ${file} is still under way (${reason}). If it is not, it may have left something changed; delete that file to forget it.`,
    );
  }
  let wrote = false;
  for (const journal of abandoned) {
    try {
      wrote = (await undo(journal, mayWrite, options)) || wrote;
    } finally {
      journal.close();
    }
  }
  return wrote;
}

/** @returns whether something was set */
async function undo(
  journal: AbandonedJournal,
  mayWrite: boolean,
  options: RestoringOptions,
): Promise<boolean> {
  const { state, damaged, file } = journal;
  const tell = (what: string): void => {
    const date = state.startedAt === '' ? 'unknown date' : state.startedAt;
    options.problems.push(`A run of ${date} did not end: ${what}`);
  };
  const say = (what: string): void => tell(`${what} Its journal ${file} is kept; delete it to forget this.`);
  const undoing: UndoingOptions = { ...options, mayWrite, tell, say };
  if (damaged > 0) {
    say(
      `${damaged} of its records cannot be read, so it may have changed more than is known: compare the inventory with what you expect.`,
    );
  }
  const touched = [...state.pets.values()].filter(({ sent }) => sent.length > 0);
  if (state.inventory === null && touched.length === 0) {
    return false;
  }
  let listed = await lookAtList(options);
  if (listed === null) {
    say('what it left changed cannot be told, since the list cannot be read now.');
    return false;
  }
  let wrote = false;
  if (state.inventory !== null) {
    wrote = await undoInventory(journal, state.inventory, listed, undoing);
    listed = wrote ? await lookAtList(options) : listed;
  }
  if (touched.length > 0 && listed !== null) {
    wrote = (await undoPets(journal, touched, listed, undoing)) || wrote;
  }
  return wrote;
}

interface UndoingOptions extends RestoringOptions {
  readonly mayWrite: boolean;
  /** Says what became of what a run that did not end had changed. */
  readonly tell: (what: string) => void;
  /** Says what it left changed, and that its journal is kept. */
  readonly say: (what: string) => void;
}

async function undoInventory(
  journal: AbandonedJournal,
  inventory: NotedInventory,
  listed: Listed,
  { mayWrite, say, control, onNotice }: UndoingOptions,
): Promise<boolean> {
  const { items } = inventory;
  const fate = fateOfInventory(inventory, listed);
  const what = `it replaced the inventory of ${countText(items.length, 'pet')} through ${inventory.control}`;
  if (fate === 'as-noted') {
    if (journal.isSameAddress) {
      journal.inventoryRestored();
    } else {
      say(elsewhere(journal));
    }
  } else if (fate === 'changed') {
    say(
      `${what}, and the inventory is now neither what it was nor what the run put in its place, so it is left as it is.`,
    );
  } else if (!mayWrite) {
    say(`${what}. Profile safe only reads; a run with --profile full and --control URL puts it back.`);
  } else if (control?.capabilities.has('inventory') !== true) {
    say(`${what}. Only a control URL can put it back: run again with --control ${inventory.control}.`);
  } else {
    try {
      await control.replaceInventory(items);
      journal.inventoryRestored();
      onNotice?.(
        `Put back the inventory of ${countText(items.length, 'pet')} that a run of ${journal.state.startedAt} had replaced.`,
      );
      return true;
    } catch (error) {
      if (!(error instanceof ControlError)) {
        throw error;
      }
      say(`${what}, and it could not be put back (${error.message}).`);
    }
  }
  return false;
}

async function undoPets(
  journal: AbandonedJournal,
  touched: readonly NotedPet[],
  listed: Listed,
  options: UndoingOptions,
): Promise<boolean> {
  const { mayWrite, tell, say } = options;
  const changed = touched.filter((pet) => fateOfPet(pet, listed) === 'as-sent');
  // Under another name of this machine there may be another service, which the run never spoke to.
  if (!journal.isSameAddress && changed.length === 0) {
    say(elsewhere(journal));
    return false;
  }
  const { foreign, owed } = partLeft(
    mayWrite
      ? await putBackPets(touched, listed, options)
      : petsLeft(touched, listed, (fate) => fate !== 'as-noted'),
  );
  const stuck = new Set(owed.map(({ petId }) => petId));
  journal.restored(touched.map(({ item }) => item.petId).filter((petId) => !stuck.has(petId)));
  const done = changed.filter(({ item }) => !stuck.has(item.petId)).length;
  if (done > 0) {
    options.onNotice?.(
      `Put back ${done === 1 ? 'a quantity' : `${done} quantities`} that a run of ${journal.state.startedAt} had left changed.`,
    );
  }
  if (foreign.length > 0) {
    tell(`${describePets(foreign)}. The journal no longer holds that.`);
  }
  if (owed.length > 0) {
    const advice = 'Profile safe only reads; a run with --profile standard puts back what it can.';
    say(`${describePets(owed)}.${mayWrite ? '' : ` ${advice}`}`);
  }
  return mayWrite && changed.length > 0;
}

function elsewhere({ state }: AbandonedJournal): string {
  const where = state.target === '' ? 'an address that cannot be read any more' : state.target;
  return `it changed something at ${where}, of which nothing shows at this address; run against that address to have it put back.`;
}

/** The pets of such a fate, in words. */
function petsLeft(
  pets: readonly NotedPet[],
  listed: Listed,
  isLeft: (fate: PetFate) => boolean,
): readonly PetLeft[] {
  return pets.flatMap((pet) => {
    const fate = fateOfPet(pet, listed);
    const { petId } = pet.item;
    const why = describeFate(pet, fate, listed);
    const isOthers = fate === 'changed' || fate === 'gone';
    return isLeft(fate) ? [{ petId, why, ...(isOthers ? { fate } : {}) }] : [];
  });
}

function describeFate({ item }: NotedPet, fate: PetFate, listed: Listed): string {
  const now = listed.items.get(item.petId)?.quantity;
  switch (fate) {
    case 'gone':
      return `was ${item.quantity}, and is no longer in the inventory`;
    case 'unreadable':
      return `was ${item.quantity}, and its entry cannot be read`;
    case 'changed':
      return leftAsItStands(item, now).why;
    default:
      return `was ${item.quantity}, and stands at ${now}`;
  }
}

/** A pet that somebody else has set to another quantity. */
export function leftAsItStands(
  { petId, quantity }: InventoryItem,
  now: InventoryItem['quantity'] | undefined,
): PetLeft {
  return {
    petId,
    why: `was ${quantity}, and stands at ${now}, which the run did not set, so it is left as it is`,
    fate: 'changed',
  };
}

const MOST_NAMED = 8;

/** All pets in one phrase, the first by name. */
export function describePets(pets: readonly PetLeft[]): string {
  const named = pets.slice(0, MOST_NAMED).map(({ petId, why }) => `pet ${petId} ${why}`);
  const more = pets.length > MOST_NAMED ? [countText(pets.length - MOST_NAMED, 'more pet')] : [];
  return [...named, ...more].join('; ');
}

/**
 * Sends requests one after the other, each with whichever key may send first until one is answered as wished.
 * @returns the last answer to each; `undefined` if there was none
 */
async function sendWithAnyKey(
  messages: readonly RequestMessage[],
  options: RestoringOptions,
  isWished: (exchange: Exchange) => boolean,
): Promise<readonly (Exchange | undefined)[]> {
  if (messages.length === 0) {
    return [];
  }
  const { client, transport } = options;
  // Restoring goes on when the run was interrupted, and is not held back by its budget.
  const steady: TargetClient = { ...client, signal: new AbortController().signal, monitors: [] };
  const answers: (Exchange | undefined)[] = [];
  return overPool(connectTo(client, 1, transport), async (pool) => {
    for (const message of messages) {
      const isSilent =
        answers.length >= MOST_UNANSWERED &&
        answers.slice(-MOST_UNANSWERED).every((answer) => answer === undefined);
      const send = (key: Key): Promise<Exchange | undefined> =>
        performExchange(steady, pool, message, { key }).catch(() => undefined);
      answers.push(
        isSilent ? undefined : await sendPatiently(send, { ...options, client: steady }, isWished),
      );
    }
    return answers;
  });
}

// A target that leaves so many in a row unanswered is gone.
const MOST_UNANSWERED = 2;

/** With no key it sends before the moment that a 429 told; it waits for that only while no key was answered otherwise. */
async function sendPatiently(
  send: (key: Key) => Promise<Exchange | undefined>,
  options: RestoringOptions,
  isWished: (exchange: Exchange) => boolean,
): Promise<Exchange | undefined> {
  const { client, keys } = options;
  const { time } = client;
  const open = new Set(keys);
  const refused = new Set<Key>();
  let answer: Exchange | undefined;
  for (;;) {
    const [next] = [...open]
      .map((key) => ({ key, wait: secondsHeldBack(key, time), room: secondsUntilRoom(key, 1, time.now()) }))
      .toSorted((a, b) => a.wait - b.wait || a.room - b.room);
    if (next === undefined || (next.wait > 0 && !(await isOutlasted(next, options)))) {
      return answer;
    }
    const { key } = next;
    const latest = await send(key);
    answer = latest ?? answer;
    if (latest !== undefined && isWished(latest)) {
      return latest;
    }
    const status = latest?.response.status ?? 0;
    if (![401, 403, 429].includes(status)) {
      // What is not given for another reason than the key is worth no wait for another key.
      open.forEach((one) => secondsHeldBack(one, time) > 0 && open.delete(one));
    }
    key.usage.isStuck ||= status === 429 && refused.has(key);
    if (status !== 429 || refused.has(key)) {
      open.delete(key);
    }
    refused.add(key);
  }
}

/** Seconds until a key may send again as it was told; for ever if it waited in vain before, or its day is to be spared. */
function secondsHeldBack(key: Key, time: TargetClient['time']): number {
  const now = time.now();
  const wait = Math.max(0, key.usage.retryAt - now) / 1000;
  const isDayOver = key.isSpared === true && !time.virtual && leftOfDay(key, now) === 0;
  return isDayOver || (wait > 0 && key.usage.isStuck) ? Number.POSITIVE_INFINITY : wait;
}

/** Waits until a key may send again, after an interruption, too. @returns whether it may; not if that takes too long */
async function isOutlasted(
  { key: { label }, wait }: { readonly key: Key; readonly wait: number },
  { client: { time, liveness, signal } }: RestoringOptions,
): Promise<boolean> {
  if (wait === Number.POSITIVE_INFINITY || liveness.isGone()) {
    return false;
  }
  return time.sleep(wait, `room in the limit of ${label}, to put back what was changed`, signal).then(
    () => true,
    () => false,
  );
}

/** Whether nothing can be sent with a key for longer than a run waits. */
function isHeldBack(key: Key, { time }: TargetClient): boolean {
  return secondsHeldBack(key, time) > (time.virtual ? Number.MAX_VALUE : LONGEST_REAL_WAIT_SECONDS);
}
