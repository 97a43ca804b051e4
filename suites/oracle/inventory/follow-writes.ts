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
import {
  boundMemory,
  entriesOf,
  forget,
  giveUp,
  type KnownStore,
  type SentWrite,
  presenceDuring,
} from './known-store.ts';
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
  readonly own: SentWrite;
  /** What others may write to the pet, or may have written, since it was sent. */
  readonly met: SentWrite[];
  /** What they may set it to, by what is known of their answers; `null` stands for anything. */
  readonly rivals: () => readonly (number | null)[];
  /** What the pet may have stood at before; `null` for anything. */
  readonly before: readonly (number | null)[];
}

/** Follows what requests that are sent may make of the store. */
export function followWrites(store: KnownStore, records: WriteRecords) {
  const flights = new Map<number, Flight>();
  /** When the oldest request that is under way was sent; `now` if none is. */
  const oldest = (now: number): number => flights.values().next().value?.sentAt ?? now;
  let disturbedAt = -Infinity;
  const isDisturbedSince = (sentAt: number): boolean => disturbedAt >= sentAt;
  /** Whatever is under way may meet anything in its pet. */
  const disturb = (now: number): void => {
    disturbedAt = now;
  };
  const bound = (now: number): void => {
    if (boundMemory(store, now, flights.size)) {
      disturb(now);
    }
  };
  const end = ({ sent: { id }, writes }: Flight, outcome: WriteOutcome): void => {
    const own = writes === 'any pet' ? store.wild.get(id) : writes?.own;
    if (own !== undefined) {
      own.isRefused = outcome === 'refused';
    }
    flights.delete(id);
    store.wild.delete(id);
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
      if (effect === 'any pet' && sent.isRefused !== true) {
        const own = { petId: null, quantity: null, sentAt: now, isRefused: false };
        store.wild.set(sent.id, own);
        meet(own, flights.values());
      }
      const writes =
        effect === null || effect === 'any pet'
          ? effect
          : begin(store, flights, { sent, effect, now, oldest: oldest(now) }, isDisturbedSince);
      flights.set(sent.id, { sent, reading, sentAt: now, writes, presence });
    },
    answered: (flight: Flight, exchange: Exchange, now: number): void => {
      const { writes } = flight;
      const answer = { answeredAt: now, exchange };
      end(flight, outcomeOfWrite(exchange.response.status));
      if (writes === 'any pet') {
        endWildWrite(store, records, flight, answer);
      } else if (writes !== null) {
        endPetWrite(store, records, { ...flight, writes }, answer);
      } else if (isBeyondInt64(flight) && isAccepted(exchange)) {
        const quantity = numberOf(quantityAskedFor(flight.reading));
        records.note({ ...NO_PET, quantity, isAccepted: true, ...answer });
      }
      bound(now);
    },
    lost: (flight: Flight, now: number): void => {
      end(flight, 'unknown');
      if (flight.writes === 'any pet') {
        giveUp(store, now);
      }
      bound(now);
    },
  };
}

interface NewWrite {
  readonly sent: SentRequest;
  readonly effect: PetEffect;
  readonly now: number;
  /** When the oldest request that is under way was sent. */
  readonly oldest: number;
}

function begin(
  store: KnownStore,
  flights: ReadonlyMap<number, Flight>,
  { sent, effect, now, oldest }: NewWrite,
  isDisturbedSince: (sentAt: number) => boolean,
): PetWrite {
  const { petId } = effect;
  const quantity = numberOf(effect.quantity);
  const mayBeAny = store.isHaunted || store.meanwhile !== null;
  const own = { petId, quantity, sentAt: now, isRefused: sent.isRefused === true };
  const met = [...store.pending.values().filter((write) => write.petId === petId), ...store.wild.values()];
  meet(own, flights.values());
  return {
    petId,
    quantity,
    own,
    met,
    before: beginPetWrite(store, { id: sent.id, petId, own }, oldest),
    rivals: () =>
      mayBeAny || isDisturbedSince(now)
        ? [null]
        : met.filter(({ isRefused }) => !isRefused).map((write) => write.quantity),
  };
}

/** Those that are under way may meet in their pet what another request writes. */
function meet(own: SentWrite, underWay: Iterable<Flight>): void {
  for (const { writes } of underWay) {
    if (writes !== null && writes !== 'any pet' && (own.petId === null || own.petId === writes.petId)) {
      writes.met.push(own);
    }
  }
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

/** @returns what the pet may have stood at before; `null` for anything */
function beginPetWrite(
  store: KnownStore,
  { id, petId, own }: { readonly id: number; readonly petId: bigint; readonly own: SentWrite },
  oldest: number,
): readonly (number | null)[] {
  const possible = entriesOf(store, petId);
  const before = possible === undefined ? [null] : settledQuantities(possible);
  // What is refused changes nothing.
  if (!own.isRefused) {
    if (!store.isHaunted) {
      store.pending.set(id, own);
    }
    if (possible !== undefined) {
      prune(possible, Math.min(oldest, store.heldBackSince));
      beginWrite(possible, id, own.quantity, own.sentAt);
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
  { answeredAt: now, exchange }: Answer,
): void {
  const { sentAt, writes } = flight;
  const { id } = flight.sent;
  const { petId, quantity, before, rivals } = writes;
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
      const isRival = rivals().some((rival) => rival === null || rival === shown);
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
