import { setTimeout as pause } from 'node:timers/promises';

import type { CapacityStep, LoadMeasurement } from '../../contract/load-result.ts';
import { searchCapacity, type RateOutcome } from '../measuring/capacity-search.ts';
import { measureStages, maxRequestsOf, type Measured } from '../measuring/measure.ts';
import { failedCount, toTenth } from '../figures/request-counts.ts';
import { EMPTY_RESULT, type LoadScenario, type ScenarioContext } from '../scenario.ts';
import { judgeThreshold } from '../judging/thresholds.ts';

// How long a target that was overloaded gets to recover.
const REST_MILLISECONDS = 500;
const STEP_SHARE = 0.4;
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
    maxRequestsOf([{ from: maxRate, to: maxRate, seconds: duration }], rampUp) * 6,
  run: async (context) => {
    const { parameters, listener } = context;
    const { maxRate, duration } = parameters;
    const steps: CapacityStep[] = [];
    const brief = Math.max(1, duration * STEP_SHARE);
    const all: Measured[] = [];
    // The lowest rate that did not meet the objective, and why.
    let limit: { readonly rate: number; readonly missed: readonly string[] } | null = null;
    const limitText = (): readonly string[] =>
      limit === null
        ? []
        : [`At ${toTenth(limit.rate)}/s the target did not meet the objective: ${limit.missed.join('; ')}.`];
    const isOver = (): boolean => context.signal.aborted || all.at(-1)?.isUsedUp === true;
    const attempt = async (rate: number, phase: string): Promise<RateOutcome> => {
      const seconds = phase === 'confirm' ? duration : brief;
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
      { from: parameters.rate, ceiling: maxRate },
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
        ...(confirmed === null ? [] : (last?.notes ?? [])),
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

/** What a rate misses of the objective: the thresholds, none of which may be in doubt, and what was due answered in time. */
function missedBy({ thresholds }: ScenarioContext, measurement: LoadMeasurement): readonly string[] {
  const { goodput, scheduledRate } = measurement;
  const subject = { measurements: [measurement], capacity: null };
  const crossed = thresholds
    .filter(({ measure }) => measure.name !== 'capacity')
    .filter((rule) => judgeThreshold(rule, subject).outcome !== 'pass')
    .map(({ expression }) => expression);
  return goodput >= LEAST_ACHIEVED_SHARE * scheduledRate
    ? crossed
    : [...crossed, `${toTenth(goodput)}/s of ${toTenth(scheduledRate)}/s were answered 2xx in time`];
}
