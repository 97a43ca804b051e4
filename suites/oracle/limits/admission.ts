import { MINUTE_SECONDS } from '../../../contract/plans.ts';
import type { RateLimit } from '../../../contract/rate-limit-headers.ts';
import { isAccepted, rateLimitOf, type Exchange } from '../exchange.ts';
import { MARGIN_MILLISECONDS } from './margin.ts';
import type { Span } from '../window-phase.ts';

/**
 * What a series of requests with one key shows of its limit.
 * `exact`: granted as many as the limit, then refused. `over` and `under`: granted more, or fewer. `unrefused`:
 * granted more than the limit and never refused. `uncertain`: what was seen fits a limit that is kept and one that
 * is not.
 */
export type Admission =
  | { readonly kind: 'exact' }
  | {
      readonly kind: 'over' | 'unrefused';
      readonly granted: number;
      readonly proven: boolean;
      /** Where a window's end has to lie if that is what explains it. */
      readonly span: Span;
      readonly witness: Exchange;
    }
  | { readonly kind: 'under'; readonly granted: number; readonly witness: Exchange }
  | {
      readonly kind: 'uncertain';
      readonly reason: string;
      /** Whether it came of a mishap that the next measurement may be spared. */
      readonly transient: boolean;
    };

export interface AdmissionSeries {
  /** Requests that the window grants. */
  readonly limit: number;
  /** Requests granted in the window before the series. */
  readonly alreadyGranted: number;
  /** When the first of those was sent, in milliseconds of the timekeeper; unless it is known they prove nothing. */
  readonly alreadyGrantedSince?: number;
  readonly exchanges: readonly Exchange[];
  /** Requests that may have counted although no response tells so. */
  readonly lostResponses: number;
  /** Length of the window; a minute if it is not given. */
  readonly windowSeconds?: number;
}

/**
 * Judges how many requests a window granted. Each request was decided at some moment between its sending and its
 * answer. `under` and `proven` hold for every window algorithm and every order of those moments; any other
 * deviation may come of a window that ended meanwhile, and is to be measured again.
 */
export function assessAdmission(series: AdmissionSeries): Admission {
  const { limit, alreadyGranted, exchanges, lostResponses } = series;
  const granted = exchanges.filter(isAccepted);
  const total = alreadyGranted + granted.length;
  const refusal = firstAnswered(exchanges.filter(isRefusal));
  const before = exchanges.filter(({ sentAt }) => refusal !== undefined && sentAt <= refusal.receivedAt);
  const grantedBefore = alreadyGranted + before.filter(isAccepted).length;
  const other = before.filter(mayHaveCounted);
  if (refusal !== undefined && grantedBefore + other.length + lostResponses < limit) {
    return { kind: 'under', granted: grantedBefore, witness: refusal };
  }
  const witness = granted.at(-1) ?? exchanges[0];
  if (witness === undefined) {
    return { kind: 'uncertain', reason: 'Nothing was sent.', transient: false };
  }
  if (total > limit) {
    const kind = refusal === undefined ? 'unrefused' : 'over';
    return {
      kind,
      granted: total,
      proven: isProven(series, granted),
      span: spanOf(series, granted),
      witness,
    };
  }
  if (refusal === undefined) {
    const reason = `${total} requests were granted, although the limit is ${limit}, and none was refused with 429${describeOthers(exchanges)}.`;
    return { kind: 'uncertain', reason, transient: lostResponses > 0 };
  }
  const falls = fallsByOne(series, granted);
  const renewed = hasRenewed(series, granted);
  const isTold = !renewed && ((total === limit && falls) || tellsOfAll(series, granted));
  const open = other.filter((exchange) => total < limit || !(isTold && liesAmong(exchange, granted, limit)));
  const unknown = open.length + (isTold ? 0 : lostResponses);
  if ((total < limit && !isTold) || unknown > 0) {
    const reason = `${unknown} requests may have counted or not.`;
    return { kind: 'uncertain', reason, transient: lostResponses > 0 };
  }
  if (renewed && !falls) {
    const reason = 'The window ended meanwhile, and two windows together granted as much as one should.';
    return { kind: 'uncertain', reason, transient: true };
  }
  return { kind: 'exact' };
}

