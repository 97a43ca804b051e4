import type { RequirementId } from '../../contract/requirements/index.ts';
import {
  condense,
  followServerClock,
  newUsage,
  openOracle,
  type Credential,
  type Exchange,
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
  noteJudgements,
  type Redactor,
} from '../target/index.ts';
import { operationOfRequest, pathBelow, type BaseAddress } from './traffic/base-address.ts';
import { meetCallers, type PlanKey, type SeenKey } from './traffic/callers.ts';
import type { TrafficExchange, TrafficRequest } from './traffic/traffic-exchange.ts';

export interface StreamOptions {
  readonly base: BaseAddress;
  readonly keys: readonly PlanKey[];
  readonly redactor: Redactor;
  readonly judgements: Judgements;
  /** Whether the recorder may have left the Authorization field out. */
  readonly withoutAuthorization: boolean;
  /** Whether nobody else uses the described keys or writes to the inventory: then more can be proven. */
  readonly isExclusive: boolean;
}

/** Judges one stream of traffic by what it is told, in the order in which it happened. */
export interface StreamJudge {
  /** A request left for the service. @returns takes how it ended, once */
  readonly began: (request: TrafficRequest) => (exchange: TrafficExchange) => void;
  /** Something was not seen. */
  readonly missed: (at: number) => void;
}

export function judgeStream(options: StreamOptions): StreamJudge {
  const { base, keys, redactor, judgements, withoutAuthorization, isExclusive } = options;
  const clock = followServerClock();
  const oracle = openOracle(clock);
  const { signal } = new AbortController();
  const address = { ...addressOf(base), headers: [] };
  const client = createTargetClient(address, {
    signal,
    redactor,
    judgements,
    clock,
    history: ignoreHistory(),
  });
  const usable = new Map<SeenKey, Key>();
  const callers = meetCallers({
    described: keys,
    hide: redactor.hide,
    withoutAuthorization,
    onKey: (seen) => {
      const { label, described } = seen;
      const { plan, limits } = described ?? { plan: null, limits: null };
      const isOurs = isExclusive && described !== null;
      oracle.accept({
        type: 'key-known',
        key: { label, plan, limits, isExclusive: isOurs, usedToday: null },
      });
      if (described !== null) {
        usable.set(seen, keyOf(described));
      }
    },
  });
  const miss = (at: number): void => {
    oracle.accept({ type: 'gap', at });
    if (isExclusive) {
      oracle.accept({ type: 'inventory-ours', at });
    }
  };
  let requests = 0;
  return {
    missed: miss,
    began: (request) => {
      const { credential, key } = callers.identify(request.headers);
      const message = messageOf(request, base);
      // What was sent before nobody knows, nor what an unknown body changed.
      if (requests === 0 || request.body === undefined) {
        miss(request.sentAt);
      }
      requests += 1;
      const id = requests;
      if (request.body !== undefined) {
        oracle.accept({ type: 'request-sent', id, request: message, credential, at: request.sentAt });
      }
      return (ended) => {
        const exchange = exchangeOf(ended, message, key, base);
        if (exchange === null) {
          if (request.body !== undefined) {
            oracle.accept({ type: 'response-lost', id, at: ended.endedAt });
          }
          return;
        }
        clock.learnFromExchange(exchange);
        const described = key === null ? null : (usable.get(key) ?? null);
        const said =
          request.body === undefined ? [] : oracle.accept({ type: 'response-received', id, exchange });
        noteJudgements(client, isExclusive ? said : said.filter(isFair));
        const isOurs = isExclusive && described !== null;
        const mayBeBanned = isOurs
          ? oracle.mayBeBanned(described.label, exchange)
          : mayBeRefused(credential, exchange);
        inspect(client, exchange, described, mayBeBanned);
        if (key !== null) {
          noteStatus(key, exchange.response.status);
        }
      };
    },
  };
}

function keyOf({ key: secret, label, plan, limits }: PlanKey): Key {
  return { label, secret, plan, limits, issued: false, usedToday: 0, usage: newUsage() };
}

function messageOf({ method, url, headers, body }: TrafficRequest, base: BaseAddress): RequestMessage {
  const path = pathBelow(base, url) ?? '';
  const operation = operationOfRequest(method, path);
  return {
    operation,
    method,
    path,
    headers: headers.filter(([name]) => name.toLowerCase() !== 'authorization'),
    body: body ?? null,
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
  const { body, ...rest } = response;
  return {
    request: { ...message, path: addressOf(base).basePath + message.path },
    authorization: key === null ? null : `Bearer ${key.label}`,
    key: key?.label ?? null,
    response: condense({
      ...rest,
      body: body ?? Buffer.alloc(0),
      ...(body === undefined ? { isBodyOmitted: true } : {}),
    }),
    sentAt: request.sentAt,
    receivedAt: endedAt,
    lostResponses: 0,
    durationMilliseconds: endedAt - request.sentAt,
    startedAt: new Date(request.sentAt),
  };
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

function noteStatus(key: SeenKey, status: number): void {
  if (status === 401 || status === 403) {
    key.isConfirmed = false;
  } else if (status === 429 || (status >= 200 && status < 300)) {
    key.isConfirmed = true;
  }
}
