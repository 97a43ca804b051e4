import type { RequirementId } from '../../../contract/requirements/index.ts';
import type { Trail, TrailItem } from '../../../contract/trail.ts';
import { listOf, readRequest, type Exchange, type RequestMessage } from '../../oracle/index.ts';
import type { TargetClient } from '../http/target-client.ts';
import { buildSteps, trailItem } from './build-trail.ts';
import { deriveExpectation } from './derive-expectation.ts';
import type { GivenAnswer } from './judge-expectation.ts';
import { keysIn, withoutKeys } from './key-text.ts';
import type { LoggedEvent, LoggedRequest, TrailLog } from './trail-log.ts';

/** What a finding says, and the exchanges that show it, the decisive one last. */
interface FoundOn {
  readonly id: RequirementId;
  readonly message: string;
  readonly proof: readonly Exchange[];
  /** The request that got no response, if there is no exchange. */
  readonly unanswered: RequestMessage | null;
  /** Whether the oracle or a monitor says so, rather than a check. */
  readonly isOracles: boolean;
}

// What depends on which of several requests comes first may take some tries.
const ATTEMPTS_AT_ONCE = 5;

/**
 * What a check did until an exchange showed a violation. It is built when it is asked for, since most findings of a
 * requirement are not kept.
 * @returns `undefined` if the log became too long, or the exchange is no part of it
 */
export function trailOf(client: TargetClient, found: FoundOn): (() => Trail | undefined) | undefined {
  const { log, clock, redactor, revokedKeys } = client;
  const all = log?.events() ?? null;
  if (log === null || all === null) {
    return undefined;
  }
  const shown = found.proof.at(-1);
  const decisive = shown === undefined ? find(all, found.unanswered) : log.find(shown);
  if (decisive === undefined) {
    return undefined;
  }
  const length = all.length;
  return () => {
    const events = upTo(all.slice(0, length), decisive, log.keys);
    const revoked = usedSecrets(events, revokedKeys);
    const { redact } = redactor;
    const built = buildSteps({ events, decisive, keys: log.keys, revoked, clock, redact });
    const { keys, startedAt, steps, numberOf, rowOf } = built;
    const expectation = deriveExpectation({
      ...found,
      events,
      steps: built,
      keys: log.keys,
      revoked,
      decisive,
      exchange: shown ?? null,
      answers: answersOf(events, numberOf, new Map(shown === undefined ? [] : [[decisive, shown]]), clock),
    });
    const row = rowOf(decisive);
    return {
      keys,
      startedAt,
      steps,
      wrote: wroteTo(events),
      expectation,
      ...(expectation === null && found.isOracles ? { isOracles: true as const } : {}),
      attempts: row[0] === row[1] ? 1 : ATTEMPTS_AT_ONCE,
    };
  };
}

function find(events: readonly LoggedEvent[], message: RequestMessage | null): LoggedRequest | undefined {
  const found = events.findLast((event) => event.do === 'send' && event.request === message);
  return found?.do === 'send' ? found : undefined;
}

/** What was under way together with the last one is part of it; a key that was not used is none. */
function upTo(
  events: readonly LoggedEvent[],
  decisive: LoggedRequest,
  keys: TrailLog['keys'],
): readonly LoggedEvent[] {
  const end = decisive.endedAt ?? Infinity;
  const last = events.findLastIndex((event) => event === decisive || (event.do === 'send' && event.at < end));
  const taken = events.slice(0, last + 1);
  const used = usedKeys(taken, keys);
  return taken.filter((event) => event.do !== 'issue key' || used.has(event.key));
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

function usedSecrets(events: readonly LoggedEvent[], secrets: readonly string[]): readonly string[] {
  return secrets.filter((secret) =>
    events.some(
      (event) => event.do === 'send' && event.authorization.some((value) => value.includes(secret)),
    ),
  );
}

function answersOf(
  events: readonly LoggedEvent[],
  numberOf: (request: LoggedRequest) => number,
  exchanges: ReadonlyMap<LoggedRequest, Exchange>,
  clock: TargetClient['clock'],
): readonly (GivenAnswer | undefined)[] {
  const answers: (GivenAnswer | undefined)[] = [];
  for (const event of events) {
    if (event.do === 'send' && !event.isRepeated) {
      const exchange = exchanges.get(event) ?? null;
      answers[numberOf(event) - 1] = {
        status: event.response?.status ?? null,
        headers: event.response?.headers ?? [],
        operation: event.request.operation,
        exchange,
        now: exchange === null ? undefined : clock.spanOf(exchange),
        sentAt: event.at,
        endedAt: event.endedAt ?? event.at,
      };
    }
  }
  return answers;
}

/** The target's own pets that updates named, as the first list showed them. */
function wroteTo(events: readonly LoggedEvent[]): readonly TrailItem[] {
  if (events.some((event) => event.do === 'replace inventory')) {
    return [];
  }
  const list = events.find((event) => event.do === 'send' && event.response?.exchange);
  const shown = list?.do === 'send' ? list.response?.exchange : null;
  const items = shown === null || shown === undefined ? undefined : listOf(shown)?.items;
  const petIds = events.flatMap((event) => {
    const target = event.do === 'send' ? readRequest(event.request).target : undefined;
    return target !== undefined && target.kind !== 'undocumented' && typeof target.petId === 'bigint'
      ? [target.petId.toString()]
      : [];
  });
  return [...new Set(petIds)].flatMap((petId) => {
    const item = items?.get(petId);
    return item === undefined ? [] : [trailItem(item)];
  });
}
