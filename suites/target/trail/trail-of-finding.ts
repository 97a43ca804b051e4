import type { RequirementId } from '../../../contract/requirements/index.ts';
import type { Trail, TrailItem } from '../../../contract/trail.ts';
import { listOf, readRequest, type Exchange, type Key, type RequestMessage } from '../../oracle/index.ts';
import type { TargetClient } from '../http/target-client.ts';
import { buildSteps, trailItem, type BuiltSteps } from './build-trail.ts';
import { deriveExpectation } from './derive-expectation.ts';
import type { GivenAnswer } from './judge-expectation.ts';
import { partsOfAll } from './parts-of-checks.ts';
import type { FoundRequest, LoggedEvent, LoggedRequest, TrailLog } from './trail-log.ts';

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
  const { request } = decisive;
  /** What is expected if these are the steps that are sent again. */
  const expectIn = ({ events, keys, revoked, built }: SentAgain): TellingAnswers => {
    const expectation = deriveExpectation({
      ...found,
      events,
      steps: built,
      keys,
      revoked,
      decisive: request,
      exchange: shown ?? null,
      answers: inOrder(events, built.numberOf).map((one) =>
        answerTo(one, one === request ? (shown ?? null) : null, clock),
      ),
    });
    return {
      expectation,
      ...(expectation === null && found.isOracles ? { isOracles: true as const } : {}),
    };
  };
  return () => {
    const { events, keys: known } = partsOfAll(decisive, length, found.proof);
    const revoked = usedSecrets(events, revokedKeys);
    const { redact } = redactor;
    const built = buildSteps({ events, decisive: request, keys: known, revoked, clock, redact });
    const { keys, startedAt, steps, rowOf } = built;
    const row = rowOf(request);
    const trail: Trail = {
      keys,
      startedAt,
      steps,
      wrote: wroteTo(events),
      ...expectIn({ events, keys: known, revoked, built }),
      attempts: row[0] === row[1] ? 1 : ATTEMPTS_AT_ONCE,
    };
    ORIGINS.set(trail, { decisive: request, requests: countSent(events), expectIn });
    return trail;
  };
}

/** Steps that are sent again, and what they were built from. */
interface SentAgain {
  readonly events: readonly LoggedEvent[];
  readonly keys: ReadonlyMap<string, Key>;
  readonly revoked: readonly string[];
  readonly built: BuiltSteps;
}

type TellingAnswers = Pick<Trail, 'expectation' | 'isOracles'>;

/** What a trail was made of. */
interface TrailOrigin {
  readonly decisive: LoggedRequest;
  /** So many stand in it. */
  readonly requests: number;
  /** What is expected if more is sent again than the trail. */
  readonly expectIn: (sent: SentAgain) => TellingAnswers;
}

// A trail is written into reports; what it was made of is not.
const ORIGINS = new WeakMap<Trail, TrailOrigin>();

/** `undefined` of a trail that no check led to, or that was altered since. */
export function originOf(trail: Trail): TrailOrigin | undefined {
  return ORIGINS.get(trail);
}

/** How many requests stand in a trail of these events. */
export function countSent(events: readonly LoggedEvent[]): number {
  return events.filter((event) => event.do === 'send' && !event.isRepeated).length;
}

/** The last time that a message was sent. */
function lastOf(log: TrailLog | null, message: RequestMessage | null): FoundRequest | undefined {
  const event = log?.events()?.findLast((one) => one.do === 'send' && one.request === message);
  return log !== null && event?.do === 'send' ? { log, request: event } : undefined;
}

export function usedSecrets(events: readonly LoggedEvent[], secrets: readonly string[]): readonly string[] {
  return secrets.filter((secret) =>
    events.some(
      (event) => event.do === 'send' && event.authorization.some((value) => value.includes(secret)),
    ),
  );
}

/** The requests of a trail in the order of their numbers, each that was sent again once. */
function inOrder(
  events: readonly LoggedEvent[],
  numberOf: (request: LoggedRequest) => number,
): readonly LoggedRequest[] {
  const sent = events.flatMap((event) => (event.do === 'send' && numberOf(event) > 0 ? [event] : []));
  return sent.toSorted((one, other) => numberOf(one) - numberOf(other));
}

function answerTo(
  { request, response, at, endedAt }: LoggedRequest,
  exchange: Exchange | null,
  clock: TargetClient['clock'],
): GivenAnswer {
  return {
    status: response?.status ?? null,
    headers: response?.headers ?? [],
    operation: request.operation,
    exchange,
    now: exchange === null ? undefined : clock.spanOf(exchange),
    sentAt: at,
    endedAt: endedAt ?? at,
  };
}

/** The target's own pets that updates named, as the first list showed them. */
export function wroteTo(events: readonly LoggedEvent[]): readonly TrailItem[] {
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
