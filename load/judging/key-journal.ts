import { decodeFieldPart } from '../engine/quick-headers.ts';
import type { LoadRequest, LoadResponse } from '../engine/load-request.ts';
import type { ClockOffset } from '../engine/monotonic-clock.ts';
import type { Share } from '../engine/load-model.ts';
import type { ResponseExtent } from './exchange-of-response.ts';
import type { KeyHistory } from './key-history.ts';

/** What an entry of a journal holds, in this order; moments are milliseconds of the time that all shards share. */
export const JOURNAL_ENTRY = {
  kind: 0,
  /** Tells a request from those of all shards. */
  id: 1,
  /** When it was sent, answered or given up. */
  at: 2,
  /** Which request of the mix it was. */
  request: 3,
  sentAt: 4,
  status: 5,
  limit: 6,
  remaining: 7,
  reset: 8,
} as const;

export const JOURNAL_ENTRY_LENGTH = 9;

export const SENT = 0;
const RECEIVED = 1;
export const LOST = 2;

/** What of a response does not fit into an entry, if it matters. */
export interface ResponseDetails {
  readonly id: number;
  /** Name, value, name, value. */
  readonly rawHeaders: readonly string[];
  readonly body: Uint8Array | null;
  readonly retryAfter: string | undefined;
  /** How much of it the monitors are to judge, if they are. */
  readonly extent: ResponseExtent | null;
}

/** What happened to the keys of a load in one of its shards, since the part before, as it can be posted to others. */
export interface KeyJournalPart {
  /** Entries, in the order of their moments. */
  readonly entries: Float64Array<ArrayBuffer>;
  /** Of answers whose entries are in this part or a later one. */
  readonly details: readonly ResponseDetails[];
  /** Whatever happened before this moment is in this part or an earlier one. */
  readonly until: number;
  /** Whether the journal ends here, before the load does: of what happened since the part before, nothing is told. */
  readonly isCut: boolean;
}

interface KeyJournalOptions {
  /** Bytes that may wait to be judged. */
  readonly mostWaiting?: number;
  readonly now?: () => number;
}

const FIRST_ENTRIES = 1_024;
const MOST_WAITING = 64 * 2 ** 20;
// Of what is kept of a response beside its body.
const DETAILS_BYTES = 1_024;
const NOTHING = { entries: new Float64Array(), details: [] };

/** About how much memory a part takes. */
export function sizeOfPart({ entries, details }: Pick<KeyJournalPart, 'entries' | 'details'>): number {
  return details.reduce((sum, { body }) => sum + DETAILS_BYTES + (body?.length ?? 0), entries.byteLength);
}

/**
 * Writes down what happens to the keys of a load, so that it is judged where the journals of all shards come together. Only so
 * much waits to be judged: if that falls too far behind, the journal ends early and says so.
 * @param mix the requests of the load, the same in all shards
 * @param shared what has to be added to `performance.now()` for the time that all shards share. By as much as it may be wrong,
 *   a request is said to have left earlier, and to have ended later: so none seems to come after another that overlapped it
 */
