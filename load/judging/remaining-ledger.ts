import { MINUTE_SECONDS } from '../../contract/plans.ts';
import type { Key } from '../../suites/oracle/index.ts';
import type { LoadLoss, LoadResponse } from '../engine/load-request.ts';
import type { QuickHeaders } from '../engine/quick-headers.ts';

/** A violation that X-RateLimit-Remaining of a key shows. */
interface LedgerProblem {
  readonly key: Key;
  readonly message: string;
  readonly response: LoadResponse;
}

/**
 * Follows X-RateLimit-Remaining of keys that were issued for this load, at full speed and however many
 * requests are under way. It falls by one for each accepted request, so a request that is sent after another was
 * answered shows less than that one, and in the end as many are missing as were accepted. Judged within the first
 * window only, while Reset and Limit stay as they were in the first response: what moves is not judged. If the
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

/** What one generator saw of one key within its first window. */
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
 * The violation that the accounts of all generators show for one key, in a sentence, or `null`.
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

/** What is known of one key. */
interface KeyEntry {
  /** When the first request was sent, answered or not: from then on a sliding window knows of the key. */
  beganAt: number;
  /** Whether requests may have counted whose Remaining is not known. */
  hasGaps: boolean;
  /** Requests that may have counted in an earlier window, which a sliding one forgets little by little. */
  preceding: number;
  window: FirstWindow | null;
}

interface FirstWindow {
  readonly limit: number;
  readonly reset: number;
  /** When the first of its requests was answered: what was sent later was decided in its window or in a later one. */
  readonly openedAt: number;
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
  const entries = new Map<Key, KeyEntry>();
  const entryOf = (key: Key, sentAt: number): KeyEntry => {
    let entry = entries.get(key);
    if (entry === undefined) {
      entry = { beganAt: Math.min(sentAt, beganBy), hasGaps: false, preceding: 0, window: null };
      entries.set(key, entry);
    }
    entry.beganAt = Math.min(entry.beganAt, sentAt);
    return entry;
  };
  return {
    response: (response, headers) => {
      const { key } = response.request;
      if (key?.issued === true) {
        enterResponse(entryOf(key, response.sentAt), key, response, headers);
      }
    },
    loss: ({ request: { key }, sentAt }) => {
      if (key !== null && sentAt !== null) {
        // It may have counted, so the sum is not known.
        enterUnknown(entryOf(key, sentAt), sentAt);
      }
    },
    close: (isComplete) =>
      [...entries].flatMap(([key, entry]) => {
        const { preceding, window } = entry;
        if (window === null || window.accepted === 0) {
          return [];
        }
        if (window.problem !== null && preceding === 0) {
          return [window.problem];
        }
        const message = problemOfAccounts([accountOf(key, entry)], isComplete);
        return message === null ? [] : [{ key, message, response: window.last }];
      }),
    accounts: () => [...entries].map(([key, entry]) => accountOf(key, entry)),
  };
}

function enterResponse(
  entry: KeyEntry,
  key: Key,
  response: LoadResponse,
  { limit, remaining, reset }: QuickHeaders,
): void {
  if (limit < 0 || remaining < 0 || reset < 0) {
    // Others judge what cannot be read; here it is a request that may have counted.
    enterUnknown(entry, response.sentAt);
    return;
  }
  entry.window ??= openWindow(response, limit, remaining, reset);
  const { window } = entry;
  const isAccepted = response.status >= 200 && response.status < 300;
  const isOver = response.answeredAt >= entry.beganAt + JUDGED_MILLISECONDS;
  // Refused requests may count or not, so nothing is judged after one.
  if (window.isClosed || isOver || window.limit !== limit || window.reset !== reset || !isAccepted) {
    window.isClosed = true;
    enterPreceding(entry, response.sentAt);
    return;
  }
  window.accepted += 1;
  window.highest = Math.max(window.highest, remaining);
  window.last = response;
  if (remaining >= window.lowest && response.sentAt > window.lowestAnsweredAt) {
    window.problem ??= {
      key,
      message: `X-RateLimit-Remaining of ${key.label} was ${window.lowest}, and ${remaining} on a request that was sent after that was answered.`,
      response,
    };
  }
  if (remaining < window.lowest) {
    window.lowest = remaining;
    window.lowestAnsweredAt = response.answeredAt;
  }
}

/** A request that may have counted, and of which no Remaining is known. */
function enterUnknown(entry: KeyEntry, sentAt: number): void {
  entry.hasGaps = true;
  enterPreceding(entry, sentAt);
}

/** A request that is not among those of the window: it may have counted in the one before. */
function enterPreceding(entry: KeyEntry, sentAt: number): void {
  if (entry.window === null || sentAt < entry.window.openedAt) {
    entry.preceding += 1;
  }
}

function openWindow(last: LoadResponse, limit: number, highest: number, reset: number): FirstWindow {
  return {
    limit,
    reset,
    openedAt: last.answeredAt,
    accepted: 0,
    highest,
    lowest: Number.POSITIVE_INFINITY,
    lowestAnsweredAt: Number.NEGATIVE_INFINITY,
    last,
    isClosed: false,
    problem: null,
  };
}

function accountOf(key: Key, { hasGaps, preceding, window }: KeyEntry): LedgerAccount {
  return {
    key,
    limit: window?.limit ?? 0,
    reset: window?.reset ?? 0,
    accepted: window?.accepted ?? 0,
    highest: window?.highest ?? 0,
    // Infinity if none was accepted, which JSON does not have.
    lowest: window === null || window.accepted === 0 ? 0 : window.lowest,
    preceding,
    isWhole: window !== null && !window.isClosed && !hasGaps,
  };
}