function isRefusal({ response }: Exchange): boolean {
  return response.status === 429;
}

// A ban follows a 429, so what it answers came after the limit was reached.
function mayBeBan({ response }: Exchange): boolean {
  return response.status === 401 || response.status === 403;
}

/** Whether it was neither granted nor refused for its rate, so that nobody knows whether it counted. */
function mayHaveCounted(exchange: Exchange): boolean {
  return !isAccepted(exchange) && !isRefusal(exchange) && !mayBeBan(exchange);
}

/** What else than 429 requests that were not granted were answered. */
function describeOthers(exchanges: readonly Exchange[]): string {
  const statuses = exchanges
    .filter((exchange) => !isAccepted(exchange))
    .map(({ response }) => response.status);
  const counts = [...Map.groupBy(statuses, (status) => status)].map(
    ([status, { length }]) => `${length} ${length === 1 ? 'was' : 'were'} answered ${status}`,
  );
  return counts.length === 0 ? '' : `; ${counts.join(', ')}`;
}

function firstAnswered(exchanges: readonly Exchange[]): Exchange | undefined {
  return exchanges.toSorted((a, b) => a.receivedAt - b.receivedAt)[0];
}

const MARGIN_SECONDS = MARGIN_MILLISECONDS / 1000;

/** Whether no end of a window, and no sliding of one, explains that more were granted than the limit. */
function isProven(series: AdmissionSeries, granted: readonly Exchange[]): boolean {
  const { limit, alreadyGranted, alreadyGrantedSince, windowSeconds = MINUTE_SECONDS } = series;
  const readings = readingsOf(series, granted);
  if (readings === undefined || granted.length === 0) {
    return false;
  }
  const room = limit - alreadyGranted;
  const left = readings.map(({ remaining }) => remaining).toSorted((a, b) => b - a);
  // The n-th request that the window grants leaves room - n.
  const fallsThroughout = left.every((remaining, index) => remaining <= Math.max(0, room - index - 1));
  const known = alreadyGrantedSince === undefined ? 0 : alreadyGranted;
  const from = Math.min(alreadyGrantedSince ?? Infinity, ...granted.map(({ sentAt }) => sentAt));
  const seconds = (Math.max(...granted.map(({ receivedAt }) => receivedAt)) - from) / 1000;
  const excess = known + granted.length - limit;
  // A sliding counter forgets the window before at the rate of the limit, at most. A limit of one shows the same
  // Remaining in every window.
  const slid = Math.floor((limit * seconds) / windowSeconds);
  return (
    fallsThroughout &&
    excess > 0 &&
    seconds <= windowSeconds - MARGIN_SECONDS &&
    !hasRenewed(series, granted) &&
    !areTwoWindows(series, left) &&
    ((limit > 1 && excess > slid) || standsStill(readings, granted))
  );
}

/**
 * Whether what remained is what two windows show one after the other, if requests of which nothing is known took what is
 * missing: in each window, each value is shown once, from the highest on.
 * @param left what each granted request says that remains, in any order
 */
function areTwoWindows(
  { limit, alreadyGranted, exchanges, lostResponses }: AdmissionSeries,
  left: readonly number[],
): boolean {
  const times = Map.groupBy(left, (remaining) => remaining);
  const twice = [...times].filter(([, shown]) => shown.length > 1);
  const isEachOnceAWindow = twice.every(([, shown]) => shown.length === 2);
  const lowest = Math.min(...left);
  const lowestTwice = Math.min(limit, ...twice.map(([remaining]) => remaining));
  const missing = 2 * limit - alreadyGranted - lowest - lowestTwice - left.length;
  return isEachOnceAWindow && missing <= exchanges.filter(mayHaveCounted).length + lostResponses;
}

