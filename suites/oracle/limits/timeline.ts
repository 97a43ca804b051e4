/** A stretch of time; milliseconds of the timekeeper. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

export type Timeline = ReturnType<typeof openTimeline>;

interface Bucket {
  from: number;
  to: number;
  /** When it was begun. */
  readonly since: number;
  /** Requests in it. */
  size: number;
  /** Totals of all buckets before this one. */
  readonly surelyBefore: number;
  readonly perhapsBefore: number;
}

// A bucket that does not begin a stretch is counted as a whole or not at all.
const BUCKETS_A_STRETCH = 512;
// It holds a small part of all, so that the first are told apart well.
const LARGEST_SHARE = 1 / 64;

const fromAt = (buckets: readonly Bucket[], index: number): number => buckets[index]?.from ?? Infinity;
const toAt = (buckets: readonly Bucket[], index: number): number => buckets[index]?.to ?? Infinity;

/**
 * The first bucket of which a bound is at least `moment`, or beyond it; both bounds never fall from one bucket to the next.
 */
function firstBucket(
  buckets: readonly Bucket[],
  boundAt: typeof fromAt,
  moment: number,
  beyond = false,
): number {
  let low = 0;
  let high = buckets.length;
  // A stretch begins most often before all that is kept, and ends near its end.
  if (boundAt(buckets, 0) > moment) {
    return 0;
  }
  for (let step = 1; step < high; step *= 4) {
    const value = boundAt(buckets, high - step);
    if (value < moment || (beyond && value === moment)) {
      low = high - step + 1;
      break;
    }
    high -= step;
  }
  while (low < high) {
    const middle = (low + high) >>> 1;
    const value = boundAt(buckets, middle);
    if (value > moment || (!beyond && value === moment)) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

/** One that took long reaches back behind others. */
function reachBack(buckets: readonly Bucket[], from: number): void {
  for (let index = buckets.length - 2; index >= 0; index -= 1) {
    const bucket = buckets[index];
    if (bucket === undefined || bucket.from <= from) {
      break;
    }
    bucket.from = from;
  }
}

function allSure(bucket: Bucket): Bucket {
  return { ...bucket, surelyBefore: bucket.surelyBefore + bucket.perhapsBefore, perhapsBefore: 0 };
}

/**
 * How many requests of a key counted lately. Requests close to one another share a bucket, so that memory is bounded;
 * whatever is asked for is then a bound that holds for each of them.
 * @param kept milliseconds after which a request is forgotten
 */
export function openTimeline(kept: number) {
  const width = kept / BUCKETS_A_STRETCH;
  let buckets: Bucket[] = [];
  let surely = 0;
  let perhaps = 0;
  let mostBuckets = 4 * BUCKETS_A_STRETCH;

  const totalBefore = (index: number): number => {
    const bucket = buckets[index];
    return bucket === undefined ? surely + perhaps : bucket.surelyBefore + bucket.perhapsBefore;
  };

  const surelyBefore = (bucket: number): number => buckets[bucket]?.surelyBefore ?? surely;
  const surelyBetween = (begin: number, end: number): number =>
    begin >= end ? 0 : surelyBefore(end) - surelyBefore(begin);

  const forget = (moment: number): void => {
    if (buckets.length > mostBuckets) {
      buckets = buckets.slice(firstBucket(buckets, toAt, moment));
      mostBuckets = Math.max(4 * BUCKETS_A_STRETCH, 2 * buckets.length);
    }
  };

  return {
    /** Adds requests in the order in which their responses came. */
    add: ({ from, to }: Span, counts: 'surely' | 'perhaps', requests = 1): void => {
      const last = buckets.at(-1);
      const isFull =
        last === undefined ||
        to > last.since + width ||
        last.size + requests > (surely + perhaps) * LARGEST_SHARE;
      if (isFull) {
        forget(to - kept);
        const before = { surelyBefore: surely, perhapsBefore: perhaps };
        buckets.push({ from, to, since: to, size: requests, ...before });
      } else {
        last.size += requests;
        last.from = Math.min(last.from, from);
        last.to = Math.max(last.to, to);
      }
      reachBack(buckets, from);
      surely += counts === 'surely' ? requests : 0;
      perhaps += counts === 'perhaps' ? requests : 0;
    },
    /** From now on, each one that may have counted is known to have done so. */
    settle: (): void => {
      buckets = perhaps === 0 ? buckets : buckets.map(allSure);
      surely += perhaps;
      perhaps = 0;
    },
    /** At least so many counted in this stretch. */
    atLeast: (from: number, to: number): number => {
      return surelyBetween(firstBucket(buckets, fromAt, from), firstBucket(buckets, toAt, to, true));
    },
    /** At most so many counted for certain in it. */
    surelyAtMost: (from: number, to: number): number => {
      return surelyBetween(firstBucket(buckets, toAt, from), firstBucket(buckets, fromAt, to, true));
    },
    /** At most so many counted in it. */
    atMost: (from: number, to: number): number => {
      const begin = firstBucket(buckets, toAt, from);
      const end = firstBucket(buckets, fromAt, to, true);
      return begin >= end ? 0 : totalBefore(end) - totalBefore(begin);
    },
    /** At least so many counted in all. */
    atLeastInAll: (): number => surely,
    /** The earliest moment not before `from` at which one that surely counted may have been decided. */
    firstSince: (from: number): number => buckets[firstBucket(buckets, fromAt, from)]?.from ?? Infinity,
    /** When the latest one that may have counted was decided, at the latest. */
    latest: (): number => buckets.at(-1)?.to ?? Number.NEGATIVE_INFINITY,
  };
}
