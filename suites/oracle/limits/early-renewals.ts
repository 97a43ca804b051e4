import { MINUTE_SECONDS } from '../../../contract/plans.ts';
import { isAccepted, type Exchange } from '../exchange.ts';
import type { SentRequest } from '../history.ts';
import type { HistoryMonitor } from '../history-monitor.ts';
import { TWO_WINDOWS_SECONDS } from '../keys.ts';
import type { ServerClock } from '../server-clock.ts';
import { labelOf } from './key-traffic.ts';
import type { Span } from './timeline.ts';
import { segmentsExplain } from './window-segments.ts';

/** A key whose minute is used up at once, and asked for again. */
interface FollowedKey {
  readonly limit: number;
  /** Requests until its day may refuse it. */
  left: number;
  underWay: number;
  /** When something was last sent or came in, in milliseconds of the timekeeper. */
  usedAt: number;
  minute: FreshMinute | null;
}

/** A minute that began with nothing of earlier ones. */
interface FreshMinute {
  readonly from: number;
  /** The server's time then at the latest, in Unix seconds, if it is known. */
  readonly latest: number | undefined;
  granted: number;
  /** When the last of those was answered. */
  grantedAt: number;
}

// Windows that are aligned, or end in coarse steps, let somebody in by then, and so does a counter that weighs two of them.
const COARSE_SECONDS = 49.5;
const LATE_SECONDS = 48.5;
// A counter lets in for 19 s of a minute what it refuses otherwise.
const WIDEST_GAP_SECONDS = 12;
// If each key has windows of its own, so many in a row are not let in by chance.
const LEAST_KEYS = 20;
// What has not shown by then is no window that ends early.
const MOST_KEPT = 200;
const MARGIN_SECONDS = 0.1;
// One span is measured from before its first request, the other from after it.
const SAME_SECONDS = 1;

/**
 * A window lasts its minute to the end, unless it ends in steps. A single key shows that within a margin; of many, used up
 * at other moments each, those that were let in early have to have met the same steps.
 */
export const earlyRenewalsMonitor: HistoryMonitor = {
  id: 'early-renewals',
  title: 'A window does not end shortly before its minute has passed',
  judges: ['limit-renews'],
  open: ({ clock, requestOf }, report) => {
    const keys = new Map<string, FollowedKey>();
    const note = openSpans(clock, (holds, message, proof) =>
      report.judge('limit-renews', holds, message, ...proof),
    );
    return (event) => {
      switch (event.type) {
        case 'key-known': {
          const { label, limits, isExclusive, usedToday } = event.key;
          if (isExclusive && limits !== null && usedToday !== null) {
            const { perMinute: limit, perDay } = limits;
            const usedAt = Number.NEGATIVE_INFINITY;
            keys.set(label, { limit, left: perDay - usedToday, underWay: 0, usedAt, minute: null });
          }
          return;
        }
        case 'gap':
          keys.clear();
          return;
        case 'key-forgotten':
        case 'key-revocation-begun':
          keys.delete(event.key);
          return;
        case 'request-sent': {
          const { credential, at } = event;
          const key = keys.get(heldBy(event));
          if (key !== undefined) {
            if (credential.kind !== 'valid' || key.left <= 0) {
              key.minute = null;
            } else if (key.underWay === 0 && at - key.usedAt >= TWO_WINDOWS_SECONDS * 1000) {
              key.minute = { from: at, latest: clock.at(at)?.latest, granted: 0, grantedAt: at };
            }
            key.left -= 1;
            key.underWay += 1;
            key.usedAt = at;
          }
          return;
        }
        case 'response-received':
        case 'response-lost': {
          const sent = requestOf(event.id);
          const key = sent === undefined ? undefined : keys.get(heldBy(sent));
          const exchange = event.type === 'response-received' ? event.exchange : null;
          if (key !== undefined) {
            key.underWay -= 1;
            key.usedAt = event.type === 'response-received' ? event.exchange.receivedAt : event.at;
            key.minute = exchange && follow(key, exchange, note);
          }
          return;
        }
        default:
      }
    };
  },
};

/**
 * Takes the spans of keys one by one, and judges once they tell something.
 * @returns takes a minute that was used up, and what was answered to the request after it
 */
