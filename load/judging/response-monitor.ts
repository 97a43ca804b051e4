import { parseRetryAfter } from '../../contract/retry-after.ts';
import {
  headerPresence,
  headerValuesMonitor,
  goodManners,
  retryAfter,
  validKeys,
} from '../../suites/oracle/index.ts';
import { inspect, type TargetClient } from '../../suites/target/index.ts';
import type { LoadLoss, LoadRequest, LoadResponse } from '../engine/load-request.ts';
import { readQuickHeaders, type QuickHeaders } from '../engine/quick-headers.ts';
import type { KeyAccount } from './key-accounts.ts';
import { followKeys, type KeyHistoryOptions } from './key-history.ts';
import { toExchange } from './to-exchange.ts';
import { shareOfTime } from './time-budget.ts';

/** Judges whether responses under load conform. */
export interface ResponseMonitor {
  /** Whether the body of the next response is wanted, so that all monitors can judge it. */
  readonly wantsBody: () => boolean;
  /** @returns the number that tells the request from all others */
  readonly leaving: (request: LoadRequest, sentAt: number) => number;
  readonly response: (response: LoadResponse) => void;
  readonly loss: (loss: LoadLoss) => void;
  /** How many responses all monitors judged, and how many only their rate limit headers and the oracle. */
  readonly counts: () => MonitoredCounts;
  /** What Remaining showed of the keys that other generators use as well. */
  readonly accounts: () => readonly KeyAccount[];
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
 * The oracle judges the limits of each key by every response; one whose rate limit headers look wrong, and a sample of
 * all others, is judged by the monitors of the suites. What they find goes to the judgements of the session.
 */
export function monitorResponses(client: TargetClient, options: KeyHistoryOptions): ResponseMonitor {
  const byTime = (monitor: TargetClient['monitors'][number]): boolean =>
    !options.movesClock || monitor !== headerValuesMonitor;
  const headerMonitors = HEADER_MONITORS.filter(byTime);
  const wholeMonitors = client.monitors.filter(byTime);
  let whole = 0;
  let headersOnly = 0;
  let suspicions = 0;
  let departures = 0;
  const history = followKeys(client, options);
  const budget = shareOfTime(JUDGING_SHARE, JUDGING_MOST_MILLISECONDS);
  const judge = (response: LoadResponse, monitors: TargetClient['monitors']): void => {
    const exchange = toExchange(client, response);
    const { key } = response.request;
    client.clock.learnFromExchange(exchange);
    inspect({ ...client, monitors }, exchange, key, key !== null && history.mayBeBanned(key));
  };
  return {
    wantsBody: budget.isLeft,
    leaving: (request, sentAt) => {
      departures += 1;
      if (request.key !== null) {
        history.leaving(request.key, request.message, departures, sentAt);
      }
      return departures;
    },
    response: (response) => {
      const headers = readQuickHeaders(response.rawHeaders);
      const { key } = response.request;
      if (key !== null) {
        history.received(key, response, headers);
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
    loss: ({ request: { key }, departure, givenUpAt }) => {
      if (key !== null && departure !== null) {
        history.lost(key, departure, givenUpAt);
      }
    },
    counts: () => ({ whole, headersOnly }),
    accounts: history.accounts,
  };
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
