import type { RequirementId } from '../../contract/requirements/index.ts';
import { storeForChecks } from '../../fixtures/corpora/index.ts';
import {
  readEntries,
  readListing,
  type Exchange,
  type Key,
  type Listing,
  type ObservedValue,
  type RequestMessage,
  type ServerClock,
} from '../oracle/index.ts';
import {
  listInventory,
  NoResponse,
  type ControlClient,
  type Credentials,
  type KeyNeed,
  type Pet,
  type TargetInventory,
} from '../target/index.ts';

/** What a check works with. Everything that it sends is budgeted, recorded and monitored. */
export interface CheckContext {
  /** The leased keys, in the order of the check's needs; an optional one may be `null`. */
  readonly keys: readonly (Key | null)[];
  readonly pets: readonly Pet[];
  readonly facts: Facts;
  readonly clock: ServerClock;
  readonly control: ControlClient | null;
  readonly quantities: TargetInventory['quantities'];
  /** Whether waiting costs no real time. */
  readonly virtualTime: boolean;
  /** Whether it issues keys, too, so that checks which need both judge what is seen here otherwise. */
  readonly fullControl: boolean;

  /** The forms of requests that the target accepts, of a check that takes them. */
  readonly forms: AcceptedForms;
  /** The leased key of that place, which is not optional; the first by default. */
  key(index?: number): Key;
  /** The first leased pet. @throws {Undecided} if there is none */
  pet(): Pet;
  /** Sends one request over the check's own connections, of which there is one by default, and waits for the whole response. */
  send(message: RequestMessage, credentials: Credentials, connections?: CheckConnections): Promise<Exchange>;
  /**
   * Sends all requests at once, over at most `connections` connections.
   * @param isLast after which answers nothing more leaves; by default none
   */
  sendAll(
    messages: readonly RequestMessage[],
    key: Key,
    connections: number,
    isLast?: (exchange: Exchange) => boolean,
  ): Promise<readonly Exchange[]>;
  /** Whether the key may be banned by now, because it went on after a 429. */
  mayBeBanned(key: Key): boolean;
  /** The most requests that one key of the run went on with after a 429 and that led to no ban. */
  mostEndured(): number;
  /** Whether the target is known to count the key wrongly, so that no doubt is left of what it granted. */
  isMiscounted(key: Key): boolean;
  /** Seconds of server time that pass. */
  sleep(seconds: number, why: string): Promise<void>;
  /** Timekeeper's milliseconds now. */
  now(): number;
  /** Real seconds since the run began. */
  elapsedSeconds(): number;
  /** One more key, issued now; only if the control URL issues keys. It counts on the check's budget. */
  issue(need: KeyNeed): Promise<Key>;
  /** Has a pet put back that was changed by what should not have changed it. */
  restoreLater(pet: Pet): void;
  /** Gives a leased key back before the check ends. */
  release(key: Key): void;

  /** The target accepts these forms of requests. */
  foundForms(forms: readonly RequestForm[]): void;
  /** How often it was asked for in the run, this time included, so that each check goes on where another stopped. */
  nextTurn(): number;
  /** Tells the oracle of a request that got no response. Rethrows what proves nothing, and what ended the target. */
  reportDropped(error: unknown): Promise<void>;
  /** What would show that it is broken was sent, and all of it answered. */
  provoked(id: RequirementId): void;
  /** It was to be provoked, and what came back does not tell. */
  leftOpen(id: RequirementId, reason: string, exchange?: Exchange): void;
  /** Nothing was sent that would show it. */
  notProvoked(id: RequirementId, reason: string): void;
  observe(id: RequirementId, value: ObservedValue, facet?: string): void;
}

/** A form of request that a target may accept; `undefined` if it takes a pet. An update sets the pet's own quantity. */
export interface RequestForm {
  readonly name: string;
  /** Whether the whole list is answered. */
  readonly isList?: true;
  /** Whether it is no documented request until it was accepted. */
  readonly isOpen?: true;
  readonly build: (pet: Pet | undefined) => RequestMessage | undefined;
}

/**
 * Forms that the target accepted once: other operations, and other spellings of a path; or why they are not known, in a
 * sentence.
 */
export type AcceptedForms = { readonly result: readonly RequestForm[] } | { readonly unknown: string };

/** What a request goes over: an idle one of so many connections, the one of this name, or one that is opened for it alone. */
export type CheckConnections = number | `own ${number}` | 'new';

