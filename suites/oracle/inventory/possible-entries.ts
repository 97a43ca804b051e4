import type { InventoryItem, PetStatus } from '../../../contract/inventory.ts';

/**
 * What one pet may stand at. Moments are numbers of events: what was answered before something was sent came before
 * it, whatever the clocks say.
 */
export interface PossibleEntries {
  entries: PossibleEntry[];
  /** Whether an update of it was accepted, or may have been. */
  isUpdated: boolean;
  /** Quantities that it stood at, or was set to, as far as they are kept: the last ones at the end. */
  readonly earlier: number[];
}

interface PossibleEntry {
  /** `null` if it may be any. */
  readonly quantity: number | null;
  /** `null` if it may be any: what an update makes of the status is open. */
  status: PetStatus | null;
  /** The request that writes it, or `null`. */
  readonly id: number | null;
  /** It may stand there from this moment on. */
  from: number;
  /** It was written by then; infinite while that is under way, or for ever if no answer came. */
  writtenBy: number;
  /** It may stand there up to this moment. */
  until: number;
}

/** What is known of an entry before anything is written to it. */
export interface KnownEntry {
  readonly quantity: InventoryItem['quantity'];
  /** `null` if no list has shown it yet: what a target makes of a status that it is given is open. */
  readonly status: PetStatus | null;
}

/** Quantities beyond a double's precision are the same if their doubles are. */
export function isSame(one: KnownEntry, other: KnownEntry): boolean {
  return (
    Number(one.quantity) === Number(other.quantity) &&
    (one.status === null || other.status === null || one.status === other.status)
  );
}

// Updates of one pet that are under way at once, in a burst.
const MOST_ENTRIES = 1_024;
const MOST_EARLIER = 1_024;
// Anybody may write one of many by chance.
const FEW_EARLIER = 8;

/** A pet that stands at this since some moment of a span; at anything if `entry` is `null`. */
export function possiblyOnly(entry: KnownEntry | null, from: number, writtenBy: number): PossibleEntries {
  return { entries: [settled(entry, from, writtenBy)], isUpdated: false, earlier: [] };
}

function settled(entry: KnownEntry | null, from: number, writtenBy: number): PossibleEntry {
  return {
    quantity: entry === null ? null : Number(entry.quantity),
    status: entry?.status ?? null,
    id: null,
    from,
    writtenBy,
    until: Number.POSITIVE_INFINITY,
  };
}

/** Of a pet with too many entries anything is possible from then on. What was written twice may stand as long as either. */
function addEntry(possible: PossibleEntries, entry: PossibleEntry): void {
  const same = entry.id === null ? possible.entries.find((other) => isSameWrite(entry, other)) : undefined;
  if (same !== undefined) {
    same.from = Math.min(same.from, entry.from);
    same.writtenBy = Math.max(same.writtenBy, entry.writtenBy);
    return;
  }
  if (possible.entries.length >= MOST_ENTRIES) {
    possible.entries = [settled(null, 0, Number.POSITIVE_INFINITY)];
  }
  possible.entries.push(entry);
}

function isSameWrite(one: PossibleEntry, other: PossibleEntry): boolean {
  return (
    other.id === null &&
    one.quantity === other.quantity &&
    one.status === other.status &&
    one.until === Number.POSITIVE_INFINITY &&
    other.until === Number.POSITIVE_INFINITY
  );
}

/** A write is sent. @param quantity `null` if it may set any */
export function beginWrite(
  possible: PossibleEntries,
  id: number,
  quantity: number | null,
  now: number,
): void {
  possible.isUpdated = true;
  addEntry(possible, { ...settled(null, now, Number.POSITIVE_INFINITY), quantity, id });
}

/** A write changed nothing, so that nobody can have found what it asked for. */
export function refuseWrite(possible: PossibleEntries, id: number): void {
  possible.entries = possible.entries.filter((entry) => entry.id !== id);
}

/**
 * A write was carried out, so that what was written before it was sent is over.
 * @param quantities what it may have set; `null` for any
 */
export function completeWrite(
  possible: PossibleEntries,
  { id, sentAt, now }: { readonly id: number; readonly sentAt: number; readonly now: number },
  quantities: readonly (number | null)[],
): void {
  for (const entry of possible.entries) {
    if (entry.id === id || entry.writtenBy < sentAt) {
      noteEarlier(possible, entry);
      entry.until = Math.min(entry.until, now);
    }
  }
  for (const quantity of quantities) {
    addEntry(possible, { ...settled(null, sentAt, now), quantity });
    // A list that lags may show another first.
    noteEarlier(possible, { quantity, id: null, until: Number.POSITIVE_INFINITY });
  }
}

