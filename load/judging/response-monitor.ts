import { parseRetryAfter } from '../../contract/retry-after.ts';
import type { HeaderField } from '../../contract/verdict.ts';
import {
  type Exchange,
  headerPresence,
  headerValuesMonitor,
  goodManners,
  retryAfter,
  validKeys,
  type Key,
} from '../../suites/oracle/index.ts';
import { evidence, inspect, type TargetClient } from '../../suites/target/index.ts';
import type { LoadLoss, LoadResponse } from '../engine/load-request.ts';
import { readQuickHeaders, decodeFieldPart, type QuickHeaders } from '../engine/quick-headers.ts';
import { keepRemainingLedger, type LedgerAccount } from './remaining-ledger.ts';
import { shareOfTime } from './time-budget.ts';

/** Judges whether responses under load conform. */
export interface ResponseMonitor {
  /** Whether the body of the next response is wanted, so that all monitors can judge it. */
  readonly wantsBody: () => boolean;
  readonly response: (response: LoadResponse) => void;
  readonly loss: (loss: LoadLoss) => void;
  /** To be called when all is over. @param isComplete whether nothing that was sent is unaccounted for */
  readonly close: (isComplete: boolean) => void;
  /** How many responses all monitors judged, and how many only their rate limit headers. */
  readonly counts: () => MonitoredCounts;
  /** What Remaining showed of each key; nothing if the target's clock may have been moved. */
  readonly accounts: () => readonly LedgerAccount[];
}

export interface MonitoredCounts {
  readonly whole: number;
  readonly headersOnly: number;
}

// All monitors judge every response as long as that takes no more of the generator's time; beyond, it is a sample.
const JUDGING_SHARE = 0.05;
const JUDGING_MOST_MILLISECONDS = 20;
// The monitors judge suspicious responses, but not a million of them.
const MOST_SUSPICIONS = 2_000;

const HEADER_MONITORS = [headerPresence, headerValuesMonitor, retryAfter, validKeys, goodManners];

/**
 * Every response has its rate limit headers read; one that looks wrong, and a sample of all others, is judged by
 * the monitors of the suites. What they find goes to the judgements of the session.
 * @param movesClock the target's clock may be moved meanwhile, so that Reset cannot be judged
 * @param beganBy moment at which another generator may have begun to use the keys
 */
export function monitorResponses(
  client: TargetClient,
  movesClock = false,
  beganBy?: number,
): ResponseMonitor {
  const headerMonitors = movesClock
    ? HEADER_MONITORS.filter((monitor) => monitor !== headerValuesMonitor)
    : HEADER_MONITORS;
  const wholeMonitors = movesClock
    ? client.monitors.filter((monitor) => monitor !== headerValuesMonitor)
    : client.monitors;
  let whole = 0;
  let headersOnly = 0;
  let suspicions = 0;
  const ledger = keepRemainingLedger(beganBy);
  const refused = new Set<Key>();
  const budget = shareOfTime(JUDGING_SHARE, JUDGING_MOST_MILLISECONDS);
  const judge = (response: LoadResponse, monitors: TargetClient['monitors']): void => {
    const exchange = toExchange(client, response);
    const { key } = response.request;
    client.clock.learnFromExchange(exchange);
    // Under load nobody keeps Retry-After, so what follows a 429 may be the answer of a ban.
    inspect({ ...client, monitors }, exchange, key, key !== null && refused.has(key));
  };
  return {
    wantsBody: budget.isLeft,
    response: (response) => {
      const headers = readQuickHeaders(response.rawHeaders);
      ledger.response(response, headers);
      if (response.status === 429 && response.request.key !== null) {
        refused.add(response.request.key);
      }
      if (response.body !== null && budget.isLeft()) {
        whole += 1;
        budget.spend(() => judge(response, wholeMonitors));
        return;
      }
      headersOnly += 1;
      if (suspicions < MOST_SUSPICIONS && looksWrong(response, headers)) {
        suspicions += 1;
        judge(response, headerMonitors);
      }
    },
    loss: ledger.loss,
    close: (isComplete) => {
      for (const { message, response } of movesClock ? [] : ledger.close(isComplete)) {
        const exchange = toExchange(client, response);
        client.judgements.fail('load', 'remaining-falls', evidence(client, message, exchange));
      }
    },
    counts: () => ({ whole, headersOnly }),
    accounts: () => (movesClock ? [] : ledger.accounts()),
  };
}

/** The response as the monitors see it. */
export function toExchange(client: TargetClient, response: LoadResponse): Exchange {
  const { request, status, rawHeaders, body, sentAt, answeredAt } = response;
  const offset = client.time.now() - performance.now();
  return {
    request: { ...request.message, path: client.basePath + request.message.path },
    authorization:
      request.key === null
        ? request.authorization.length === 0
          ? null
          : client.redactor.redact(request.authorization.join(' | '))
        : `Bearer ${request.key.label}`,
    key: request.key?.label ?? null,
    response: { status, headers: toFields(rawHeaders), body: body ?? Buffer.alloc(0) },
    sentAt: sentAt + offset,
    receivedAt: answeredAt + offset,
    lostResponses: 0,
    durationMilliseconds: answeredAt - sentAt,
    startedAt: new Date(performance.timeOrigin + sentAt),
  };
}

function toFields(rawHeaders: LoadResponse['rawHeaders']): readonly HeaderField[] {
  const fields: HeaderField[] = [];
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    fields.push([decodeFieldPart(rawHeaders[index]), decodeFieldPart(rawHeaders[index + 1]).trim()]);
  }
  return fields;
}

/** A quick look at a response: three headers that fit each other, and Retry-After on a 429. */
function looksWrong({ status, request }: LoadResponse, headers: QuickHeaders): boolean {
  if (request.message.operation === null) {
    return false;
  }
  const { limit, remaining, reset, retryAfter: wait } = headers;
  const known = request.key?.limits ?? null;
  return (
    status >= 500 ||
    limit < 0 ||
    remaining < 0 ||
    reset < 0 ||
    remaining > limit ||
    (request.key !== null && (status === 401 || status === 403)) ||
    (known !== null && status !== 401 && limit !== known.perMinute && limit !== known.perDay) ||
    (status === 429 && (wait === undefined || parseRetryAfter(wait) === undefined))
  );
}
