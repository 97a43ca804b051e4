import type { RequirementId } from '../../contract/requirements/index.ts';
import {
  documentedOperation,
  followServerClock,
  isMalformed,
  newUsage,
  openOracle,
  seenExchange,
  type Credential,
  type Exchange,
  type HistoryEvent,
  type Judgements,
  type Key,
  type OracleJudgement,
  type RequestMessage,
} from '../oracle/index.ts';
import {
  addressOf,
  createTargetClient,
  ignoreHistory,
  inspect,
  isGatewayPage,
  noteJudgements,
  type Redactor,
  type TargetClient,
} from '../target/index.ts';
import { pathBelow, type BaseAddress } from './traffic/base-address.ts';
import { meetCallers, type Caller, type Callers, type PlanKey, type SeenKey } from './traffic/callers.ts';
import { withoutCookies, withoutParameters, withoutPrivateValues } from './traffic/private-fields.ts';
import type { TrafficExchange, TrafficRequest } from './traffic/traffic-exchange.ts';

export interface StreamOptions {
  readonly base: BaseAddress;
  readonly keys: readonly PlanKey[];
  readonly redactor: Redactor;
  readonly judgements: Judgements;
  /** Whether the recorder may have left the Authorization field of a request out. */
  readonly mayLackAuthorization: (request: Pick<TrafficRequest, 'headers'>) => boolean;
  /** Whether nobody else uses the described keys or writes to the inventory: then more can be proven. */
  readonly isExclusive: boolean;
  /** How many requests there will be, if that is known. */
  readonly expected?: number;
}

/** Judges one stream of traffic by what it is told, in the order in which it happened. */
export function judgeStream(options: StreamOptions) {
  const { base, keys, redactor, judgements, mayLackAuthorization, isExclusive, expected = 0 } = options;
  const clock = followServerClock();
  const oracle = openOracle(clock);
  const history = { ...ignoreHistory(), mayOtherBeBanned: oracle.mayOtherBeBanned };
  const client = createTargetClient(addressOf(base), { redactor, judgements, clock, history });
  const usable = new Map<SeenKey, Key>();
  // Nobody else uses a described key from then on; what was sent before nobody knows.
  let beganAt = 0;
  const callers = meetCallers({
    described: keys,
    redactor,
    mayLackAuthorization,
    onKey: (seen) => {
      oracle.accept(keyKnown(seen, isExclusive ? beganAt : null));
      if (seen.described !== null) {
        usable.set(seen, keyOf(seen.described));
      }
    },
    onForgotten: (label) => oracle.accept({ type: 'key-forgotten', key: label }),
  });
  const miss = noteGaps(oracle, isExclusive);
  const judge = (exchange: Exchange, said: readonly OracleJudgement[], caller: Caller): void => {
    const described = caller.key === null ? null : (usable.get(caller.key) ?? null);
    noteJudgements(client, isExclusive ? said : said.filter(isFair));
    const isOurs = isExclusive && described !== null;
    const mayBeBanned = isOurs
      ? oracle.mayBeBanned(described.label, exchange)
      : mayBeRefused(caller.credential, exchange);
    inspect(client, exchange, described, mayBeBanned);
  };
  let requests = 0;
  return {
    /** Whose traffic it was so far. */
    callers,
    /** How many requests a gateway answered by itself so far. */
    ofGateway: () => client.losses.ofGateway,
    /** Something went on that nobody saw: so many requests began, and so many ended. */
    missed: miss,
    /** A request left for the service. @param isRefused if that is known already @returns takes how it ended, once */
    began: (request: TrafficRequest, isRefused = false): ((exchange: TrafficExchange) => void) => {
      if (requests === 0) {
        beganAt = request.sentAt;
        miss(beganAt, 0, 0);
      }
      const caller = callers.identify(request);
      const { credential, key } = caller;
      const message = messageOf(request, base);
      requests += 1;
      const id = requests;
      // What was sent with a key that was not recorded counts on any of those that were.
      const isOfAnyKey = credential.kind === 'open' && credential.key === null && callers.met() > 0;
      if (isOfAnyKey) {
        miss(request.sentAt, 0, 0);
      }
      const sent = { id, request: message, credential, at: request.sentAt } as const;
      oracle.accept({ type: 'request-sent', ...sent, ...(isRefused ? { isRefused } : {}) });
      if (key !== null) {
        key.underWay += 1;
      }
      return (ended) => {
        const answered = exchangeOf(ended, message, key, base);
        const exchange = unlessOfGateway(answered, client.losses, Math.max(requests, expected));
        if (exchange !== null) {
          clock.learnFromExchange(exchange);
        }
        const said = oracle.accept(endingOf(id, exchange, ended.endedAt));
        // Behind a gateway that answers by itself the service may have been started again.
        if (isOfAnyKey || exchange !== answered) {
          miss(ended.endedAt, 0, 0);
        }
        if (exchange !== null) {
          judge(exchange, said, caller);
        }
        noteEnd(callers, key, exchange?.response.status ?? null);
      };
    },
  };
}

