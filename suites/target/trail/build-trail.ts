import type { InventoryItem } from '../../../contract/inventory.ts';
import type { Trail, TrailItem, TrailKey, TrailStep } from '../../../contract/trail.ts';
import type { Key, ServerClock } from '../../oracle/index.ts';
import { batchesOf, isAtOnce, isContest, mostUnderWay } from './batches.ts';
import type { LoggedEvent, LoggedRequest } from './trail-log.ts';
import { noteRefusals, SHORTEST_WAIT_MILLISECONDS, toldUntil, waitStep, type EndsOfWaits } from './waits.ts';
import { wordBatch, type Wording } from './word-requests.ts';

/** What a trail is built from. */
export interface TrailSource {
  readonly events: readonly LoggedEvent[];
  /** The one whose answer shows the fault; `null` if it is a whole run that is told, whoever did what. */
  readonly decisive: LoggedRequest | null;
  readonly keys: ReadonlyMap<string, Key>;
  /** Secrets that were revoked before the run. */
  readonly revoked: readonly string[];
  readonly clock: Pick<ServerClock, 'at'>;
  readonly redact: (text: string) => string;
}

/** The steps of a trail, and where each request stands in it. */
export interface BuiltSteps extends Pick<Trail, 'keys' | 'startedAt' | 'steps'> {
  /** Number of the answer, from 1. */
  readonly numberOf: (request: LoggedRequest) => number;
  /** Answers that were under way together with it, itself included. */
  readonly rowOf: (request: LoggedRequest) => readonly [from: number, to: number];
  /** Whether a request waits for what the last answer to its key asks for, whenever the trail is sent. */
  readonly hasWaited: (request: LoggedRequest) => boolean;
  readonly secrets: readonly string[];
}

const MOST_CONNECTIONS = 64;

export function buildSteps(source: TrailSource): BuiltSteps {
  const events = source.events.filter((event) => event.do !== 'send' || !event.isRepeated);
  const start = events[0]?.at ?? 0;
  const labels = [...new Set(events.flatMap((event) => ('key' in event ? (event.key ?? []) : [])))];
  const keys = labels.flatMap((label) => source.keys.get(label) ?? []);
  const secrets = [...keys.map(({ secret }) => secret), ...source.revoked];
  const wording: Wording = {
    secrets,
    keyOf: (label) => labels.indexOf(label) + 1,
    texts: new Map(),
    redact: source.redact,
  };
  const steps: TrailStep[] = [];
  const numbers = new Map<
    LoggedRequest,
    { readonly number: number; readonly row: readonly [number, number] }
  >();
  let next = 1;
  let free = start;
  const refusals: EndsOfWaits = new Map();
  // A target may ask for no wait at all before the decisive request, and another one for a minute.
  const hasWaited = (request: LoggedRequest): boolean =>
    request.at >= (toldUntil(events, request, source.clock) ?? Infinity);
  const { decisive } = source;
  const isWholeRun = decisive === null;
  const decisiveHasWaited = decisive !== null && hasWaited(decisive);
  const waited = new Set<LoggedRequest>();
  const isToldNothing = (event: LoggedEvent): boolean => event === decisive && decisiveHasWaited;
  for (const batch of batchesOf(events, isToldNothing)) {
    const [first] = batch;
    if (first === undefined) {
      continue;
    }
    const waiting = requestFrom(events, first);
    const pause = first.at - free;
    if (waiting !== undefined && (pause >= SHORTEST_WAIT_MILLISECONDS || isToldNothing(first))) {
      const by = { key: waiting.key, at: first.at, hasWaited: hasWaited(waiting) };
      if (by.hasWaited) {
        waited.add(waiting);
      }
      steps.push(waitStep(pause, by, free - start, refusals, wording));
      free = Math.max(free, first.at);
    }
    if (first.do !== 'send') {
      steps.push(controlStep(first, start, wording));
      continue;
    }
    const requests = batch.filter((event) => event.do === 'send');
    const atOnce = isAtOnce(requests);
    const worded = wordBatch(requests, wording, !isWholeRun && atOnce && !isContest(requests));
    for (const { members } of worded) {
      const from = next;
      for (const member of members) {
        numbers.set(member, { number: next, row: [from, from + members.length - 1] });
        next += 1;
      }
    }
    const row = [next - requests.length, next - 1] as const;
    for (const member of requests) {
      const number = numbers.get(member)?.number ?? 0;
      numbers.set(member, { number, row: atOnce ? row : [number, number] });
    }
    // Of a check it matters what it sent at once; of checks side by side, rather in which order they sent.
    const together = isWholeRun ? mostUnderWay(requests) : requests.length;
    steps.push({
      do: 'send',
      at: Math.round(first.at - start),
      connections: atOnce ? Math.min(MOST_CONNECTIONS, together) : 1,
      requests: worded.map(({ request }) => request),
    });
    free = Math.max(free, ...requests.map(({ at, endedAt }) => endedAt ?? at));
    noteRefusals(refusals, requests, source.clock);
  }
  const revoked = source.revoked.map((_, index) => revokedKey(index));
  return {
    keys: [...keys.map(trailKey), ...revoked],
    startedAt: source.clock.at(start)?.earliest ?? null,
    steps,
    secrets,
    numberOf: (request) => numbers.get(request)?.number ?? 0,
    rowOf: (request) => numbers.get(request)?.row ?? [0, 0],
    hasWaited: (request) => waited.has(request),
  };
}

/** The request that an event is, or that comes next. */
function requestFrom(events: readonly LoggedEvent[], first: LoggedEvent): LoggedRequest | undefined {
  return events.slice(events.indexOf(first)).find((event) => event.do === 'send');
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
  { keyOf }: Wording,
): TrailStep {
  const at = Math.round(event.at - start);
  switch (event.do) {
    case 'issue key':
    case 'revoke key':
      return { do: event.do, at, key: keyOf(event.key) };
    case 'replace inventory':
      return { do: event.do, at, items: event.items.map(trailItem) };
  }
}

export function trailItem({ petId, quantity, status }: InventoryItem): TrailItem {
  return { petId: petId.toString(), quantity: quantity.toString(), status };
}
