import type { Presence, RequestReading } from '../answers/permitted-answers.ts';
import {
  effectOf,
  outcomeOfWrite,
  type PetEffect,
  quantityAskedFor,
  type WriteOutcome,
} from '../answers/request-effect.ts';
import { isAccepted, itemInAnswer, type Exchange } from '../exchange.ts';
import type { SentRequest } from '../history.ts';
import { followOverlaps } from './overlapping-writes.ts';
import { boundMemory, entriesOf, forget, giveUp, presenceDuring, type KnownStore } from './known-store.ts';
import {
  admitQuantity,
  beginWrite,
  completeWrite,
  doubtWrite,
  prune,
  type ReadSpan,
  refuseWrite,
  settledQuantities,
} from './possible-entries.ts';
import type { WriteRecord, WriteRecords } from './write-record.ts';

/** A request that is under way. */
export interface Flight {
  readonly sent: SentRequest;
  readonly reading: RequestReading;
  /** Number of the event. */
  readonly sentAt: number;
  /** What it may change: a pet, any pet, or nothing. */
  readonly writes: PetWrite | 'any pet' | null;
  /** Whether the pet was in the store that its path names, when it was sent. */
  readonly presence: Presence;
}

interface PetWrite {
  readonly petId: bigint;
  /** What it asks for; `null` if that is open. */
  readonly quantity: number | null;
  /**
   * What others may have set the pet to since it was sent, up to the call. What that returns tells it again whenever it is
   * called: others that are under way may yet be refused. `null` stands for anything.
   */
  readonly rivals: () => () => readonly (number | null)[];
  /** What the pet may have stood at before; `null` for anything. */
  readonly before: readonly (number | null)[];
}

/** Follows what requests that are sent may make of the store. */
export function followWrites(store: KnownStore, records: WriteRecords) {
  const flights = new Map<number, Flight>();
  /** When the oldest request that is under way was sent; `now` if none is. */
  const oldest = (now: number): number => flights.values().next().value?.sentAt ?? now;
  const overlaps = followOverlaps();
  let disturbedAt = -Infinity;
  /** Whatever is under way may meet anything in its pet. */
  const disturb = (now: number): void => {
    disturbedAt = now;
  };
  const bound = (now: number): void => {
    if (boundMemory(store, now, flights.size)) {
      disturb(now);
    }
  };
  const end = ({ sent: { id }, writes }: Flight, outcome: WriteOutcome, now: number): void => {
    flights.delete(id);
    store.wild.delete(id);
    overlaps.end(id, writes === null || writes === 'any pet' ? null : writes.petId, outcome, now);
  };
  const begin = (sent: SentRequest, effect: PetEffect, now: number): PetWrite => {
    const { id, isRefused = false } = sent;
    const { petId } = effect;
    const quantity = numberOf(effect.quantity);
    const mayBeAny = store.isHaunted || store.meanwhile !== null;
    overlaps.begin(petId, { id, quantity, isIdle: isRefused }, oldest(now), () =>
      unansweredWrites(store, petId),
    );
    return {
      petId,
      quantity,
      before: beginPetWrite(store, { sent, petId, quantity, now }, oldest(now)),
      rivals: () => (mayBeAny || disturbedAt >= now ? () => [null] : overlaps.quantitiesOf(petId, id, now)),
    };
  };
  return {
    disturb,
    /** A request that is under way. */
    flightOf: (id: number): Flight | undefined => flights.get(id),
    sent: (sent: SentRequest, reading: RequestReading, now: number): void => {
      const effect = effectOf(sent.request, reading);
      const { target } = reading;
      const petId = target.kind === 'documented' ? target.petId : null;
      const presence = typeof petId === 'bigint' ? presenceDuring(store, petId, now) : 'unknown';
      let writes: Flight['writes'] = null;
      if (effect === 'any pet') {
        if (sent.isRefused !== true) {
          store.wild.add(sent.id);
          overlaps.beginAny(sent.id);
        }
        writes = 'any pet';
      } else if (effect !== null) {
        writes = begin(sent, effect, now);
      }
      flights.set(sent.id, { sent, reading, sentAt: now, writes, presence });
    },
    answered: (flight: Flight, exchange: Exchange, now: number): void => {
      const { writes } = flight;
      const rivals = writes === null || writes === 'any pet' ? [] : writes.rivals()();
      const answer = { answeredAt: now, exchange };
      end(flight, outcomeOfWrite(exchange.response.status), now);
      if (writes === 'any pet') {
        endWildWrite(store, records, flight, answer);
      } else if (writes !== null) {
        endPetWrite(store, records, { ...flight, writes }, { ...answer, rivals });
      } else if (isBeyondInt64(flight) && isAccepted(exchange)) {
        const quantity = numberOf(quantityAskedFor(flight.reading));
        records.note({ ...NO_PET, quantity, isAccepted: true, ...answer });
      }
      bound(now);
    },
    lost: (flight: Flight, now: number): void => {
      end(flight, 'unknown', now);
      if (flight.writes === 'any pet') {
        giveUp(store, now);
      }
      bound(now);
    },
  };
}

/** A request that got no answer is carried out by now, or will never be. */
export function endOverdue(store: KnownStore, { sent: { id }, writes }: Flight, now: number): void {
  if (writes === null || writes === 'any pet') {
    return;
  }
  const possible = entriesOf(store, writes.petId);
  if (possible !== undefined && store.pending.delete(id)) {
    doubtWrite(possible, id, writes.quantity, now);
  }
}

