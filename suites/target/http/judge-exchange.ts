import { BAN_STATUSES, LONGEST_TEMPORARY_SECONDS } from '../../../contract/bans.ts';
import { DAY_SECONDS, MINUTE_SECONDS } from '../../../contract/plans.ts';
import type { RateLimit } from '../../../contract/rate-limit-headers.ts';
import type { Trail } from '../../../contract/trail.ts';
import type { Finding } from '../../../contract/verdict.ts';
import {
  isAccepted,
  planningLimits,
  rateLimitOf,
  secondsAsked,
  secondsToWait,
  type Exchange,
  type Key,
  takesSeveralRequests,
  reworded,
  type Accusation,
  type OracleJudgement,
  type RequestMessage,
  type Reporter,
} from '../../oracle/index.ts';
import { trailOf } from '../trail/trail-of-finding.ts';
import { tellHistory, type TargetClient } from './target-client.ts';

/** How a request presented itself. */
interface Presentation {
  /** The key, if it was presented as the specification says. */
  readonly key: Key | null;
  /** Label of the key that the target may count the request on. */
  readonly spender: string | null;
  /** Of its Authorization fields. */
  readonly fields: number;
  /** The id of the request in its history. */
  readonly id: number;
}

/** Has the clock and the key learn from an exchange, and the oracle and the monitors judge it. */
export function judgeExchange(
  client: TargetClient,
  exchange: Exchange,
  { key, spender, fields, id }: Presentation,
): void {
  client.clock.learnFromExchange(exchange);
  if (key !== null) {
    noteUsage(key, exchange, client);
  }
  const said = tellHistory(client, { type: 'response-received', id, exchange });
  const mayBeBanned = spender !== null && client.history.mayBeBanned(spender, exchange);
  if (key !== null) {
    const isOpen = key.usage.retryAt <= exchange.receivedAt;
    key.usage.isBanned = mayBeBanned && isOpen && BAN_STATUSES.has(exchange.response.status);
  }
  // Two Authorization fields are malformed HTTP, which a gateway may answer in its own way.
  if (fields <= 1) {
    inspect(client, exchange, key, mayBeBanned);
  }
  noteJudgements(client, said);
}

/** Counts the exchange on its key. */
function noteUsage(key: Key, exchange: Exchange, client: TargetClient): void {
  const { usage } = key;
  const rateLimit = rateLimitOf(exchange);
  if (rateLimit !== undefined) {
    usage.last = { rateLimit, receivedAt: exchange.receivedAt };
    noteDay(key, exchange, rateLimit, client);
  }
  const { status } = exchange.response;
  if (isAccepted(exchange)) {
    // What was under way already when a 429 came in shows no patience.
    if (exchange.sentAt > usage.refusedAt) {
      usage.retryAt = 0;
    }
    usage.accepted += 1;
    const isFull =
      rateLimit?.limit === planningLimits(key).perMinute && rateLimit.remaining === rateLimit.limit - 1;
    usage.acceptedSinceFull = isFull ? 1 : usage.acceptedSinceFull + 1;
    return;
  }
  if (status === 429) {
    usage.refusals += 1;
    usage.refusedAt = exchange.receivedAt;
  }
  if (BAN_STATUSES.has(status)) {
    const asked = secondsAsked(exchange, client.clock);
    // Nobody knows how long a Retry-After that cannot be read asks for, or means if it asks for decades; a minute is patient.
    const isTold = asked !== undefined && (client.time.virtual || asked <= LONGEST_TEMPORARY_SECONDS);
    const told = isTold ? secondsToWait(exchange, client.clock) : undefined;
    const wait = told ?? (status === 429 ? MINUTE_SECONDS : 0);
    usage.retryAt = Math.max(usage.retryAt, exchange.receivedAt + wait * 1000);
  }
}

/** An answer that describes the day tells how much of it is left: what else was under way may be counted in it, or not yet. */
function noteDay(
  key: Key,
  exchange: Exchange,
  { limit, remaining, reset }: RateLimit,
  { clock }: TargetClient,
): void {
  const { limits, usage } = key;
  if (limits === null || limit !== limits.perDay || limit === limits.perMinute) {
    return;
  }
  const { sentAt, receivedAt } = exchange;
  const most = usage.sentAt.findLastIndex((moment) => moment <= sentAt) + 1 + remaining;
  const span = clock.spanOf(exchange);
  const seconds = span === undefined ? DAY_SECONDS : reset - span.earliest;
  const known = usage.day !== null && receivedAt < usage.day.endsAt ? usage.day.most : most;
  usage.day = { most: Math.min(known, most), endsAt: receivedAt + seconds * 1000 };
}