function noteEarlier(
  { earlier }: PossibleEntries,
  { quantity, until, id }: Pick<PossibleEntry, 'quantity' | 'until' | 'id'>,
): void {
  if (quantity === null || id !== null || until !== Number.POSITIVE_INFINITY) {
    return;
  }
  // The latest stands last, if it was there before, too.
  const known = earlier.indexOf(quantity);
  earlier.splice(known < 0 ? 0 : known, known < 0 && earlier.length < MOST_EARLIER ? 0 : 1);
  earlier.push(quantity);
}

/** Whether it stood at a quantity, or was set to it, before: ever, or lately. */
export function isEarlierQuantity(
  { earlier }: PossibleEntries,
  quantity: number,
  when: 'ever' | 'lately',
): boolean {
  return (when === 'ever' ? earlier : earlier.slice(-FEW_EARLIER)).includes(quantity);
}

/** A write may have been carried out by now, or not at all. */
export function doubtWrite(
  possible: PossibleEntries,
  id: number,
  quantity: number | null,
  now: number,
): void {
  for (const entry of possible.entries) {
    if (entry.id === id) {
      entry.until = Math.min(entry.until, now);
      addEntry(possible, {
        ...entry,
        id: null,
        quantity,
        writtenBy: now,
        until: Number.POSITIVE_INFINITY,
      });
      return;
    }
  }
}

/** A read that was under way from `sentAt` to `now`. */
export interface ReadSpan {
  readonly sentAt: number;
  readonly now: number;
}

/** Whether a read may have found this. */
export function mayStandAt(possible: PossibleEntries, item: KnownEntry, span: ReadSpan): boolean {
  return possible.entries.some((entry) => isWithin(entry, span) && fits(entry, item));
}

function isWithin({ from, until }: PossibleEntry, { sentAt, now }: ReadSpan): boolean {
  return from <= now && until >= sentAt;
}

function fits(entry: PossibleEntry, { quantity, status }: KnownEntry): boolean {
  return (
    (entry.quantity === null || entry.quantity === Number(quantity)) &&
    (entry.status === null || entry.status === status)
  );
}

/** A read found this: what was written before the read, and is another, is over. */
export function confirm(possible: PossibleEntries, item: KnownEntry, span: ReadSpan): void {
  const { sentAt, now } = span;
  const found = possible.entries.filter((entry) => isWithin(entry, span) && fits(entry, item));
  for (const entry of possible.entries) {
    if (entry.writtenBy < sentAt && !fits(entry, item)) {
      entry.until = Math.min(entry.until, now);
    }
  }
  const [only] = found;
  if (only === undefined || found.length > 1) {
    return;
  }
  if (only.quantity === null) {
    const { until } = only;
    only.until = only.writtenBy === Number.POSITIVE_INFINITY ? until : Math.min(until, now);
    // If the request is refused after all, nobody can have found this.
    addEntry(possible, { ...settled(item, only.from, now), id: only.id, until });
  } else {
    // Nothing else can have put it there, so it is written by now, once.
    only.writtenBy = Math.min(only.writtenBy, now);
    only.status ??= only.writtenBy < sentAt ? item.status : null;
  }
}

/** A read found what cannot be: from now on that may stand there, too. */
export function admit(possible: PossibleEntries, item: KnownEntry, { sentAt, now }: ReadSpan): void {
  addEntry(possible, settled(item, sentAt, now));
}

/** An update may have set this, and made any status of it; `null` if it may have set anything. */
export function admitQuantity(
  possible: PossibleEntries,
  quantity: number | null,
  { sentAt, now }: ReadSpan,
): void {
  possible.isUpdated = true;
  addEntry(possible, { ...settled(null, sentAt, now), quantity });
}

/** Forgets what no read that is under way can find any more. @param oldest when the oldest of them was sent */
export function prune(possible: PossibleEntries, oldest: number): void {
  if (possible.entries.length > 1) {
    possible.entries = possible.entries.filter(({ until }) => until >= oldest);
  }
}

/** Quantities that it may stand at now, without what is under way; `null` for any. */
export function settledQuantities(possible: PossibleEntries): readonly (number | null)[] {
  return possible.entries
    .filter(({ until, writtenBy }) => until === Number.POSITIVE_INFINITY && Number.isFinite(writtenBy))
    .map(({ quantity }) => quantity);
}

/** In words, without a status that is open. */
export function describeKnown({
  quantity,
  status,
}: Pick<KnownEntry, 'status'> & { readonly quantity: KnownEntry['quantity'] | string }): string {
  return status === null ? `${quantity}` : `${quantity} ${status}`;
}

/** What a read may have found, for a message. */
export function describePossible(possible: PossibleEntries, span: ReadSpan): string {
  const entries = possible.entries.filter((entry) => isWithin(entry, span));
  // With any status it is named once.
  const open = new Set(entries.filter(({ status }) => status === null).map(({ quantity }) => quantity));
  const told = entries.map(({ quantity, status }) => {
    return describeKnown({ quantity: quantity ?? 'anything', status: open.has(quantity) ? null : status });
  });
  return [...new Set(told)].slice(0, 4).join(' or ');
}
