/** What one rate showed: `unsure` if the generator, not the target, may have fallen behind. */
export type RateOutcome = 'held' | 'failed' | 'unsure';

type SearchPhase = 'step' | 'bisect' | 'confirm';

interface SearchBounds {
  /** The first rate that is tried. */
  readonly from: number;
  /** The highest rate that may be tried. */
  readonly ceiling: number;
}

const GROWTH = 2;
// How close the bounds of the search are in the end.
const RESOLUTION = 0.02;
const MOST_STEPS = 40;
const BACK_OFF = 0.98;
// A rate that fails while it is confirmed was near the limit; lower ones are tried this often.
const MOST_CONFIRMATIONS = 6;
const LEAST_RATE = 1;

/**
 * Searches for the highest rate that holds: doubles the rate until one does not, halves the gap until it is small, and
 * confirms what it found.
 * @param attempt tries a rate
 * @param isOver whether to give up, asked before each attempt
 */
export async function searchCapacity(
  { from, ceiling }: SearchBounds,
  attempt: (rate: number, phase: SearchPhase) => Promise<RateOutcome>,
  isOver: () => boolean,
) {
  let low = 0;
  let high = Number.POSITIVE_INFINITY;
  let generatorFailsAt = Number.POSITIVE_INFINITY;
  const holds = async (rate: number, phase: SearchPhase): Promise<boolean> => {
    const outcome = await attempt(rate, phase);
    generatorFailsAt = outcome === 'unsure' ? Math.min(generatorFailsAt, rate) : generatorFailsAt;
    return outcome === 'held';
  };
  let rate = Math.min(from, ceiling);
  for (let steps = 0; steps < MOST_STEPS && !isOver(); steps += 1) {
    if (await holds(rate, Number.isFinite(high) ? 'bisect' : 'step')) {
      low = rate;
    } else {
      high = rate;
    }
    const isNarrow = Number.isFinite(high) && high - low <= Math.max(LEAST_RATE, RESOLUTION * high);
    if (low >= ceiling || isNarrow) {
      break;
    }
    rate = Number.isFinite(high) ? (low + high) / 2 : Math.min(ceiling, rate * GROWTH);
  }
  let confirmed: number | null = null;
  for (let tries = 0; confirmed === null && tries < MOST_CONFIRMATIONS; tries += 1) {
    if (low < LEAST_RATE || isOver()) {
      break;
    }
    if (await holds(low, 'confirm')) {
      confirmed = low;
    } else {
      high = low;
      low *= BACK_OFF;
    }
  }
  // Above a rate at which the target failed, it does not matter that the generator failed.
  const isGenerator = Number.isFinite(generatorFailsAt) && generatorFailsAt <= high;
  return {
    /** The highest rate that was confirmed, in requests a second; `null` if none was. */
    confirmed,
    /** The lowest rate that the generator could not make, if that ended the search and not the target. */
    generatorEndedAt: isGenerator ? generatorFailsAt : null,
    /** Whether even the ceiling held. */
    reachedCeiling: confirmed !== null && confirmed >= ceiling,
  };
}