/** What the run found out before the checks began. */
export interface Facts {
  /** Bytes of the list, so that bursts do not pull a huge one a thousand times. */
  readonly listBytes: number;
  readonly missingPet: bigint | null;
  readonly existingPets: readonly bigint[];
  /** What the suite filled the inventory with, if it could replace it. */
  readonly ownPets: readonly bigint[];
  /** Configured keys that no check leases, since others are issued on demand; one of each plan. */
  readonly idleKeys: readonly Key[];
  /** Every key that was configured, revoked ones too, or issued until now: none of them is an altered one. */
  readonly knownSecrets: ReadonlySet<string>;
  readonly revokedKeys: readonly string[];
  readonly banWaitSeconds: number;
}

/** A request could not be carried out as the check needs it, through no fault that was proven. */
export class Undecided extends Error {
  readonly exchange: Exchange | undefined;

  constructor(message: string, exchange?: Exchange) {
    super(message);
    this.name = 'Undecided';
    this.exchange = exchange;
  }
}

/** A petId to ask for, which is in the inventory if any is known to be. */
export function anyPet(context: CheckContext): bigint {
  return context.pets[0]?.petId ?? context.facts.existingPets[0] ?? 1n;
}

/** What a list and an answered request bear out in passing. */
export const LISTING_JUDGES = ['list-succeeds', 'list-complete'] as const;

/**
 * Fetches the list.
 * @throws {Undecided} if it cannot be read.
 */
export async function fetchListing(
  context: CheckContext,
  key: Key,
  list: RequestMessage = listInventory(),
): Promise<Listing> {
  const exchange = await context.send(list, { key });
  requireAnswer(context, exchange);
  const reading = readEntries(exchange);
  if (reading === undefined) {
    throw new Undecided('The list cannot be read, so nothing can be compared with it.', exchange);
  }
  const { items, petIds, isWhole } = reading;
  return { exchange, items, petIds, isWhole };
}

/** What is observed of a request that got no answer but the end of its connection. */
export const CONNECTION_CLOSED = 'connection closed';

/** What a request got that HTTP lets a server answer by closing the connection; `null` if it did, each time. */
export async function answerTo(
  context: CheckContext,
  message: RequestMessage,
  credentials: Credentials = { key: context.key() },
): Promise<Exchange | null> {
  try {
    return await context.send(message, credentials);
  } catch (error) {
    if (error instanceof NoResponse && error.ending === 'closed' && message.operation === null) {
      return null;
    }
    throw error;
  }
}

/** @throws {Undecided} if a valid request was not answered 200 */
export function requireAnswer(context: CheckContext, exchange: Exchange): void {
  requireServed(context, exchange);
  const { status } = exchange.response;
  const { method, path } = exchange.request;
  if (status !== 200) {
    throw new Undecided(`${method} ${path} was answered ${status}.`, exchange);
  }
}

/** What was refused for its rate or its key says nothing of the operation. @throws {Undecided} if it was */
export function requireServed(context: CheckContext, exchange: Exchange): void {
  const { status } = exchange.response;
  if (status === 429 || (status === 403 && exchange.key !== null)) {
    throw new Undecided(
      `${exchange.key ?? 'A request'} was refused with ${status}, so the operation was not seen.`,
      exchange,
    );
  }
  if (status === 401) {
    const neverWorked = context.keys.some(
      (key) => key?.label === exchange.key && !key.issued && key.usage.accepted === 0,
    );
    throw new Undecided(
      neverWorked
        ? `The target refuses ${exchange.key} (401): is that key valid there?`
        : `${exchange.key} was refused with 401, which valid-key-accepted judges, so the operation was not seen.`,
      exchange,
    );
  }
}

/** Sends what is due an answer, and reports it if it gets none. @returns `null` then */
export async function sendDue(
  context: CheckContext,
  message: RequestMessage,
  credentials: Credentials,
): Promise<Exchange | null> {
  try {
    return await context.send(message, credentials);
  } catch (error) {
    await context.reportDropped(error);
    return null;
  }
}

/** Has `use` replace the inventory, in which there are the pets for checks again afterwards. */
export async function replacingInventory(
  { control }: CheckContext,
  use: (replace: ControlClient['replaceInventory']) => Promise<void>,
): Promise<void> {
  if (control === null) {
    throw new Undecided('There is no control URL.');
  }
  try {
    await use((items) => control.replaceInventory(items));
  } finally {
    await control.replaceInventory(storeForChecks());
  }
}

/** Has a pet put back if a list shows that an update changed it which was refused. */
export function restoreIfChanged(context: CheckContext, pet: Pet | undefined, listed: Exchange): void {
  if (pet === undefined) {
    return;
  }
  const seen = readListing(listed)?.get(pet.petId)?.quantity;
  if (seen !== undefined && Number(seen) !== Number(pet.item.quantity)) {
    context.restoreLater(pet);
  }
}
