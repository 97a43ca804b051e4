import { MINUTE_SECONDS } from '../../contract/plans.ts';
import type { HeaderField } from '../../contract/verdict.ts';
import {
  type Credential,
  type Exchange,
  type Key,
  limitsMonitor,
  openOracle,
  type OracleJudgement,
  secondsToWait,
} from '../../suites/oracle/index.ts';
import { noteJudgements, type TargetClient } from '../../suites/target/index.ts';
import type { LoadRequest, LoadResponse } from '../engine/load-request.ts';
import type { QuickHeaders } from '../engine/quick-headers.ts';
import { toExchange, toFields, type ResponseExtent } from './exchange-of-response.ts';

/** Takes every request of each key, at full speed. */
export interface KeyHistory {
  readonly leaving: (key: Key, request: LoadRequest, departure: number, sentAt: number) => void;
  readonly received: (key: Key, response: LoadResponse, headers: QuickHeaders) => void;
  readonly lost: (request: LoadRequest, departure: number, givenUpAt: number) => void;
  /**
   * Calls `look` once it is known whether the key may have been banned when its response was decided, which was received
   * last; or has somebody else look.
   */
  readonly whenDecided: (
    key: Key,
    response: LoadResponse,
    extent: ResponseExtent,
    look: (mayBeBanned: boolean) => void,
  ) => void;
}

const NO_BODY = Buffer.alloc(0);
const NO_FIELDS: readonly HeaderField[] = [];
const NO_DATE = new Date(0);

/**
 * Tells the oracle. A key that was issued is used for one load, so nobody used it before. What is found goes to the client's
 * judgements.
 * @param movesClock the target's clock may be moved meanwhile, so that no limit can be judged
 */
export function followKeys(client: TargetClient, movesClock: boolean) {
  const offset = client.time.now() - performance.now();
  const oracle = openOracle(client.clock, movesClock ? [] : [limitsMonitor]);
  // What is sent while the clock is moved is judged by nobody, and so not kept either.
  const record = movesClock ? null : (client.history.beginRecord?.() ?? null);
  const credentials = new Map<Key, Credential>();
  const credentialOf = (key: Key): Credential => {
    let credential = credentials.get(key);
    if (credential === undefined) {
      const { label, plan, limits, issued: isExclusive } = key;
      const usedToday = isExclusive ? key.usedToday : null;
      oracle.accept({ type: 'key-known', key: { label, plan, limits, isExclusive, usedToday } });
      record?.tell({ type: 'key-known', key });
      credential = { kind: 'valid', key: label };
      credentials.set(key, credential);
    }
    return credential;
  };
  let last: Exchange | null = null;
  const history: KeyHistory = {
    leaving: (key, { message: request }, id, sentAt) => {
      const at = sentAt + offset;
      oracle.accept({ type: 'request-sent', id, request, credential: credentialOf(key), at });
      record?.tell({
        type: 'request-sent',
        id,
        request,
        authorization: [`Bearer ${key.secret}`],
        spender: key,
        at,
      });
    },
    received: (key, response, headers) => {
      const { departure: id } = response;
      const exchange = briefExchange(response, headers, key, offset);
      last = exchange;
      if (response.status === 429 && !key.issued) {
        noteRefusal(key, exchange, client);
      }
      record?.tell({ type: 'response-received', id, exchange: withFields(exchange, response) });
      note(client, response, oracle.accept({ type: 'response-received', id, exchange }));
    },
    lost: (_request, id, givenUpAt) => {
      const event = { type: 'response-lost', id, at: givenUpAt + offset } as const;
      oracle.accept(event);
      record?.tell(event);
    },
    whenDecided: ({ label }, _response, _extent, look) =>
      look(last !== null && oracle.mayBeBanned(label, last)),
  };
  return {
    ...history,
    /** The load is over. Whoever uses one of its configured keys next waits for a fresh window. */
    end: (keys: Iterable<Key | null> = credentials.keys()): void => {
      const used = [...new Set(keys)].filter((key) => key !== null).filter(({ issued }) => !issued);
      const now = client.time.now();
      if (used.length > 0) {
        client.history.tell({ type: 'gap', at: now });
      }
      for (const { usage } of used) {
        usage.sentAt.push(now);
        usage.acceptedSinceFull = 0;
      }
    },
  };
}

/** So that whoever uses a configured key next does not come back early. */
export function noteRefusal(
  { usage }: Key,
  exchange: Exchange,
  { clock }: Pick<TargetClient, 'clock'>,
): void {
  const { receivedAt } = exchange;
  // Nobody knows how long a Retry-After that cannot be read asks for; a minute is patient.
  usage.refusals += 1;
  usage.refusedAt = Math.max(usage.refusedAt, receivedAt);
  const wait = secondsToWait(exchange, clock) ?? MINUTE_SECONDS;
  usage.retryAt = Math.max(usage.retryAt, receivedAt + wait * 1000);
}

/** As it is kept: with all of its fields that are known, and without its body. */
function withFields(exchange: Exchange, { rawHeaders, sentAt }: LoadResponse): Exchange {
  const response = { ...exchange.response, headers: toFields(rawHeaders), isBodyOmitted: true as const };
  return { ...exchange, response, startedAt: new Date(performance.timeOrigin + sentAt) };
}

function note(client: TargetClient, response: LoadResponse, said: readonly OracleJudgement[]): void {
  for (const { by, id, holds, message } of said) {
    if (holds) {
      client.judgements.pass(by, id);
    } else {
      noteJudgements(client, [{ by, id, holds, message, proof: [toExchange(client, response)] }]);
    }
  }
}

/** As much of an exchange as limits are judged by. */
function briefExchange(
  { request, status, sentAt, answeredAt }: LoadResponse,
  { limit, remaining, reset, retryAfter }: QuickHeaders,
  { label }: Key,
  offset: number,
): Exchange {
  const isReadable = limit >= 0 && remaining >= 0 && reset >= 0;
  const wait = retryAfter === undefined ? NO_FIELDS : [['Retry-After', retryAfter] as const];
  return {
    request: request.message,
    authorization: null,
    key: label,
    response: {
      status,
      headers: wait,
      rateLimit: isReadable ? { limit, remaining, reset } : null,
      body: NO_BODY,
    },
    sentAt: sentAt + offset,
    receivedAt: answeredAt + offset,
    lostResponses: 0,
    durationMilliseconds: answeredAt - sentAt,
    startedAt: retryAfter === undefined ? NO_DATE : new Date(performance.timeOrigin + sentAt),
  };
}