/** Has every monitor judge an exchange. */
export function inspect(
  client: TargetClient,
  exchange: Exchange,
  key: Key | null,
  mayBeBanned: boolean,
): void {
  const mayOtherBeBanned = (): boolean => client.history.mayOtherBeBanned(key?.label ?? '');
  const circumstances = { key, mayBeBanned, mayOtherBeBanned, clock: client.clock };
  for (const monitor of client.monitors) {
    monitor.watch(exchange, reporterFor(client, monitor.id, exchange), circumstances);
  }
}

/** What shows a violation, besides exchanges. */
interface FurtherProof {
  /** The request that got no response, if that is the violation. */
  readonly unanswered?: RequestMessage;
  /** Whether the same would be said if what led there was sent once more; it would by default. */
  readonly isOracles?: boolean;
}

/** Records what the oracle says of the history so far. */
export function noteJudgements(
  client: TargetClient,
  said: readonly OracleJudgement[],
  further: FurtherProof = {},
): void {
  for (const { by, holds, ...accusation } of said) {
    if (holds) {
      client.judgements.pass(by, accusation.id);
    } else {
      fail(client, by, accusation, further);
    }
  }
}

/** What would not be kept is not written out either: in a long stream that would be most of the work. */
function fail(
  client: TargetClient,
  by: string,
  { others = [], proof, ...likeliest }: Accusation,
  further: FurtherProof = {},
): void {
  const { judgements, redactor } = client;
  const { id, message } = likeliest;
  const all = [likeliest, ...others].map((one) => reworded(one, redactor.redact(one.message)));
  const explanations = others.length === 0 ? {} : { explanations: all };
  const isFull = judgements.isFull(id, ...others.map((other) => other.id));
  const finding = isFull
    ? { message, ...explanations }
    : violation(client, { id, message, proof }, explanations, further);
  judgements.fail(by, id, finding);
}

function reporterFor(client: TargetClient, by: string, exchange: Exchange): Reporter {
  return {
    judge: (id, holds, message, others = () => []) => {
      if (holds) {
        client.judgements.pass(by, id);
      } else {
        fail(client, by, { id, message: message(), others: others(), proof: [exchange] });
      }
      return holds;
    },
    observe: (id, value, facet) => {
      const isNew = !client.judgements.hasObserved(id, value, facet);
      const shown = isNew && typeof value === 'string' ? client.redactor.redact(value) : value;
      client.judgements.observe(by, id, shown, facet);
    },
  };
}

/** A finding of a violation, with its evidence and its trail, which is built once it is asked for. */
function violation(
  client: TargetClient,
  { id, message, proof }: Pick<Accusation, 'id' | 'message' | 'proof'>,
  explanations: Pick<Finding, 'explanations'>,
  { unanswered, isOracles = true }: FurtherProof,
): Finding {
  const takesSeveral = takesSeveralRequests(id);
  const build = trailOf(client, { proof, unanswered: unanswered ?? null, isOracles, takesSeveral });
  let trail: Trail | undefined;
  return {
    ...evidence(client, message, decisive(proof)),
    restsOn: proof.length,
    ...explanations,
    get trail() {
      trail ??= build?.();
      return trail;
    },
  };
}

/** What went wrong is the request that wrote, and not the list that shows it. */
function decisive(proof: readonly Exchange[]): Exchange | undefined {
  const last = proof.at(-1);
  return last?.request.method === 'GET'
    ? (proof.findLast(({ request }) => request.method !== 'GET') ?? last)
    : last;
}

/** A finding with the exchange that shows it. */
export function evidence(client: TargetClient, message: string, exchange?: Exchange): Finding {
  const { redactor, origin, sender } = client;
  const key = exchange?.key === null ? undefined : client.keys.get(exchange?.key ?? '');
  return {
    message: redactor.redact(message),
    ...(exchange === undefined
      ? {}
      : {
          exchange: redactor.record(exchange, origin),
          curl: redactor.curl(exchange, origin, key, client.curl),
        }),
    ...(sender === null ? {} : { check: sender.check }),
  };
}