function numberOf(quantity: bigint | null): number | null {
  return quantity === null ? null : Number(quantity);
}

const NO_PET = { petId: null, before: [] } as const;

function isBeyondInt64({ reading: { target } }: Flight): boolean {
  return target.kind !== 'undocumented' && target.petId === 'beyond int64';
}

/** What may still be written to a pet, by requests that are under way or got no answer. */
function unansweredWrites({ pending }: KnownStore, petId: bigint) {
  return [...pending].flatMap(([id, write]) =>
    write.petId === petId ? [{ id, quantity: write.quantity }] : [],
  );
}

/** @returns what the pet may have stood at before; `null` for anything */
function beginPetWrite(
  store: KnownStore,
  { sent, petId, quantity, now }: { sent: SentRequest; petId: bigint; quantity: number | null; now: number },
  oldest: number,
): readonly (number | null)[] {
  const possible = entriesOf(store, petId);
  const before = possible === undefined ? [null] : settledQuantities(possible);
  // What is refused changes nothing.
  if (sent.isRefused !== true) {
    if (!store.isHaunted) {
      store.pending.set(sent.id, { petId, quantity, sentAt: now });
    }
    if (possible !== undefined) {
      prune(possible, Math.min(oldest, store.heldBackSince));
      beginWrite(possible, sent.id, quantity, now);
    }
  }
  return before;
}

type Answer = Pick<WriteRecord, 'answeredAt' | 'exchange'>;

type Ending = 'accepted' | 'doubtful' | 'refused' | 'unknown';

function endingOf({ sent: { credential }, reading: { body } }: Flight, status: number): Ending {
  const outcome = outcomeOfWrite(status);
  if (outcome !== 'granted') {
    return outcome;
  }
  // What should have been refused and was not may have changed something or nothing.
  const isProper =
    credential.kind !== 'missing' &&
    credential.kind !== 'invalid' &&
    typeof body === 'object' &&
    body.kind !== 'bad';
  return isProper ? 'accepted' : 'doubtful';
}

function endPetWrite(
  store: KnownStore,
  records: WriteRecords,
  flight: Flight & { readonly writes: PetWrite },
  { answeredAt: now, exchange, rivals }: Answer & { readonly rivals: readonly (number | null)[] },
): void {
  const { sentAt, writes } = flight;
  const { id } = flight.sent;
  const { petId, quantity, before } = writes;
  const ending = endingOf(flight, exchange.response.status);
  if (ending === 'unknown') {
    return;
  }
  const presence = presenceDuring(store, petId, sentAt);
  const possible = entriesOf(store, petId);
  store.pending.delete(id);
  const item = ending === 'refused' ? undefined : itemInAnswer(exchange);
  const isNamed = item?.petId === petId;
  const shown = item === undefined || !isNamed ? null : Number(item.quantity);
  if (possible !== undefined) {
    if (ending === 'refused') {
      refuseWrite(possible, id);
    } else if (ending === 'accepted' && (item === undefined || isNamed)) {
      const isRival = rivals.some((rival) => rival === null || rival === shown);
      const set = quantity === null ? [shown] : shown === null || isRival ? [quantity] : [quantity, shown];
      completeWrite(possible, { id, sentAt, now }, [...new Set(set)]);
    } else {
      doubtWrite(possible, id, shown ?? quantity, now);
    }
  } else if (ending !== 'refused' && presence === 'absent') {
    store.doubtful.add(petId);
  }
  if (ending !== 'refused') {
    store.meanwhile?.pets.push({ petId, quantity: quantity ?? shown });
  }
  if (item !== undefined && !isNamed) {
    admitElsewhere(store, item.petId, Number(item.quantity), { sentAt, now });
  }
  records.note({
    petId,
    quantity: quantity ?? shown,
    before,
    isAccepted: ending !== 'refused',
    answeredAt: now,
    exchange,
  });
}

/** A pet that an answer names may have been changed, though the path does not spell it. @param quantity `null` for any */
function admitElsewhere(store: KnownStore, petId: bigint, quantity: number | null, span: ReadSpan): void {
  const possible = entriesOf(store, petId);
  if (possible !== undefined) {
    admitQuantity(possible, quantity, span);
  }
}

function endWildWrite(store: KnownStore, records: WriteRecords, flight: Flight, answer: Answer): void {
  const { answeredAt: now, exchange } = answer;
  const { status } = exchange.response;
  if (outcomeOfWrite(status) === 'refused') {
    records.note({ ...NO_PET, quantity: null, isAccepted: false, ...answer });
    return;
  }
  if (store.meanwhile !== null) {
    store.meanwhile.isWild = true;
  }
  const item =
    flight.reading.target.kind === 'spelled' && status === 200 ? itemInAnswer(exchange) : undefined;
  if (item !== undefined && entriesOf(store, item.petId) !== undefined) {
    // The answer may show what another update made of it meanwhile.
    const quantities = new Set([Number(item.quantity), numberOf(quantityAskedFor(flight.reading))]);
    quantities.forEach((quantity) =>
      admitElsewhere(store, item.petId, quantity, { sentAt: flight.sentAt, now }),
    );
    records.note({
      petId: item.petId,
      quantity: Number(item.quantity),
      before: [],
      isAccepted: true,
      ...answer,
    });
  } else {
    // What is said to be done later may be done at any time.
    store.isHaunted ||= status === 202;
    forget(store, store.isOurs, now);
  }
}