/** `null` if a gateway answered by itself, which is counted then. @param requests how many there are or will be */
function unlessOfGateway(exchange: Exchange | null, losses: TargetClient['losses'], requests: number) {
  losses.requests = requests;
  if (exchange === null || !isGatewayPage(losses, exchange.response)) {
    return exchange;
  }
  losses.ofGateway += 1;
  return null;
}

/** Tells the oracle of what nobody saw, and that the inventory is ours again as soon as nothing of that is under way. */
function noteGaps(oracle: ReturnType<typeof openOracle>, isExclusive: boolean) {
  let unseen = 0;
  return (at: number, begun: number, ended: number): void => {
    unseen += begun - ended;
    oracle.accept({ type: 'gap', at });
    if (isExclusive && unseen === 0) {
      oracle.accept({ type: 'inventory-ours', at });
    }
  };
}

/** @param exclusiveSince since when nobody else uses keys that were described; `null` if others may */
function keyKnown({ label, described }: SeenKey, exclusiveSince: number | null): HistoryEvent {
  const { plan, limits } = described ?? { plan: null, limits: null };
  const own =
    described === null || exclusiveSince === null
      ? { isExclusive: false }
      : { isExclusive: true, exclusiveSince };
  return { type: 'key-known', key: { label, plan, limits, usedToday: null, ...own } };
}

function endingOf(id: number, exchange: Exchange | null, at: number): HistoryEvent {
  return exchange === null ? { type: 'response-lost', id, at } : { type: 'response-received', id, exchange };
}

function keyOf({ key: secret, label, plan, limits }: PlanKey): Key {
  return { label, secret, plan, limits, issued: false, usedToday: 0, usage: newUsage() };
}

function messageOf({ method, url, headers, body }: TrafficRequest, base: BaseAddress): RequestMessage {
  const path = pathBelow(base, url) ?? '';
  return {
    operation: isMalformed(headers) ? null : documentedOperation({ method, path }),
    method,
    path: withoutParameters(path),
    headers: withoutPrivateValues(headers),
    body: body ?? null,
    ...(body === undefined ? { isBodyOmitted: true } : {}),
  };
}

function exchangeOf(
  { request, response, endedAt }: TrafficExchange,
  message: RequestMessage,
  key: SeenKey | null,
  base: BaseAddress,
): Exchange | null {
  if (response === null) {
    return null;
  }
  const { body, headers, ...rest } = response;
  return seenExchange(
    { ...message, path: addressOf(base).basePath + message.path },
    key?.label ?? null,
    {
      ...rest,
      headers: withoutCookies(headers),
      body: body ?? Buffer.alloc(0),
      ...(body === undefined ? { isBodyOmitted: true } : {}),
    },
    { sentAt: request.sentAt, receivedAt: endedAt },
  );
}

// Others may use a key as well, so that it may be banned for what is no part of the traffic.
function mayBeRefused(credential: Credential, { response: { status } }: Exchange): boolean {
  return 'key' in credential && [401, 403, 429].includes(status);
}

/** What a refusal does not prove of a key that others may use, or may have had revoked. */
const UNPROVEN: ReadonlySet<RequirementId> = new Set<RequirementId>([
  'valid-key-accepted',
  'ban-only-after-continued',
  'ban-ends',
]);

function isFair({ id, holds }: OracleJudgement): boolean {
  return holds || !UNPROVEN.has(id);
}

/** @param status `null` if no response came */
function noteEnd(callers: Callers, key: SeenKey | null, status: number | null): void {
  if (key === null) {
    return;
  }
  key.underWay -= 1;
  if (status === 401 || status === 403) {
    callers.confirm(key, false);
  } else if (status !== null && (status === 429 || (status >= 200 && status < 300))) {
    callers.confirm(key, true);
  }
}
