import { setTimeout as pause } from 'node:timers/promises';

import { countText } from '../../contract/words/enumeration.ts';
import type { CapacityStep, LoadMeasurement } from '../../contract/load-result.ts';
import { measureStages, maxRequestsOf, type Measured } from '../measuring/measure.ts';
import { failedCount, toTenth } from '../figures/request-counts.ts';
import { EMPTY_RESULT, type LoadScenario, type ScenarioContext } from '../scenario.ts';
import { judgeThreshold } from '../judging/thresholds.ts';

// How long a target that was overloaded gets to recover.
const REST_MILLISECONDS = 500;
const STEP_SHARE = 0.4;
// More than are needed, since random arrivals may be fewer than are expected.
const MARGIN = 1.25;
const LONGEST_STEP_SECONDS = 60;
// Those that are so slow that p99 needs them longer.
const LONG_STEPS = 20;
const LONG_STEP_REQUESTS = 300 * MARGIN;
// Something else on its machine may have delayed a generator that fell behind once.
const MOST_TRIES = 3;

/**
 * The highest rate that meets the objective, which is its thresholds together with an achieved rate that
 * does not fall behind: doubles the rate until it fails, halves the gap until it is small, and measures what it
 * found again for the whole duration.
 */
export const capacity: LoadScenario = {
  id: 'capacity',
  title: 'The highest rate that meets the objective',
  divisible: true,
  uses: ['rate', 'duration', 'rampUp', 'connections', 'threads', 'arrivals', 'writes', 'maxRate', 'seed'],
  defaults: { rate: 100, duration: 8, rampUp: 0.5, connections: 128 },
  thresholds: ['p99<100ms', 'errors<0.1%'],
  announce: ({ duration, maxRate, rampUp }) =>
    maxRequestsOf([{ from: maxRate, to: maxRate, seconds: duration }], rampUp) * 6 +
    LONG_STEPS * LONG_STEP_REQUESTS,
  run: async (context) => {
    const { parameters, listener, thresholds } = context;
    const { maxRate, duration } = parameters;
    const steps: CapacityStep[] = [];
    const brief = Math.max(1, duration * STEP_SHARE);
    const requests = MARGIN * answersFor(thresholds);
    const least = requests / Math.max(LONGEST_STEP_SECONDS, duration);
    const all: Measured[] = [];
    // The lowest rate that did not meet the objective, and why.
    let limit: { readonly rate: number; readonly missed: readonly string[] } | null = null;
    const limitText = (): readonly string[] =>
      limit === null
        ? []
        : [`At ${toTenth(limit.rate)}/s the target did not meet the objective: ${limit.missed.join('; ')}.`];
    const isOver = (): boolean => context.signal.aborted || all.at(-1)?.isUsedUp === true;
    const attempt = async (rate: number, phase: string): Promise<RateOutcome> => {
      const seconds = Math.max(phase === 'confirm' ? duration : brief, requests / rate);
      for (let tries = 1; ; tries += 1) {
        listener.onPhase(`${phase} at ${toTenth(rate)}/s`, seconds + parameters.rampUp);
        const measured = await measureStages(context, [{ from: rate, to: rate, seconds }], {
          peakRate: maxRate,
        });
        const { measurement } = measured;
        all.push(measured);
        const missed = missedBy(context, measurement);
        const held = missed.length === 0;
        steps.push({
          rate,
          achievedRate: measurement.goodput,
          p99: measurement.responseTime.p99,
          errorShare: measurement.scheduled === 0 ? 0 : failedCount(measurement) / measurement.scheduled,
          held,
          phase,
        });
        if (held) {
          return 'held';
        }
        await pause(REST_MILLISECONDS);
        const isUnsure = measurement.invalid.length > 0;
        if (!isUnsure && (limit === null || rate <= limit.rate)) {
          limit = { rate, missed };
        }
        if (!isUnsure || tries === MOST_TRIES || isOver()) {
          return isUnsure ? 'unsure' : 'failed';
        }
      }
    };
    const { confirmed, generatorEndedAt, reachedCeiling } = await searchCapacity(
      { from: parameters.rate, least, ceiling: maxRate },
      attempt,
      isOver,
    );
    // If a rate was confirmed, it was the last one tried.
    const last = all.at(-1);
    return {
      ...EMPTY_RESULT,
      measurements: last === undefined ? [] : [last.measurement],
      // While requests pile up more slowly than the objective shows, more are due than are answered.
      capacity: confirmed === null ? null : Math.min(confirmed, last?.measurement.goodput ?? confirmed),
      isCapacityFloor: reachedCeiling || (confirmed !== null && generatorEndedAt !== null),
      capacitySteps: steps,
      notes: [
        ...(reachedCeiling
          ? [`The objective still held at the ceiling of ${maxRate}/s; --max-rate raises it.`]
          : []),
        ...(reachedCeiling || generatorEndedAt !== null ? [] : limitText()),
        ...(confirmed === null ? lowestText(least, requests) : (last?.notes ?? [])),
      ],
      inconclusive: context.signal.aborted
        ? 'The search was interrupted before it had found the capacity.'
        : last?.isUsedUp === true
          ? (last.measurement.invalid[0] ?? null)
          : generatorEndedAt === null
            ? null
            : `The generator, not the target, ended the search at ${toTenth(generatorEndedAt)}/s, so the capacity may be higher: ${last?.measurement.invalid[0] ?? 'it fell behind.'}`,
    };
  },
};

