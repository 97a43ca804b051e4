import type { InventoryItem } from '../../../contract/inventory.ts';
import type { Trail, TrailItem, TrailKey, TrailStep } from '../../../contract/trail.ts';
import type { Key, ServerClock } from '../../oracle/index.ts';
import { batchesOf, isAtOnce, isContest } from './batches.ts';
import type { LoggedEvent, LoggedRequest } from './trail-log.ts';
import {
  noteRefusals,
  SHORTEST_WAIT_MILLISECONDS,
  toldUntil,
  waitStep,
  type EndsOfWaits,
} from './trail-waits.ts';
import { wordBatch, type Wording } from './word-requests.ts';

/** What a trail is built from. */
export interface TrailSource {
  readonly events: readonly LoggedEvent[];
  /** The one whose answer shows the fault. */
  readonly decisive: LoggedRequest;
  /** Those that the violation rests on, the decisive one among them. */
  readonly proof: ReadonlySet<LoggedRequest>;
  readonly keys: ReadonlyMap<string, Key>;
  /** Secrets that were revoked before the run. */
  readonly revoked: readonly string[];
  readonly clock: Pick<ServerClock, 'at'>;
  readonly redact: (text: string) => string;
}

/** The steps of a trail. */
interface BuiltSteps extends Pick<Trail, 'keys' | 'startedAt' | 'steps'> {
  /** Whether others were under way with the decisive request. */
  readonly isAtOnce: boolean;
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
    proof: source.proof,
  };
  const steps: TrailStep[] = [];
  let free = start;
  let isDecisiveAtOnce = false;
  const refusals: EndsOfWaits = new Map();
  // A target may ask for no wait at all before the decisive request, and another one for a minute.
  const hasWaited = (request: LoggedRequest): boolean =>
    request.at >= (toldUntil(events, request, source.clock) ?? Infinity);
  const { decisive } = source;
  const decisiveHasWaited = hasWaited(decisive);
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
      steps.push(waitStep(pause, by, free - start, refusals, wording));
      free = Math.max(free, first.at);
    }
    if (first.do !== 'send') {
      steps.push(controlStep(first, start, wording));
      continue;
    }
    const requests = batch.filter((event) => event.do === 'send');
    const atOnce = isAtOnce(requests);
    isDecisiveAtOnce ||= atOnce && requests.includes(decisive);
    steps.push({
      do: 'send',
      at: Math.round(first.at - start),
      connections: atOnce ? Math.min(MOST_CONNECTIONS, requests.length) : 1,
      requests: wordBatch(requests, wording, atOnce && !isContest(requests)),
    });
    free = Math.max(free, ...requests.map(({ at, endedAt }) => endedAt ?? at));
    noteRefusals(refusals, requests, source.clock);
  }
  const revoked = source.revoked.map((_, index) => revokedKey(index));
  return {
    keys: [...keys.map(trailKey), ...revoked],
    startedAt: source.clock.at(start)?.earliest ?? null,
    steps,
    isAtOnce: isDecisiveAtOnce,
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