export function keepKeyJournal(
  mix: readonly LoadRequest[],
  { index, of }: Share,
  { milliseconds: origin, uncertainty }: ClockOffset,
  { mostWaiting = MOST_WAITING, now = () => performance.now() }: KeyJournalOptions = {},
) {
  const numbers = new Map(mix.map((request, number) => [request, number] as const));
  const details = new Map<number, ResponseDetails>();
  let entries = new Float64Array(FIRST_ENTRIES * JOURNAL_ENTRY_LENGTH);
  let length = 0;
  let takenAt = Number.NEGATIVE_INFINITY;
  let waiting = 0;
  let isCut = false;
  const begin = (kind: number, request: LoadRequest, departure: number, at: number): void => {
    entries = withRoomBehind(length, entries);
    entries[length + JOURNAL_ENTRY.kind] = kind;
    entries[length + JOURNAL_ENTRY.id] = departure * of + index;
    entries[length + JOURNAL_ENTRY.at] = at + origin + (kind === SENT ? -uncertainty : uncertainty);
    entries[length + JOURNAL_ENTRY.request] = numbers.get(request) ?? -1;
    // After a journal has ended, each entry takes the place of the one before.
    length += isCut ? 0 : JOURNAL_ENTRY_LENGTH;
  };
  const detail = (response: LoadResponse, changes: Partial<ResponseDetails>): void => {
    if (!isCut) {
      addDetails(details, response.departure * of + index, response, changes);
    }
  };
  const history: KeyHistory = {
    leaving: (_key, request, departure, sentAt) => begin(SENT, request, departure, sentAt),
    received: (_key, response, { limit, remaining, reset, retryAfter }) => {
      const entry = length;
      begin(RECEIVED, response.request, response.departure, response.answeredAt);
      entries[entry + JOURNAL_ENTRY.sentAt] = response.sentAt + origin - uncertainty;
      entries[entry + JOURNAL_ENTRY.status] = response.status;
      entries[entry + JOURNAL_ENTRY.limit] = limit;
      entries[entry + JOURNAL_ENTRY.remaining] = remaining;
      entries[entry + JOURNAL_ENTRY.reset] = reset;
      if (retryAfter !== undefined) {
        detail(response, { retryAfter });
      }
    },
    lost: (request, departure, givenUpAt) => begin(LOST, request, departure, givenUpAt),
    whenDecided: (_key, response, extent, look) => {
      // Whose request was granted was not banned. Of others only the whole history of the key tells.
      if (response.status >= 200 && response.status < 300) {
        look(false);
      } else {
        detail(response, { extent });
      }
    },
  };
  return {
    history,
    /**
     * What happened until a moment before now; `null` once the journal has ended early.
     * @param isEnd whether nothing will happen any more
     */
    take: (isEnd: boolean): KeyJournalPart | null => {
      if (isCut) {
        return null;
      }
      const whole = sorted(entries.subarray(0, length));
      // What happened before the last part was taken has been written down by now, whichever way it took.
      const until = isEnd ? Infinity : takenAt;
      takenAt = now() + origin - uncertainty;
      const end = firstEntryFrom(whole, until);
      // A part without an entry is never judged, so it takes nothing along.
      const part = { entries: whole.slice(0, end), details: end === 0 ? [] : takeAll(details) };
      entries.copyWithin(0, end, length);
      length -= end;
      waiting += sizeOfPart(part);
      isCut = waiting > mostWaiting;
      return { ...(isCut ? NOTHING : part), until, isCut };
    },
    /** Takes note that parts of this size wait no longer. */
    judged: (bytes: number): void => {
      waiting -= bytes;
    },
  };
}

function withRoomBehind(length: number, entries: Float64Array<ArrayBuffer>): Float64Array<ArrayBuffer> {
  if (length < entries.length) {
    return entries;
  }
  const longer = new Float64Array(2 * entries.length);
  longer.set(entries);
  return longer;
}

function addDetails(
  details: Map<number, ResponseDetails>,
  id: number,
  { rawHeaders, body }: LoadResponse,
  changes: Partial<ResponseDetails>,
): void {
  const nothing = { rawHeaders: rawHeaders.map(decodeFieldPart), retryAfter: undefined, extent: null };
  details.set(id, { ...nothing, ...details.get(id), id, body, ...changes });
}

function takeAll<Value>(map: Map<unknown, Value>): readonly Value[] {
  const values = [...map.values()];
  map.clear();
  return values;
}

/** Sorts entries where they are. They are nearly in order: a response is written down a little after its moment. */
function sorted(entries: Float64Array): Float64Array {
  const momentOf = (entry: number): number => entries[entry + JOURNAL_ENTRY.at] ?? Infinity;
  for (let entry = JOURNAL_ENTRY_LENGTH; entry < entries.length; entry += JOURNAL_ENTRY_LENGTH) {
    const at = momentOf(entry);
    let place = entry;
    while (place > 0 && momentOf(place - JOURNAL_ENTRY_LENGTH) > at) {
      place -= JOURNAL_ENTRY_LENGTH;
    }
    if (place < entry) {
      const moved = entries.slice(entry, entry + JOURNAL_ENTRY_LENGTH);
      entries.copyWithin(place + JOURNAL_ENTRY_LENGTH, place, entry);
      entries.set(moved, place);
    }
  }
  return entries;
}

function firstEntryFrom(entries: Float64Array, moment: number): number {
  let end = entries.length;
  while (end > 0 && (entries[end - JOURNAL_ENTRY_LENGTH + JOURNAL_ENTRY.at] ?? 0) >= moment) {
    end -= JOURNAL_ENTRY_LENGTH;
  }
  return end;
}
