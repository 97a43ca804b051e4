import type { Trail, TrailItem } from '../../../contract/trail.ts';
import { listOf, readRequest, type Exchange, type RequestMessage } from '../../oracle/index.ts';
import type { TargetClient } from '../http/target-client.ts';
import { buildSteps, trailItem } from './build-trail.ts';
import { partsOfAll } from './parts-of-checks.ts';
import type { FoundRequest, LoggedEvent, TrailLog } from './trail-log.ts';

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
    const { events, keys } = partsOfAll(decisive, length, found.proof);
    const revoked = usedSecrets(events, revokedKeys);
    const { request } = decisive;
    const { isAtOnce, ...steps } = buildSteps({
      events,
      decisive: request,
      proof: new Set([...found.proof.flatMap((one) => log?.find(one)?.request ?? []), request]),
      keys,
      revoked,
      clock,
      redact: redactor.redact,
    });
    return {
      ...steps,
      wrote: wroteTo(events),
      ...(found.isOracles ? { isOracles: true } : {}),
      ...(found.takesSeveral ? { takesSeveral: true } : {}),
      attempts: isAtOnce ? ATTEMPTS_AT_ONCE : 1,
    };
  };
}

/** The last time that a message was sent. */
function lastOf(log: TrailLog | null, message: RequestMessage | null): FoundRequest | undefined {
  const event = log?.events()?.findLast((one) => one.do === 'send' && one.request === message);
  return log !== null && event?.do === 'send' ? { log, request: event } : undefined;
}

function usedSecrets(events: readonly LoggedEvent[], secrets: readonly string[]): readonly string[] {
  return secrets.filter((secret) =>
    events.some(
      (event) => event.do === 'send' && event.authorization.some((value) => value.includes(secret)),
    ),
  );
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