// All requests are answered, except for those still under way at the end.
const LEAST_ACHIEVED_SHARE = 0.98;

/** How many answers tell whether a rate keeps the thresholds. */
function answersFor(thresholds: ScenarioContext['thresholds']): number {
  return Math.max(1, ...thresholds.map(({ measure }) => measure.answers ?? 1));
}

/** Why no lower rate was tried. */
function lowestText(least: number, requests: number): readonly string[] {
  return least > LEAST_RATE
    ? [
        `No rate below ${toTenth(least)}/s was tried: a step would be too short for the ${Math.round(requests)} requests that its objective needs. A longer --duration allows lower ones.`,
      ]
    : [];
}

/** What a rate misses of the objective: the thresholds, none of which may be in doubt, and what was due answered in time. */
function missedBy({ thresholds }: ScenarioContext, measurement: LoadMeasurement): readonly string[] {
  const { goodput, scheduledRate } = measurement;
  const subject = { measurements: [measurement], capacity: null };
  const crossed = thresholds
    .filter(({ measure }) => measure.name !== 'capacity')
    .filter((rule) => judgeThreshold(rule, subject).outcome !== 'pass')
    .map(({ expression }) => expression);
  const needed = answersFor(thresholds);
  if (measurement.answered < needed) {
    return [`${countText(measurement.answered, 'answer')} of the ${needed} that tell it`];
  }
  return goodput >= LEAST_ACHIEVED_SHARE * scheduledRate
    ? crossed
    : [...crossed, `${toTenth(goodput)}/s of ${toTenth(scheduledRate)}/s were answered 2xx in time`];
}

/** What one rate showed: `unsure` if the generator, not the target, may have fallen behind. */
export type RateOutcome = 'held' | 'failed' | 'unsure';

type SearchPhase = 'step' | 'bisect' | 'confirm';

interface SearchBounds {
  /** The first rate that is tried. */
  readonly from: number;
  /** The lowest rate that can be told; 1 by default. */
  readonly least?: number;
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
  { from, least = LEAST_RATE, ceiling }: SearchBounds,
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
  const lowest = Math.max(least, LEAST_RATE);
  let rate = Math.min(Math.max(from, lowest), ceiling);
  for (let steps = 0; steps < MOST_STEPS && rate >= lowest && !isOver(); steps += 1) {
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
    if (low < lowest || isOver()) {
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