function openSpans(
  clock: ServerClock,
  judge: (holds: boolean, message: () => string, proof: readonly Exchange[]) => void,
): (minute: FreshMinute, exchange: Exchange) => void {
  const letIn: Span[] = [];
  const refused: Span[] = [];
  let isOver = false;
  let lastLetIn: readonly Exchange[] = [];
  const take = (minute: FreshMinute, exchange: Exchange): void => {
    const { from, grantedAt } = minute;
    if (exchange.response.status === 429) {
      const isLate = exchange.sentAt - from >= LATE_SECONDS * 1000 && refused.length < MOST_KEPT;
      refused.push(...(isLate ? [{ from: grantedAt, to: exchange.sentAt }] : []));
    } else if (isAccepted(exchange)) {
      const seconds = secondsBetween(minute, exchange, clock);
      letIn.push(...(seconds < MINUTE_SECONDS ? [{ from, to: from + seconds * 1000 }] : []));
      lastLetIn = [exchange];
      isOver ||= seconds <= COARSE_SECONDS || letIn.length > MOST_KEPT;
    }
  };
  return (minute, exchange) => {
    take(minute, exchange);
    const isTold = (letIn.length === 0 ? refused : letIn).length >= LEAST_KEYS;
    if (isOver || !isTold || !cover(refused)) {
      return;
    }
    // One window lasts as long as another.
    const longestRefused = Math.max(...refused.map(lengthOf));
    isOver = letIn.some((span) => lengthOf(span) <= longestRefused + SAME_SECONDS);
    if (!isOver) {
      const asked = { letIn, refused };
      const holds = letIn.length === 0 || segmentsExplain(asked, MINUTE_SECONDS, MARGIN_SECONDS);
      isOver = !holds;
      // The last one to be refused settles it; one that was let in shows it.
      judge(holds, () => describe(letIn, refused), [
        ...lastLetIn.filter((one) => one !== exchange),
        exchange,
      ]);
    }
  };
}

/** The label of the key that a request counts on, or may count on; empty without one. */
function heldBy(sent: SentRequest): string {
  const { credential } = sent;
  return (credential.kind === 'invalid' ? credential.holds : labelOf(sent)) ?? '';
}

/** @returns the minute as it goes on, or `null` once it tells nothing more */
function follow(
  key: FollowedKey,
  exchange: Exchange,
  note: (minute: FreshMinute, exchange: Exchange) => void,
): FreshMinute | null {
  const { minute, limit, underWay } = key;
  if (minute === null) {
    return null;
  }
  if (minute.granted === limit && underWay === 0 && exchange.sentAt >= minute.grantedAt) {
    note(minute, exchange);
    return null;
  }
  minute.granted += 1;
  minute.grantedAt = exchange.receivedAt;
  return isAccepted(exchange) && minute.granted <= limit && exchange.lostResponses === 0 ? minute : null;
}

/** From before the first request to the answer, by whichever clock took longer. */
function secondsBetween({ from, latest }: FreshMinute, { receivedAt }: Exchange, clock: ServerClock): number {
  const earliest = clock.at(receivedAt)?.earliest;
  const byServer = earliest === undefined || latest === undefined ? 0 : earliest - latest;
  return Math.max((receivedAt - from) / 1000, byServer);
}

function lengthOf({ from, to }: Span): number {
  return (to - from) / 1000;
}

/** Whether keys were refused early that had begun at all times of the minute. */
function cover(refused: readonly Span[]): boolean {
  const begun = refused
    .filter((span) => lengthOf(span) <= COARSE_SECONDS)
    .map(({ from }) => (from / 1000) % MINUTE_SECONDS)
    .toSorted((one, other) => one - other);
  const [first] = begun;
  return (
    first !== undefined &&
    [...begun.slice(1), first + MINUTE_SECONDS].every(
      (moment, index) => moment - (begun[index] ?? 0) <= WIDEST_GAP_SECONDS,
    )
  );
}

function describe(letIn: readonly Span[], refused: readonly Span[]): string {
  const longest = Math.max(...letIn.map(lengthOf));
  const least = Math.min(...refused.map(lengthOf));
  return `${letIn.length} keys that had reached their limit were granted more within ${longest.toFixed(2)} s, though ${refused.length} were refused after ${least.toFixed(0)} s: the window is shorter than a minute.`;
}
