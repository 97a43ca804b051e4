import type { TargetClient } from '../../suites/target/index.ts';
import type { LoadRequest, LoadResponse } from '../engine/load-request.ts';
import { inspectResponse } from './exchange-of-response.ts';
import { followKeys, type KeyHistory } from './key-history.ts';
import {
  JOURNAL_ENTRY,
  JOURNAL_ENTRY_LENGTH,
  LOST,
  SENT,
  sizeOfPart,
  type KeyJournalPart,
  type ResponseDetails,
} from './key-journal.ts';

interface Journal {
  readonly shard: number;
  parts: KeyJournalPart[];
  /** The next entry of the first part. */
  next: number;
  /** Of answers that are still to be judged, by their ids. */
  readonly details: Map<number, ResponseDetails>;
  until: number;
}

/** The load that journals are of. */
interface JournalScope {
  /** How many shards. */
  readonly of: number;
  /** What has to be added to `performance.now()` for the time that all shards share. */
  readonly origin: number;
  readonly movesClock: boolean;
}

export type JournalJudge = ReturnType<typeof judgeJournals>;

/**
 * Judges the keys of a load that several generators share: one history, whichever of them sent a request.
 * @param mix the requests of the load, as its shards have them
 * @param onJudged is told whenever a part of a shard has been judged, and how large it was
 */
export function judgeJournals(
  client: TargetClient,
  mix: readonly LoadRequest[],
  scope: JournalScope,
  onJudged: (shard: number, bytes: number) => void,
) {
  const history = followKeys(client, scope.movesClock);
  const judge = openEntryJudge(client, mix, scope, history);
  const journals = Array.from({ length: scope.of }, (_, shard): Journal => ({
    shard,
    parts: [],
    next: 0,
    details: new Map(),
    until: Number.NEGATIVE_INFINITY,
  }));
  let isAbandoned = false;
  let cutAt: number | null = null;

  const advance = (): void => {
    const until = Math.min(...journals.map((journal) => journal.until));
    for (;;) {
      const { journal, at, nextAt } = firstOf(journals);
      if (journal === undefined || at >= until) {
        return;
      }
      const [part] = journal.parts;
      const last = Math.min(until, nextAt);
      // Of one journal there are many in a row.
      do {
        if (part !== undefined) {
          judge(journal, part);
        }
        journal.next += JOURNAL_ENTRY_LENGTH;
      } while ((part?.entries[journal.next + JOURNAL_ENTRY.at] ?? Infinity) < last);
      if (part !== undefined && journal.next >= part.entries.length) {
        journal.parts.shift();
        journal.next = 0;
        onJudged(journal.shard, sizeOfPart(part));
      }
    }
  };

  const abandon = (): void => {
    isAbandoned = true;
    journals.forEach((journal) => {
      journal.parts = [];
    });
  };

  return {
    /** Takes the next part of a shard, and judges all that no shard can still come before. */
    accept: (shard: number, part: KeyJournalPart): void => {
      const journal = journals[shard];
      if (journal === undefined || isAbandoned) {
        return;
      }
      if (part.isCut) {
        cutAt = Math.min(...journals.map(({ until }) => until));
        abandon();
        return;
      }
      if (part.entries.length > 0) {
        journal.parts.push(part);
      }
      part.details.forEach((details) => journal.details.set(details.id, details));
      journal.until = part.until;
      advance();
    },
    /** A part of the history is lost, so that nothing more is judged. */
    abandon,
    /** The moment after which nothing was judged, because a journal was cut; `null` if none was. */
    cutAt: (): number | null => cutAt,
    /** The load is over, and has used all of its keys, whether or not that was judged. */
    end: (): void => history.end(mix.map(({ key }) => key)),
  };
}

/** @returns what judges the next entry of a journal, which is in that part */
function openEntryJudge(
  client: TargetClient,
  mix: readonly LoadRequest[],
  { origin, movesClock }: JournalScope,
  history: KeyHistory,
): (journal: Journal, part: KeyJournalPart) => void {
  /** A response as the engine had it: what the journal holds of it. */
  const responseOf = (
    request: LoadRequest,
    entries: Float64Array,
    entry: number,
    details: ResponseDetails | null,
  ): LoadResponse => {
    const sentAt = (entries[entry + JOURNAL_ENTRY.sentAt] ?? 0) - origin;
    return {
      request,
      departure: entries[entry + JOURNAL_ENTRY.id] ?? 0,
      status: entries[entry + JOURNAL_ENTRY.status] ?? 0,
      rawHeaders: details?.rawHeaders ?? limitFields(entries, entry),
      body: details?.body === null || details === null ? null : Buffer.from(details.body),
      dueAt: sentAt,
      sentAt,
      answeredAt: (entries[entry + JOURNAL_ENTRY.at] ?? 0) - origin,
    };
  };

  return ({ details, next: entry }, { entries }) => {
    const kind = entries[entry + JOURNAL_ENTRY.kind];
    const id = entries[entry + JOURNAL_ENTRY.id] ?? 0;
    const at = entries[entry + JOURNAL_ENTRY.at] ?? 0;
    const request = mix[entries[entry + JOURNAL_ENTRY.request] ?? 0];
    const { key = null } = request ?? {};
    if (request === undefined || key === null) {
      return;
    }
    if (kind === SENT) {
      history.leaving(key, request, id, at - origin);
    } else if (kind === LOST) {
      history.lost(request, id, at - origin);
    } else {
      const shown = details.get(id) ?? null;
      details.delete(id);
      const response = responseOf(request, entries, entry, shown);
      history.received(key, response, {
        limit: entries[entry + JOURNAL_ENTRY.limit] ?? -1,
        remaining: entries[entry + JOURNAL_ENTRY.remaining] ?? -1,
        reset: entries[entry + JOURNAL_ENTRY.reset] ?? -1,
        retryAfter: shown?.retryAfter,
      });
      const extent = shown?.extent ?? null;
      if (extent !== null) {
        history.whenDecided(key, response, extent, (mayBeBanned) =>
          inspectResponse(client, response, { extent, mayBeBanned, movesClock }),
        );
      }
    }
  };
}

/** The journal whose next entry comes first, and when the first one of all others comes; called for nearly every entry. */
function firstOf(journals: readonly Journal[]) {
  let journal: Journal | undefined;
  let at = Infinity;
  let nextAt = Infinity;
  for (const one of journals) {
    const moment = momentOf(one);
    if (moment < at) {
      nextAt = at;
      at = moment;
      journal = one;
    } else if (moment < nextAt) {
      nextAt = moment;
    }
  }
  return { journal, at, nextAt };
}

/** When the next entry of a journal happened. */
function momentOf({ parts: [part], next }: Journal): number {
  return part?.entries[next + JOURNAL_ENTRY.at] ?? Infinity;
}

/** What proves something of a response whose other fields were not kept. */
function limitFields(entries: Float64Array, entry: number): readonly string[] {
  const limit = entries[entry + JOURNAL_ENTRY.limit] ?? -1;
  const remaining = entries[entry + JOURNAL_ENTRY.remaining] ?? -1;
  const reset = entries[entry + JOURNAL_ENTRY.reset] ?? -1;
  return [
    ...(limit < 0 ? [] : ['X-RateLimit-Limit', `${limit}`]),
    ...(remaining < 0 ? [] : ['X-RateLimit-Remaining', `${remaining}`]),
    ...(reset < 0 ? [] : ['X-RateLimit-Reset', `${reset}`]),
  ];
}
