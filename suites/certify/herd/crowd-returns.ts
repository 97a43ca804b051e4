import { type LimitedWait, TOLERANCE_SECONDS, waitsAfterLimits } from '../records/traffic-reading.ts';
import { type BackoffFit, fitBackoff } from '../records/fit-backoff.ts';
import { isHabit, NOTICEABLE_SECONDS } from '../records/judge-together.ts';
import { medianOf, quantile } from '../../../contract/quantile.ts';
import type { ScenarioRecord } from '../records/record.ts';

const BUSIEST_SECONDS = 0.1;

/** What the clients waited after each 429, by its place in the row of refusals. */
export function crowdWaits(records: readonly ScenarioRecord[]): readonly (readonly LimitedWait[])[] {
  const rows: LimitedWait[][] = [];
  for (const record of records) {
    waitsAfterLimits(record).forEach((wait, refusal) => (rows[refusal] ??= []).push(wait));
  }
  return rows;
}

/** The longest wait that was seen to its end, in seconds; `null` if none was. */
export function longestEndedWait(records: readonly ScenarioRecord[]): number | null {
  const ended = records.flatMap(waitsAfterLimits).filter(({ after }) => after > -TOLERANCE_SECONDS);
  return ended.length === 0 ? null : Math.max(...ended.map(({ asked }) => asked));
}

/** How clients came back from the same refusal, as reports show it. @param waits at least one */
export function returnsOf(waits: readonly LimitedWait[]) {
  const moments = waits.map(({ after }) => after).toSorted((one, other) => one - other);
  const within = (first: number): number =>
    moments.filter((moment) => moment >= first && moment < first + BUSIEST_SECONDS).length;
  return {
    retryAfterSeconds: waits[0]?.asked ?? 0,
    milliseconds: moments.map(milliseconds),
    median: milliseconds(medianOf(moments)),
    range: milliseconds(Math.max(...moments) - Math.min(...moments)),
    interquartileRange: milliseconds(quantile(moments, 0.75) - quantile(moments, 0.25)),
    /** The share of them in the busiest stretch of 100 ms. */
    busiestShare: round(Math.max(...moments.map(within)) / moments.length, 3),
  };
}

/** Whether what clients wait beyond Retry-After grows from refusal to refusal, by the median of the clients. */
export function growthOf(rows: readonly (readonly LimitedWait[])[]): BackoffFit['verdict'] {
  const medians = rows.map((row) => medianOf(row.map(({ after }) => after)));
  if (medians.every((after) => after > -TOLERANCE_SECONDS)) {
    return fitBackoff(medians).verdict;
  }
  // A client with delays of its own only: what Retry-After asked for says nothing of them.
  return fitBackoff(rows.map((row) => medianOf(row.map(({ asked, after }) => asked + after)))).verdict;
}

/**
 * Tells a client that takes something off each wait from one whose timer was early once. The first waits end together, so
 * that the machine delays most returns; they are looked at if there are no others.
 */
export function earlinessOf(rows: readonly (readonly LimitedWait[])[]) {
  const waits = (rows.length > 1 ? rows.slice(1) : rows).flat();
  const early = waits.filter(({ after }) => -after >= NOTICEABLE_SECONDS);
  return {
    waits: waits.length,
    early: early.length,
    /** `null` if it is not early as a rule: now and then a coarse timer is. */
    habit: isHabit(early.length, waits.length) ? habitOf(early) : null,
  };
}

/** Compares what is taken off short waits with what is taken off long ones. */
function habitOf(early: readonly LimitedWait[]) {
  const lengths = early.map(({ asked }) => asked);
  const [shortest, longest] = [Math.min(...lengths), Math.max(...lengths)];
  const ofLength = (length: number): number => takenOff(early.filter(({ asked }) => asked === length));
  // Half of the way, on a scale of ratios, from an amount, which stays, to a share, which grows with the wait.
  const isShare = ofLength(longest) / ofLength(shortest) > Math.sqrt(longest / shortest);
  const kind = shortest === longest ? 'unknown' : isShare ? 'share' : 'amount';
  return {
    /** The same amount whatever Retry-After says, a share of it, or unknown if all waits were of one length. */
    kind,
    /** As the median: milliseconds, or a share of Retry-After. */
    size:
      kind === 'share'
        ? round(medianOf(early.map(({ asked, after }) => -after / asked)), 4)
        : milliseconds(takenOff(early)),
    /** In one wait. */
    mostMilliseconds: milliseconds(Math.max(...early.map(({ after }) => -after))),
  } as const;
}

/** As the median, in seconds. */
function takenOff(waits: readonly LimitedWait[]): number {
  return medianOf(waits.map(({ after }) => -after));
}

function milliseconds(seconds: number): number {
  return round(seconds * 1_000, 1);
}

function round(value: number, digits: number): number {
  return Number(value.toFixed(digits));
}
