import { isDeepStrictEqual } from 'node:util';

import type { InventoryItem } from '../../../contract/inventory.ts';
import type { TrailItem, TrailKey, TrailStep } from '../../../contract/trail.ts';
import { headerValues } from '../../../contract/rate-limit-headers.ts';
import { parseRetryAfter } from '../../../contract/retry-after.ts';
import type { Key, ServerClock } from '../../oracle/index.ts';
import type { LoggedEvent, LoggedRequest } from './trail-log.ts';
import { wordBatch, type Wording } from './word-requests.ts';

/** What a trail is built from. */
interface TrailSource {
  readonly events: readonly LoggedEvent[];
  /** The one whose answer shows the fault. */
  readonly decisive: LoggedRequest;
  /** Those that the violation rests on, the decisive one among them. */
  readonly proof: ReadonlySet<LoggedRequest>;
  /** Secrets that were revoked before the run. */
  readonly revoked: readonly string[];
  readonly clock: Pick<ServerClock, 'at'>;
  readonly redact: (text: string) => string;
}

const MOST_CONNECTIONS = 64;

/** The steps of a trail. */
export function buildSteps(source: TrailSource) {
  const events = source.events.filter((event) => !isSentAgain(event, source.events));
  const start = events[0]?.at ?? 0;
  const keys = [...new Set(events.flatMap((event) => ('key' in event ? (event.key ?? []) : [])))];
  const secrets = [...keys.map(({ secret }) => secret), ...source.revoked];
  const wording: Wording = {
    secrets,
    numberOf: (key) => keys.indexOf(key) + 1,
    texts: new Map(),
    redact: source.redact,
    proof: source.proof,
  };
  const steps: TrailStep[] = [];
  let free = start;
  let isDecisiveAtOnce = false;
  // A target may ask for no wait at all before the decisive request, and another one for a minute.
  const hasWaited = (request: LoggedRequest): boolean =>
    request.at >= (toldUntil(events, request, source.clock) ?? Infinity);
  const { decisive } = source;
  const decisiveHasWaited = hasWaited(decisive);
  const isToldNothing = (event: LoggedEvent): boolean => event === decisive && decisiveHasWaited;
  for (const { first, others, overlaps } of batchesOf(events, isToldNothing)) {
    const before = events.slice(0, events.indexOf(first));
    const next = events.slice(before.length).find((event) => event.do === 'send');
    const pause = first.at - free;
    if (next !== undefined && (pause >= SHORTEST_WAIT_MILLISECONDS || isToldNothing(first))) {
      const seconds = Math.max(0, Math.round(pause)) / 1000;
      const told =
        pause < SHORTEST_WAIT_MILLISECONDS ? next.key : whoWasTold(before, first.at, next.key, source.clock);
      const outlasted = told === null && hasWaited(next) ? next.key : null;
      steps.push({
        do: 'wait',
        at: Math.round(free - start),
        seconds,
        ...(told === null ? {} : { told: wording.numberOf(told) }),
        ...(outlasted === null ? {} : { outlasts: wording.numberOf(outlasted) }),
      });
      free = Math.max(free, first.at);
    }
    if (first.do !== 'send') {
      steps.push(controlStep(first, start, wording));
      continue;
    }
    const requests = [first, ...others];
    const isAtOnce = overlaps && others.length > 0;
    isDecisiveAtOnce ||= isAtOnce && requests.includes(decisive);
    steps.push({
      do: 'send',
      at: Math.round(first.at - start),
      connections: isAtOnce ? Math.min(MOST_CONNECTIONS, requests.length) : 1,
      requests: wordBatch(requests, wording, isAtOnce && !isContest(requests)),
    });
    free = Math.max(free, ...requests.map(({ at, endedAt }) => endedAt ?? at));
  }
  const revoked = source.revoked.map((_, index) => revokedKey(index));
  return {
    keys: [...keys.map(trailKey), ...revoked],
    startedAt: source.clock.at(start)?.earliest ?? null,
    steps,
    /** Whether others were under way with the decisive request. */
    isAtOnce: isDecisiveAtOnce,
  };
}

/** Whether it is a request that got no response, and was sent again: it need not be sent twice in a repetition. */
function isSentAgain(event: LoggedEvent, all: readonly LoggedEvent[]): boolean {
  return (
    event.do === 'send' &&
    event.endedAt !== null &&
    event.response === null &&
    all
      .slice(all.indexOf(event) + 1)
      .some(
        (other) =>
          other.do === 'send' &&
          other.request === event.request &&
          isDeepStrictEqual(other.authorization, event.authorization),
      )
  );
}

function trailKey({ label, plan, limits, usedToday, issued }: Key): TrailKey {
  return {
    label,
    plan,
    perMinute: limits?.perMinute ?? null,
    perDay: limits?.perDay ?? null,
    usedToday,
    issued,
  };
}

function revokedKey(index: number): TrailKey {
  const none = { perMinute: null, perDay: null, usedToday: 0, issued: false };
  return { label: `revoked#${index + 1}`, plan: 'free', ...none, revoked: true };
}

