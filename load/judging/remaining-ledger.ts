import { MINUTE_SECONDS } from '../../contract/plans.ts';
import type { Key } from '../../suites/oracle/index.ts';
import type { LoadLoss, LoadResponse } from '../engine/load-request.ts';
import type { QuickHeaders } from '../engine/quick-headers.ts';

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
  /** What was seen of each key, to be put together with what other generators saw of it. */
  readonly accounts: () => readonly LedgerAccount[];
}

/** One key within its first window, as far as one generator saw it. */
export interface LedgerAccount {
  readonly key: Key;
  /** The window: Limit and Reset as they stood throughout. */
  readonly limit: number;
  readonly reset: number;
  readonly accepted: number;
  readonly highest: number;
  readonly lowest: number;
  /** Requests that may have counted in an earlier window. */
  readonly preceding: number;
  /** Whether every request that may have counted in the window is known. */
  readonly isWhole: boolean;
}

/**
 * What is wrong with a key of which these are the accounts of all generators, in a sentence, or `null`.
 * @param isComplete whether every request that was sent was seen by one of them
 */
export function problemOfAccounts(accounts: readonly LedgerAccount[], isComplete: boolean): string | null {
  const used = accounts.filter(({ accepted }) => accepted > 0);
  const [first] = used;
  if (
    first === undefined ||
    used.some(({ limit, reset }) => limit !== first.limit || reset !== first.reset)
  ) {
    return null;
  }
  const accepted = used.reduce((sum, account) => sum + account.accepted, 0);
  const preceding = accounts.reduce((sum, account) => sum + account.preceding, 0);
  const highest = Math.max(...used.map((account) => account.highest));
  const lowest = Math.min(...used.map((account) => account.lowest));
  const fallen = highest - lowest + 1;
  const isTold = isComplete && accounts.every(({ isWhole }) => isWhole);
  return fallen + preceding >= accepted && !(isTold && fallen > accepted)
    ? null
    : `${first.key.label} was granted ${accepted} requests of one window, while X-RateLimit-Remaining fell from ${highest} to ${lowest}.`;
}

interface Book {
  /** When the first request was sent, answered or not: from then on a sliding window knows of the key. */
  beganAt: number;
  /** Whether requests may have counted whose Remaining is not known. */
  hasGaps: boolean;
  /** Requests that may have counted in an earlier window, which a sliding one forgets little by little. */
  preceding: number;
  page: Page | null;
}

interface Page {
  readonly limit: number;
  readonly reset: number;
  /** When the first of its requests was answered: what was sent later was decided in its window or in a later one. */
  openedAt: number;
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

/** @param beganBy moment at which another generator may have begun to use the keys */
export function keepRemainingLedger(beganBy = Number.POSITIVE_INFINITY): RemainingLedger {
  const books = new Map<Key, Book>();
  const standsElsewhere = (book: Book, sentAt: number): void => {
    if (book.page === null || sentAt < book.page.openedAt) {
      book.preceding += 1;
    }
  };
  const openBook = (key: Key, sentAt: number): Book => {
    let book = books.get(key);
    if (book === undefined) {
      book = { beganAt: Math.min(sentAt, beganBy), hasGaps: false, preceding: 0, page: null };
      books.set(key, book);
    }
    book.beganAt = Math.min(book.beganAt, sentAt);
    return book;
  };
  return {
    response: (response, { limit, remaining, reset }) => {
      const { key } = response.request;
      if (key === null || !key.issued) {
        return;
      }
      const book = openBook(key, response.sentAt);
      if (limit < 0 || remaining < 0 || reset < 0) {
        // Others judge what can't be read; here it is a request that may have counted.
        book.hasGaps = true;
        standsElsewhere(book, response.sentAt);
        return;
      }
      book.page ??= {
        limit,
        reset,
        openedAt: response.answeredAt,
        accepted: 0,
        highest: remaining,
        lowest: Number.POSITIVE_INFINITY,
        lowestAnsweredAt: Number.NEGATIVE_INFINITY,
        last: response,
        isClosed: false,
        problem: null,
      };
      const { page } = book;
      const isAccepted = response.status >= 200 && response.status < 300;
      const isOver = response.answeredAt >= book.beganAt + JUDGED_MILLISECONDS;
      // Whether what was refused counts is open, so nothing can be said after one.
      if (page.isClosed || isOver || page.limit !== limit || page.reset !== reset || !isAccepted) {
        page.isClosed = true;
        standsElsewhere(book, response.sentAt);
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
      if (key !== null && sentAt !== null) {
        // It may have counted, so the sum can't be told.
        const book = openBook(key, sentAt);
        book.hasGaps = true;
        standsElsewhere(book, sentAt);
      }
    },
    close: (isComplete) =>
      [...books].flatMap(([key, book]) => {
        const { preceding, page } = book;
        if (page === null || page.accepted === 0) {
          return [];
        }
        if (page.problem !== null && preceding === 0) {
          return [page.problem];
        }
        const message = problemOfAccounts([accountOf(key, book)], isComplete);
        return message === null ? [] : [{ key, message, response: page.last }];
      }),
    accounts: () => [...books].map(([key, book]) => accountOf(key, book)),
  };
}

function accountOf(key: Key, { hasGaps, preceding, page }: Book): LedgerAccount {
  return {
    key,
    limit: page?.limit ?? 0,
    reset: page?.reset ?? 0,
    accepted: page?.accepted ?? 0,
    highest: page?.highest ?? 0,
    // Infinity, which JSON has not, where none was accepted.
    lowest: page === null || page.accepted === 0 ? 0 : page.lowest,
    preceding,
    isWhole: page !== null && !page.isClosed && !hasGaps,
  };
}
