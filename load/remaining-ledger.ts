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
 * window only, while Reset and Limit stay as they were in the first response: what moves is left alone. So is all
 * after the first minute, in which a sliding log may give back within one second of Reset.
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
  accepted: number;
  highest: number;
  lowest: number;
  /** Answered before this moment was the response with the lowest Remaining. */
  lowestAnsweredAt: number;
  last: LoadResponse;
  isClosed: boolean;
  problem: LedgerProblem | null;
}

const FIRST_WINDOW_MILLISECONDS = 58_000;

/** @param beganAt moment of `performance.now()` before which none of the keys was used */
export function keepRemainingLedger(beganAt: number): RemainingLedger {
  const endsAt = beganAt + FIRST_WINDOW_MILLISECONDS;
  const pages = new Map<Key, Page>();
  const lost = new Set<Key>();
  return {
    response: (response, { limit, remaining, reset }) => {
      const { key } = response.request;
      if (key === null || !key.issued || limit < 0 || remaining < 0 || reset < 0) {
        return;
      }
      const isAccepted = response.status >= 200 && response.status < 300;
      let page = pages.get(key);
      if (page === undefined) {
        page = {
          limit,
          reset,
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
      // Whether what was refused counts is open, so nothing can be said after one.
      const isOver = response.answeredAt > endsAt;
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
    loss: ({ request }) => {
      // It may have counted, so the sum can't be told.
      if (request.key !== null) {
        lost.add(request.key);
      }
    },
    close: (isComplete) =>
      [...pages].flatMap(([key, page]) => {
        const used = page.highest - page.lowest + 1;
        const isTold = isComplete && !page.isClosed && !lost.has(key);
        if (page.problem === null && (used < page.accepted || (isTold && used > page.accepted))) {
          const message = `${key.label} was granted ${page.accepted} requests of one window, while X-RateLimit-Remaining fell from ${page.highest} to ${page.lowest}.`;
          return [{ key, message, response: page.last }];
        }
        return page.problem === null ? [] : [page.problem];
      }),
  };
}