/** Whether Reset stayed the same for long enough to tell that it does not move along with the time. */
function standsStill(readings: readonly RateLimit[], granted: readonly Exchange[]): boolean {
  const resets = readings.map(({ reset }) => reset);
  const moved = Math.max(...resets) - Math.min(...resets);
  const sentAt = Math.max(...granted.map(({ sentAt }) => sentAt));
  const receivedAt = Math.min(...granted.map(({ receivedAt }) => receivedAt));
  const apart = (sentAt - receivedAt) / 1000;
  // Whole seconds may be rounded one way or the other.
  return (moved === 0 && apart > 1) || (moved <= 1 && apart > MARGIN_SECONDS + 1);
}

/** What each granted request says of this window, or `undefined` unless all of them do. */
function readingsOf(
  { limit }: AdmissionSeries,
  granted: readonly Exchange[],
): readonly RateLimit[] | undefined {
  const readings = granted
    .map(rateLimitOf)
    .filter((reading) => reading !== undefined && reading.limit === limit);
  return readings.length === granted.length ? readings.filter((reading) => reading !== undefined) : undefined;
}

/** Whether Remaining fell by one with each granted request, so that nothing counted between them. */
function fallsByOne({ limit, alreadyGranted }: AdmissionSeries, granted: readonly Exchange[]): boolean {
  const readings = granted.map(rateLimitOf).filter((reading) => reading !== undefined);
  const shown = new Set(readings.map(({ limit }) => limit));
  const left = readings.map(({ remaining }) => remaining).toSorted((a, b) => b - a);
  // If the headers speak of another window, it is not known how much of it was used before.
  const first = shown.has(limit) ? limit - alreadyGranted - 1 : (left[0] ?? 0);
  return (
    readings.length === granted.length &&
    shown.size === 1 &&
    left.every((remaining, index) => remaining === first - index)
  );
}

/**
 * Whether Remaining fell from the limit to nothing, without a value twice, and the values that are missing are no more
 * than the requests without a response: then those are what took them.
 */
function tellsOfAll(series: AdmissionSeries, granted: readonly Exchange[]): boolean {
  const room = series.limit - series.alreadyGranted;
  const left = new Set(readingsOf(series, granted)?.map(({ remaining }) => remaining));
  const isWhole = left.has(room - 1) && left.has(0) && [...left].every((remaining) => remaining < room);
  return isWhole && left.size === granted.length && room - left.size <= series.lostResponses;
}

/** Whether what Remaining says of the granted requests before and after this one tells whether it counted. */
function liesAmong({ sentAt, receivedAt }: Exchange, granted: readonly Exchange[], limit: number): boolean {
  const last = Math.min(...granted.map((exchange) => rateLimitOf(exchange)?.remaining ?? 0));
  // Of this window it is known what remains at first; of another it is not.
  const follows = granted.some(
    (exchange) => exchange.receivedAt < sentAt || rateLimitOf(exchange)?.limit === limit,
  );
  const precedes = granted.some(
    (exchange) => exchange.sentAt > receivedAt && rateLimitOf(exchange)?.remaining !== last,
  );
  return follows && precedes;
}

/** Whether Reset leapt by half a window or more, as it does when a window ends that does not slide. */
function hasRenewed(series: AdmissionSeries, granted: readonly Exchange[]): boolean {
  const { windowSeconds = MINUTE_SECONDS } = series;
  const resets = (readingsOf(series, granted) ?? []).map(({ reset }) => reset).toSorted((a, b) => a - b);
  return resets.some((reset, index) => reset - (resets[index - 1] ?? reset) >= windowSeconds / 2);
}

/** From the first request that counted to the last, and a window back if it is not known when that was. */
function spanOf(series: AdmissionSeries, granted: readonly Exchange[]): Span {
  const { alreadyGranted, alreadyGrantedSince, exchanges, windowSeconds = MINUTE_SECONDS } = series;
  const counted = granted.length > 0 ? granted : exchanges;
  const to = Math.max(...counted.map(({ receivedAt }) => receivedAt));
  const first = Math.min(...counted.map(({ sentAt }) => sentAt));
  const before = alreadyGrantedSince ?? first - windowSeconds * 1000;
  return { from: alreadyGranted > 0 ? Math.min(before, first) : first, to };
}