function controlStep(
  event: Exclude<LoggedEvent, { readonly do: 'send' }>,
  start: number,
  { numberOf }: Wording,
): TrailStep {
  const at = Math.round(event.at - start);
  switch (event.do) {
    case 'issue key':
    case 'revoke key':
      return { do: event.do, at, key: numberOf(event.key) };
    case 'replace inventory':
      return { do: event.do, at, items: event.items.map(trailItem) };
  }
}

function trailItem({ petId, quantity, status }: InventoryItem): TrailItem {
  return { petId: petId.toString(), quantity: quantity.toString(), status };
}

/** An event, and the requests that are sent together with it. */
interface Batch {
  readonly first: LoggedEvent;
  readonly others: LoggedRequest[];
  /** Whether what is sent with it was under way together with it. */
  readonly overlaps: boolean;
}

/**
 * Requests that overlap are together; so are those that follow one another without a pause, for a short time: a long row
 * is kept in pieces, so that it takes no less time when it is sent again.
 */
function batchesOf(
  events: readonly LoggedEvent[],
  beginsAnew: (event: LoggedEvent) => boolean,
): readonly Batch[] {
  const batches: Batch[] = [];
  let until = Number.NEGATIVE_INFINITY;
  for (const [index, event] of events.entries()) {
    const batch = batches.at(-1);
    const follower = events[index + 1];
    const isSend = event.do === 'send';
    const isAmongOthers = isSend && event.at < until;
    const begins = isSend && follower?.do === 'send' && follower.at < (event.endedAt ?? Infinity);
    const isAfterRequest = events[index - 1]?.do === 'send' && batch !== undefined;
    const joins = (row: Batch): boolean =>
      isAmongOthers
        ? row.overlaps
        : !row.overlaps &&
          !begins &&
          !beginsAnew(event) &&
          event.at - row.first.at < SHORTEST_WAIT_MILLISECONDS;
    if (isSend && isAfterRequest && joins(batch)) {
      batch.others.push(event);
    } else {
      batches.push({ first: event, others: [], overlaps: begins });
    }
    if (isSend) {
      until = isAmongOthers ? Math.max(until, event.endedAt ?? event.at) : (event.endedAt ?? Infinity);
    }
  }
  return batches;
}

// Of more than that it matters only how many were granted.
const MOST_IN_ORDER = 20;

/** Whether a limit let some of a few through, most likely those that came first. */
function isContest(requests: readonly LoggedRequest[]): boolean {
  return requests.length <= MOST_IN_ORDER && requests.some(({ response }) => response?.status === 429);
}

/** A pause that is no mere processing. */
const SHORTEST_WAIT_MILLISECONDS = 500;
// Whoever waits as told comes a little later.
const TOLD_MILLISECONDS = 3_000;
const REFUSAL_STATUSES: ReadonlySet<number> = new Set([401, 403, 429]);

/** The key whose last answer that asked for a wait asked to wait until about then; if there are several, this one. */
function whoWasTold(
  before: readonly LoggedEvent[],
  at: number,
  preferred: Key | null,
  clock: Pick<ServerClock, 'at'>,
): Key | null {
  const ends = new Map<Key, number>();
  for (const event of before) {
    const until = event.do === 'send' ? endOfWait(event, clock) : null;
    if (event.do === 'send' && event.key !== null && until !== null) {
      ends.set(event.key, until);
    }
  }
  const told = [...ends].flatMap(([key, until]) =>
    at >= until - 50 && at <= until + TOLD_MILLISECONDS ? [key] : [],
  );
  return told.find((key) => key === preferred) ?? told[0] ?? null;
}

/** Until when the answer asked to wait; `null` if it did not. */
function endOfWait({ response, endedAt }: LoggedRequest, clock: Pick<ServerClock, 'at'>): number | null {
  const told = headerValues(response?.headers ?? [], 'Retry-After')[0];
  const reading = told === undefined ? undefined : parseRetryAfter(told);
  if (endedAt === null || reading === undefined) {
    return null;
  }
  const now = clock.at(endedAt)?.latest;
  const seconds =
    reading.form === 'delta-seconds' ? reading.seconds : now === undefined ? 0 : reading.unixSeconds - now;
  return endedAt + seconds * 1000;
}

/**
 * Until when the last answer of its key before a request asked to wait; `null` if it did not. A refusal that does not
 * say how long asks for a pause.
 */
function toldUntil(
  events: readonly LoggedEvent[],
  request: LoggedRequest,
  clock: Pick<ServerClock, 'at'>,
): number | null {
  const { key, at } = request;
  const before = events.findLast(
    (event): event is LoggedRequest =>
      event.do === 'send' && event !== request && event.key === key && (event.endedAt ?? Infinity) <= at,
  );
  if (key === null || before === undefined) {
    return null;
  }
  const isSilent = headerValues(before.response?.headers ?? [], 'Retry-After').length === 0;
  const isRefusal = REFUSAL_STATUSES.has(before.response?.status ?? 0);
  return isRefusal && isSilent && before.endedAt !== null
    ? before.endedAt + SHORTEST_WAIT_MILLISECONDS
    : endOfWait(before, clock);
}
