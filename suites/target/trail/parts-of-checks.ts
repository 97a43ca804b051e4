import { isDeepStrictEqual } from 'node:util';

import { effectOf, readRequest, type Exchange, type Key } from '../../oracle/index.ts';
import { keysIn, withoutKeys } from './key-text.ts';
import type { FoundRequest, LoggedEvent, LoggedRequest, TrailLog } from './trail-log.ts';

/** What was done to the target, in order, and the keys that it was done with, by label. */
export interface Part {
  readonly events: readonly LoggedEvent[];
  readonly keys: TrailLog['keys'];
}

/**
 * What led to a finding: everything that the check did until the decisive request, and of what others did, that which the
 * proof rests on.
 * @param length how many events the log of the check had when the violation was found
 */
export function partsOfAll(
  { log, request: decisive }: FoundRequest,
  length: number,
  proof: readonly Exchange[],
): Part {
  const own = { events: log.events()?.slice(0, length) ?? [], keys: log.keys };
  const others = proof.flatMap((exchange) => partOf(log, exchange));
  const { events, keys } = together([own, ...others]);
  return { events: upTo(events, decisive, keys), keys };
}

function together(parts: readonly Part[]): Part {
  const keys = new Map<string, Key>(parts.flatMap((part) => [...part.keys]));
  const events = [...new Set(parts.flatMap((part) => part.events))].toSorted((a, b) => a.at - b.at);
  return { events: foundOnce(withoutRepeatedIssues(events)), keys };
}

/**
 * The inventory as the first check found it, before all that was done to it. What later checks find in it may have been
 * left there by earlier ones, unless somebody has replaced it meanwhile.
 */
function foundOnce(events: readonly LoggedEvent[]): readonly LoggedEvent[] {
  const kept: LoggedEvent[] = [];
  let last: ReplacedInventory | null = null;
  for (const event of events) {
    if (event.do !== 'replace inventory') {
      kept.push(event);
      continue;
    }
    if (event.isFound === true && last === null) {
      kept.unshift({ ...event, at: kept[0]?.at ?? event.at });
    } else if (event.isFound !== true || !isDeepStrictEqual(event.items, last?.items)) {
      kept.push(event);
    }
    last = event;
  }
  return kept;
}

type ReplacedInventory = Extract<LoggedEvent, { readonly do: 'replace inventory' }>;

/** What of another check's doings an exchange rests on; nothing if the exchange is the check's own. */
function partOf(own: TrailLog, exchange: Exchange): readonly Part[] {
  const found = own.find(exchange);
  const events = found?.log.events() ?? null;
  if (found === undefined || found.log === own || events === null || isPlainRead(found.request)) {
    return [];
  }
  const { log, request } = found;
  const until = events.slice(0, events.indexOf(request) + 1);
  const isOfKey = (event: LoggedEvent): boolean => 'key' in event && event.key === request.key;
  const updates = until.filter(updatesPetOf(request));
  const issues = until.filter(isIssueOf([request, ...updates]));
  const taken = dependsOnEarlier(request) ? until.filter(isOfKey) : [];
  const all = new Set<LoggedEvent>([...taken, ...issues, ...updates, request]);
  return [{ events: until.filter((event) => all.has(event)), keys: log.keys }];
}

function isIssueOf(requests: readonly LoggedEvent[]): (event: LoggedEvent) => boolean {
  const keys = new Set(requests.map((request) => (request.do === 'send' ? request.key : null)));
  return (event) => event.do === 'issue key' && keys.has(event.key);
}

/** What an update does may depend on those of the same pet before it. */
function updatesPetOf({ request }: LoggedRequest): (event: LoggedEvent) => boolean {
  const petId = updatedPet(request);
  return (event) => petId !== null && event.do === 'send' && updatedPet(event.request) === petId;
}

function updatedPet(request: LoggedRequest['request']): bigint | null {
  const effect = effectOf(request, readRequest(request));
  return effect === null || effect === 'any pet' ? null : effect.petId;
}

/** A list that was granted changes nothing, and whoever needs it asks for one. */
function isPlainRead({ request, response }: LoggedRequest): boolean {
  return request.method === 'GET' && response?.status === 200;
}

/** Whether an answer comes of what was sent before with the same key: a refusal for the rate, or a ban. */
function dependsOnEarlier({ key, response }: LoggedRequest): boolean {
  return key !== null && [401, 403, 429, 503].includes(response?.status ?? 0);
}

/** Each check notes a key when it first sends with it. */
function withoutRepeatedIssues(events: readonly LoggedEvent[]): readonly LoggedEvent[] {
  const issued = new Set<string>();
  return events.filter((event) => {
    const isRepeated = event.do === 'issue key' && issued.has(event.key);
    if (event.do === 'issue key') {
      issued.add(event.key);
    }
    return !isRepeated;
  });
}

/** What was under way together with the last one is part of it. */
function upTo(
  events: readonly LoggedEvent[],
  decisive: LoggedRequest,
  keys: TrailLog['keys'],
): readonly LoggedEvent[] {
  const end = decisive.endedAt ?? Infinity;
  const last = events.findLastIndex((event) => event === decisive || (event.do === 'send' && event.at < end));
  return withUsedKeys(events.slice(0, last + 1), keys);
}

/** Without the issue of a key that was not used. */
function withUsedKeys(events: readonly LoggedEvent[], keys: Part['keys']): readonly LoggedEvent[] {
  const used = usedKeys(events, keys);
  return events.filter((event) => event.do !== 'issue key' || used.has(event.key));
}

/** Labels of the keys that something was done with, presented in another spelling among them. */
function usedKeys(events: readonly LoggedEvent[], keys: TrailLog['keys']): ReadonlySet<string> {
  const used = new Set<string>();
  const odd = new Set<string>();
  for (const event of events) {
    if (event.do === 'revoke key') {
      used.add(event.key);
    } else if (event.do === 'send') {
      const own = event.key === null ? undefined : keys.get(event.key)?.secret;
      if (event.key !== null) {
        used.add(event.key);
      }
      event.authorization.filter((value) => value !== `Bearer ${own}`).forEach((value) => odd.add(value));
    }
  }
  const all = [...keys.values()];
  const secrets = all.map(({ secret }) => secret);
  for (const number of [...odd].flatMap((value) => keysIn(withoutKeys(value, secrets)))) {
    used.add(all[number - 1]?.label ?? '');
  }
  return used;
}
