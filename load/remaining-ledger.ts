import { MINUTE_SECONDS } from '../contract/plans.ts';
import type { Key } from '../suites/keys.ts';
import type { LoadLoss, LoadResponse } from './load-request.ts';
import type { QuickHeaders } from './quick-headers.ts';

/** What a key's X-RateLimit-Remaining shows to be wrong. */
interface LedgerProblem {
  readonly key: Key;
  readonly message: string;
  readonly response: LoadResponse;
}

/**
 * Keeps book of X-RateLimit-Remaining for keys that were issued for this load, at full speed and however many
 * requests are under way. It falls by one for each accepted request, so a request that is sent after another was
 * answered shows less than that one, and in the end as many are missing as were accepted. Judged within the first
 * window only, while Reset and Limit stay as they were in the first response: what moves is left alone. Where the
 * window slides, requests begin to drop out of it a minute after the first, and Reset may round to the same second.
 */
export interface RemainingLedger {
  readonly response: (response: LoadResponse, headers: QuickHeaders) => void;
  readonly loss: (loss: LoadLoss) => void;
  /**
   * Problems so far, and those that show when all is over. At most one for each key.
   * @param isComplete whether every request that was sent is among the responses and losses
   */
  readonly close: (isComplete: boolean) => readonly LedgerProblem[];
}

interface Page {
  readonly limit: number;
  readonly reset: number;
  /** When the first request was sent, as far as is known. */
  beganAt: number;
  accepted: number;
  highest: number;
  lowest: number;
  /** Answered before this moment was the response with the lowest Remaining. */
  lowestAnsweredAt: number;
  last: LoadResponse;
  isClosed: boolean;
  problem: LedgerProblem | null;
}

// A second less than a minute, since the target's clock may go a little faster.
const JUDGED_MILLISECONDS = (MINUTE_SECONDS - 1) * 1000;

export function keepRemainingLedger(): RemainingLedger {
  const pages = new Map<Key, Page>();
  const uncounted = new Set<Key>();
  return {
    response: (response, { limit, remaining, reset }) => {
      const { key } = response.request;
      if (key === null || !key.issued) {
        return;
      }
      if (limit < 0 || remaining < 0 || reset < 0) {
        // Others judge what can't be read; here it is a request that may have counted.
        uncounted.add(key);
        return;
      }
      const isAccepted = response.status >= 200 && response.status < 300;
      let page = pages.get(key);
      if (page === undefined) {
        page = {
          limit,
          reset,
          beganAt: response.sentAt,
          accepted: 0,
          highest: remaining,
          lowest: Number.POSITIVE_INFINITY,
          lowestAnsweredAt: Number.NEGATIVE_INFINITY,
          last: response,
          isClosed: false,
          problem: null,
        };
        pages.set(key, page);
      }
      page.beganAt = Math.min(page.beganAt, response.sentAt);
      const isOver = response.answeredAt >= page.beganAt + JUDGED_MILLISECONDS;
      // Whether what was refused counts is open, so nothing can be said after one.
      if (page.isClosed || isOver || page.limit !== limit || page.reset !== reset || !isAccepted) {
        page.isClosed = true;
        return;
      }
      page.accepted += 1;
      page.highest = Math.max(page.highest, remaining);
      page.last = response;
      if (remaining >= page.lowest && response.sentAt > page.lowestAnsweredAt) {
        page.problem ??= {
          key,
          message: `X-RateLimit-Remaining of ${key.label} was ${page.lowest}, and ${remaining} on a request that was sent after that was answered.`,
          response,
        };
      }
      if (remaining < page.lowest) {
        page.lowest = remaining;
        page.lowestAnsweredAt = response.answeredAt;
      }
    },
    loss: ({ request: { key }, sentAt }) => {
      if (key === null || sentAt === null) {
        return;
      }
      // It may have counted, so the sum can't be told.
      uncounted.add(key);
      const page = pages.get(key);
      if (page !== undefined) {
        page.beganAt = Math.min(page.beganAt, sentAt);
      }
    },
    close: (isComplete) =>
      [...pages].flatMap(([key, page]) => {
        if (page.accepted === 0) {
          return [];
        }
        const used = page.highest - page.lowest + 1;
        const isTold = isComplete && !page.isClosed && !uncounted.has(key);
        if (page.problem === null && (used < page.accepted || (isTold && used > page.accepted))) {
          const message = `${key.label} was granted ${page.accepted} requests of one window, while X-RateLimit-Remaining fell from ${page.highest} to ${page.lowest}.`;
          return [{ key, message, response: page.last }];
        }
        return page.problem === null ? [] : [page.problem];
      }),
  };
}
