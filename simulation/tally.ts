import type { StormPeak, StormRequests, StormStep } from '../contract/simulation-result.ts';

export type StormTally = ReturnType<typeof createTally>;

interface Steps {
  readonly stepSeconds: number;
  readonly steps: readonly StormStep[];
}

const PEAK_SECONDS = 0.1;
const MOST_BINS = 36_000;
// Unix seconds have about 2e-7 of rounding, and clients come back on whole ones.
const ROUNDING_SECONDS = 1e-6;

/** The most requests in 100 ms, of moments that never fall. */
function createPeakMeter() {
  let current = 0;
  let requests = 0;
  let peak: StormPeak = { requests: 0, atSeconds: 0 };
  return {
    /** @returns how many there are in the same 100 ms by now */
    count: (seconds: number): number => {
      const bin = Math.floor((seconds + ROUNDING_SECONDS) / PEAK_SECONDS);
      requests = bin === current ? requests + 1 : 1;
      current = bin;
      if (requests > peak.requests) {
        peak = { requests, atSeconds: bin * PEAK_SECONDS };
      }
      return requests;
    },
    peak: (): StormPeak => peak,
  };
}

/** Counts what happens in a storm. @param durationSeconds what is counted is not later */
export function createTally(clients: number, durationSeconds: number) {
  const bins = openBins(durationSeconds);
  const { binOf, longest } = bins;
  const all = createPeakMeter();
  const first = createPeakMeter();
  const returning = createPeakMeter();
  const totals = { sent: 0, granted: 0, refused: 0, dropped: 0, late: 0, returningFailed: 0 };
  const longestWait = { first: 0, returning: 0 };
  const add = (series: Uint32Array, seconds: number): void => {
    const bin = binOf(seconds);
    series[bin] = (series[bin] ?? 0) + 1;
  };

  return {
    /** Is told of moments that never fall. @param wait for a worker */
    sent: (seconds: number, isReturning: boolean, wait: number): void => {
      totals.sent += 1;
      const bin = binOf(seconds);
      bins.sent[bin] = (bins.sent[bin] ?? 0) + 1;
      bins.peak[bin] = Math.max(bins.peak[bin] ?? 0, all.count(seconds));
      longest[bin] = Math.max(longest[bin] ?? 0, wait);
      if (isReturning) {
        bins.returning[bin] = (bins.returning[bin] ?? 0) + 1;
        returning.count(seconds);
        longestWait.returning = Math.max(longestWait.returning, wait);
      } else {
        first.count(seconds);
        longestWait.first = Math.max(longestWait.first, wait);
      }
    },
    granted: (seconds: number): void => {
      totals.granted += 1;
      add(bins.granted, seconds);
    },
    /** `dropped`: answered 503; `late`: answered after the client had given up waiting. */
    failed: (kind: 'refused' | 'dropped' | 'late', seconds: number, isReturning: boolean): void => {
      totals[kind] += 1;
      totals.returningFailed += isReturning && kind !== 'refused' ? 1 : 0;
      add(bins.failed, seconds);
    },
    served: (seconds: number): void => add(bins.served, seconds),
    requests: (): StormRequests => {
      const { sent, granted, refused, dropped, late } = totals;
      return { sent, granted, refused, dropped, late, inFlight: sent - granted - refused - dropped - late };
    },
    peaks: () => ({ first: first.peak(), returning: returning.peak() }),
    longestWait: () => longestWait,
    returningFailed: () => totals.returningFailed,
    /** What happened until then, in at most so many steps of equal length. */
    steps: (untilSeconds: number, most: number): Steps => mergeBins(bins, clients, untilSeconds, most),
  };
}

type Bins = ReturnType<typeof openBins>;

/** What happens in each of many short parts of a storm. */
function openBins(durationSeconds: number) {
  const grain = roundUp(Math.max(PEAK_SECONDS, durationSeconds / MOST_BINS));
  const size = Math.floor(durationSeconds / grain) + 1;
  return {
    grain,
    size,
    sent: new Uint32Array(size),
    returning: new Uint32Array(size),
    granted: new Uint32Array(size),
    failed: new Uint32Array(size),
    served: new Uint32Array(size),
    peak: new Uint32Array(size),
    longest: new Float64Array(size),
    binOf: (seconds: number): number => Math.min(size - 1, Math.floor((seconds + ROUNDING_SECONDS) / grain)),
  };
}

function mergeBins(bins: Bins, clients: number, untilSeconds: number, most: number): Steps {
  const { grain } = bins;
  const used = bins.binOf(untilSeconds) + 1;
  const merged = Math.ceil(roundUp((used * grain) / most) / grain - 1e-9);
  const steps: StormStep[] = [];
  let waiting = clients;
  for (let from = 0; from < used; from += merged) {
    const to = Math.min(bins.size, from + merged);
    const sum = (series: Uint32Array): number =>
      series.subarray(from, to).reduce((total, count) => total + count, 0);
    waiting -= sum(bins.served);
    steps.push({
      second: round(from * grain),
      sent: sum(bins.sent),
      returning: sum(bins.returning),
      granted: sum(bins.granted),
      failed: sum(bins.failed),
      peak: bins.peak.subarray(from, to).reduce((high, count) => Math.max(high, count), 0),
      waiting,
      longestWait: round(bins.longest.subarray(from, to).reduce((high, wait) => Math.max(high, wait), 0)),
    });
  }
  return { stepSeconds: round(merged * grain), steps };
}

const ROUND = [1, 2, 5, 10] as const;

/** The next of 0.1, 0.2, 0.5, 1, 2, 5, 10 … */
function roundUp(seconds: number): number {
  const power = 10 ** Math.floor(Math.log10(seconds) + 1e-9);
  return round((ROUND.find((factor) => factor * power >= seconds - 1e-9) ?? 10) * power);
}

function round(value: number): number {
  return Math.round(value * 1e6) / 1e6;
}
