import type { Trail } from '../../../contract/trail.ts';
import { readRequest, type Exchange, type RequestMessage, effectOf, type Key } from '../../oracle/index.ts';
import type { TargetClient } from '../http/target-client.ts';
import { buildSteps } from './build-trail.ts';
import type { FoundRequest, LoggedEvent, TrailLog, LoggedRequest } from './trail-log.ts';
import { keysIn, withoutKeys } from './key-text.ts';

/** The exchanges that show a violation, the decisive one last. */
interface FoundOn {
  readonly proof: readonly Exchange[];
  /** The request that got no response, if there is no exchange. */
  readonly unanswered: RequestMessage | null;
  /** Whether the oracle or a monitor says so, rather than a check. */
  readonly isOracles: boolean;
  /** Whether no single response shows it. */
  readonly takesSeveral: boolean;
}

// What depends on which of several requests comes first may take some tries.
const ATTEMPTS_AT_ONCE = 5;

/**
 * What a check did until an exchange showed a violation, and what others did that the finding rests on. It is built when
 * it is asked for, since most findings of a requirement are not kept.
 * @returns `undefined` if the log became too long, or the exchange is no part of any
 */
export function trailOf(client: TargetClient, found: FoundOn): (() => Trail | undefined) | undefined {
  const { log, clock, redactor, revokedKeys } = client;
  const shown = found.proof.at(-1);
  const decisive = shown === undefined ? lastOf(log, found.unanswered) : log?.find(shown);
  const length = decisive?.log.events()?.length;
  if (decisive === undefined || length === undefined) {
    return undefined;
  }
  return () => {
    const events = eventsOfAll(decisive, length, found.proof);
    const revoked = usedSecrets(events, revokedKeys);
    const { request } = decisive;
    const { isAtOnce, ...steps } = buildSteps({
      events,
      decisive: request,
      proof: new Set([...found.proof.flatMap((one) => log?.find(one)?.request ?? []), request]),
      revoked,
      clock,
      redact: redactor.redact,
    });
    return {
      ...steps,
      ...(found.isOracles ? { isOracles: true } : {}),
      ...(found.takesSeveral ? { takesSeveral: true } : {}),
      attempts: isAtOnce ? ATTEMPTS_AT_ONCE : 1,
    };
  };
}

/** The last time that a message was sent. */
function lastOf(log: TrailLog | null, message: RequestMessage | null): FoundRequest | undefined {
  const request = requestsAmong(log?.events() ?? []).findLast((one) => one.request === message);
  return log === null || request === undefined ? undefined : { log, request };
}

function requestsAmong(events: readonly LoggedEvent[]): readonly LoggedRequest[] {
  return events.filter((event) => event.do === 'send');
}

function usedSecrets(events: readonly LoggedEvent[], secrets: readonly string[]): readonly string[] {
  const values = requestsAmong(events).flatMap(({ authorization }) => authorization);
  return secrets.filter((secret) => values.some((value) => value.includes(secret)));
}

/**
 * What led to a finding: everything that the check did until the decisive request, and of what others did, that which the
 * proof rests on. It begins with the inventory as the check found it.
 * @param length how many events the log of the check had when the violation was found
 */
export function eventsOfAll(
  { log, request: decisive }: FoundRequest,
  length: number,
  proof: readonly Exchange[],
): readonly LoggedEvent[] {
  const own = log.events()?.slice(0, length) ?? [];
  const others = proof.flatMap((exchange) => eventsBehind(log, exchange));
  const all = [...new Set([...own, ...others])].toSorted((a, b) => a.at - b.at);
  const [store, at] = [log.store(), all[0]?.at ?? 0];
  const begun = store === null ? [] : [{ do: 'replace inventory', at, items: store } as const];
  return withUsedKeys([...begun, ...upTo(all, decisive)]);
}

/** What of another check's doings an exchange rests on; nothing if the exchange is the check's own. */
function eventsBehind(own: TrailLog, exchange: Exchange): readonly LoggedEvent[] {
  const found = own.find(exchange);
  const events = found?.log.events() ?? null;
  if (found === undefined || found.log === own || events === null || isPlainRead(found.request)) {
    return [];
  }
  const { request } = found;
  const petId = updatedPet(request.request);
  // What an update does may depend on those of the same pet before it.
  const isTaken = (event: LoggedEvent): boolean =>
    event === request ||
    (event.do === 'send' && petId !== null && updatedPet(event.request) === petId) ||
    ('key' in event && event.key === request.key && dependsOnEarlier(request));
  const until = events.slice(0, events.indexOf(request) + 1);
  const keys = new Set(until.flatMap((event) => (event.do === 'send' && isTaken(event) ? event.key : [])));
  return until.filter((event) => isTaken(event) || (event.do === 'issue key' && keys.has(event.key)));
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

/** What was under way together with the last one is part of it. */
function upTo(events: readonly LoggedEvent[], decisive: LoggedRequest): readonly LoggedEvent[] {
  const end = decisive.endedAt ?? Infinity;
  const last = events.findLastIndex((event) => event === decisive || (event.do === 'send' && event.at < end));
  return events.slice(0, last + 1);
}

/** With the issue of each key that was used, once: each check notes a key when it first sends with it. */
function withUsedKeys(events: readonly LoggedEvent[]): readonly LoggedEvent[] {
  const used = usedKeys(events);
  return events.filter((event) => event.do !== 'issue key' || used.delete(event.key));
}

/** The keys that something was done with, presented in another spelling among them. */
function usedKeys(events: readonly LoggedEvent[]): Set<Key> {
  const all = events.flatMap((event) => (event.do === 'issue key' ? [event.key] : []));
  const secrets = all.map(({ secret }) => secret);
  const used = events.flatMap((event) =>
    event.do !== 'issue key' && 'key' in event ? (event.key ?? []) : [],
  );
  const odd = requestsAmong(events).flatMap(({ key, authorization }) =>
    authorization.filter((value) => value !== `Bearer ${key?.secret}`),
  );
  const spelled = [...new Set(odd)].flatMap((value) => keysIn(withoutKeys(value, secrets)));
  return new Set([...used, ...spelled.flatMap((number) => all[number - 1] ?? [])]);
}
