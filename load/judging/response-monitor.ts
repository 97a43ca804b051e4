import { parseRetryAfter } from '../../contract/retry-after.ts';
import type { TargetClient } from '../../suites/target/index.ts';
import type { LoadLoss, LoadRequest, LoadResponse } from '../engine/load-request.ts';
import { readQuickHeaders, type QuickHeaders } from '../engine/quick-headers.ts';
import { isNoAnswerToList, isServerError } from '../figures/request-counts.ts';
import { accuseResponse, inspectResponse, type ResponseExtent } from './exchange-of-response.ts';
import type { KeyHistory } from './key-history.ts';

// All monitors judge every response as long as that takes no more of the generator's time; beyond, it is a sample, and of
// many requests a second one that costs each of them little.
const JUDGING_SHARE = 0.05;
const JUDGING_MOST_MILLISECONDS = 20;
const JUDGED_A_SECOND = 100;
// The monitors judge suspicious responses, but not a million of them.
const MOST_SUSPICIONS = 2_000;

export type ResponseMonitor = ReturnType<typeof monitorResponses>;

/**
 * Judges whether responses under load conform. The oracle judges the limits of each key by every response; one whose rate limit headers look wrong, and a sample of
 * all others, is judged by the monitors of the suites. What they find goes to the judgements of the session.
 * @param movesClock the target's clock may be moved meanwhile
 */
export function monitorResponses(client: TargetClient, movesClock: boolean, history: KeyHistory) {
  let whole = 0;
  let headersOnly = 0;
  let suspicions = 0;
  let departures = 0;
  let hasFailedList = false;
  const budget = shareOfTime(JUDGING_SHARE, JUDGING_MOST_MILLISECONDS, JUDGED_A_SECOND);
  const judge = (response: LoadResponse, extent: ResponseExtent): void => {
    const { key } = response.request;
    const look = (mayBeBanned: boolean): void =>
      inspectResponse(client, response, { extent, mayBeBanned, movesClock });
    if (key === null) {
      look(false);
    } else {
      history.whenDecided(key, response, extent, look);
    }
  };
  return {
    /** Whether the body of the next response is wanted, so that all monitors can judge it. */
    wantsBody: budget.isLeft,
    /** @returns the number that tells the request from all others */
    leaving: (request: LoadRequest, sentAt: number): number => {
      departures += 1;
      if (request.key !== null) {
        history.leaving(request.key, request, departures, sentAt);
      }
      return departures;
    },
    response: (response: LoadResponse): void => {
      const headers = readQuickHeaders(response.rawHeaders);
      const { key } = response.request;
      if (key !== null) {
        history.received(key, response, headers);
      }
      if (suspicions < MOST_SUSPICIONS && isNoList(response)) {
        suspicions += 1;
        const message = `GET /inventory with a valid key was answered ${response.status}, not 200.`;
        accuseResponse(client, 'list-succeeds', message, response);
      }
      if (!hasFailedList && isFailedList(response)) {
        hasFailedList = true;
        const message = `A list was answered ${response.status} under load; others show no more than that not all fail.`;
        client.judgements.inconclusive('load', 'list-succeeds', { message });
      }
      if (response.body !== null && budget.isLeft()) {
        whole += 1;
        budget.spend(() => judge(response, 'whole'));
        return;
      }
      headersOnly += 1;
      if (suspicions < MOST_SUSPICIONS && looksWrong(response, headers)) {
        suspicions += 1;
        judge(response, 'headers');
      }
    },
    loss: ({ request, departure, givenUpAt }: LoadLoss): void => {
      if (request.key !== null && departure !== null) {
        history.lost(request, departure, givenUpAt);
      }
    },
    /** How many responses all monitors judged, and how many only their rate limit headers and the oracle. */
    counts: () => ({ whole, headersOnly }),
  };
}

// The target saw no request in time on an idle connection.
const REQUEST_TIMEOUT = 408;

/** With a valid key, the list is answered 200. */
function isNoList({ status, request: { key, message } }: LoadResponse): boolean {
  return (
    status !== 200 &&
    status !== REQUEST_TIMEOUT &&
    key !== null &&
    message.operation === 'listInventory' &&
    isNoAnswerToList(status)
  );
}

/** An overloaded target may answer so, and yet no list was shown. */
function isFailedList({ status, request: { key, message } }: LoadResponse): boolean {
  return key !== null && message.operation === 'listInventory' && isServerError(status);
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

/**
 * The time that other work may take, so that it does not delay the load: a share of the time that passes, and a number of pieces of work for each second of it, both spread evenly.
 * @param share 0 to 1
 * @param mostMilliseconds the most that can be saved up
 * @param mostASecond pieces of work a second; as many can be saved up
 * @param now milliseconds of a clock that never goes back
 */
export function shareOfTime(
  share: number,
  mostMilliseconds: number,
  mostASecond: number,
  now: () => number = () => performance.now(),
) {
  let left = mostMilliseconds;
  let pieces = mostASecond;
  let creditedAt = now();
  const credit = (moment: number): void => {
    const passed = moment - creditedAt;
    left = Math.min(mostMilliseconds, left + passed * share);
    pieces = Math.min(mostASecond, pieces + (passed / 1000) * mostASecond);
    creditedAt = moment;
  };
  return {
    isLeft: (): boolean => {
      credit(now());
      return left > 0 && pieces >= 1;
    },
    /** Does the work, and subtracts its time from the budget. */
    spend: (work: () => void): void => {
      const began = now();
      pieces -= 1;
      try {
        work();
      } finally {
        const ended = now();
        credit(ended);
        left -= ended - began;
      }
    },
  };
}
