import { setTimeout as pause } from 'node:timers/promises';

import type { CapacityStep, LoadMeasurement } from '../../contract/load-result.ts';
import { measureCourse } from '../course.ts';
import { requestsOf, type Measured } from '../measure.ts';
import { failedCount } from '../request-counts.ts';
import { NOTHING, type LoadScenario, type ScenarioContext } from '../scenario.ts';
import { judgeThreshold } from '../thresholds.ts';

const GROWTH = 2;
// The bounds of the search are this close in the end.
const RESOLUTION = 0.02;
const MOST_STEPS = 40;
// A target that was overloaded gets this long to come to rest.
const REST_MILLISECONDS = 500;
const STEP_SHARE = 0.4;
const BACK_OFF = 0.98;
// What fails while it is confirmed was near the limit; further below is tried this often.
const MOST_CONFIRMATIONS = 6;

interface Attempt extends Measured {
  readonly held: boolean;
}

// A generator that fell behind once may have been held up by something else on its machine.
const MOST_TRIES = 3;

/**
 * The highest rate that keeps the objective, which is what its thresholds say together with an achieved rate that
 * does not fall behind: doubles the rate until it fails, halves the gap until it is small, and measures what it
 * found again for the whole duration.
 */
export const capacity: LoadScenario = {
  id: 'capacity',
  title: 'The highest rate that keeps the objective',
  uses: ['rate', 'duration', 'rampUp', 'connections', 'arrivals', 'writes', 'maxRate', 'seed'],
  defaults: { rate: 100, duration: 8, rampUp: 0.5, connections: 128 },
  thresholds: ['p99<100ms', 'errors<0.1%'],
  announce: ({ duration, maxRate, rampUp }) =>
    requestsOf([{ from: maxRate, to: maxRate, seconds: duration }], rampUp) * 6,
  run: async (context) => {
    const { parameters, listener } = context;
    const { maxRate, duration } = parameters;
    const steps: CapacityStep[] = [];
    /** The lowest rate at which it was the generator that fell behind. */
    let generatorFailsAt = Number.POSITIVE_INFINITY;
    const attempt = async (rate: number, seconds: number, phase: string): Promise<Attempt> => {
      for (let tries = 1; ; tries += 1) {
        listener.onPhase(`${phase} at ${Math.round(rate)}/s`, seconds + parameters.rampUp);
        const measured = await measureCourse(context, [{ from: rate, to: rate, seconds }], {
          peakRate: maxRate,
        });
        const { measurement } = measured;
        const held = keepsObjective(context, measurement);
        steps.push({
          rate,
          achievedRate: measurement.achievedRate,
          p99: measurement.responseTime.p99,
          errorShare: measurement.scheduled === 0 ? 0 : failedCount(measurement) / measurement.scheduled,
          held,
          phase,
        });
        await pause(held ? 0 : REST_MILLISECONDS);
        const isUnsure = !held && measurement.invalid.length > 0;
        if (!isUnsure || tries === MOST_TRIES || context.signal.aborted) {
          generatorFailsAt = isUnsure ? Math.min(generatorFailsAt, rate) : generatorFailsAt;
          return { ...measured, held };
        }
      }
    };
    const brief = Math.max(1, duration * STEP_SHARE);
    let low = 0;
    let high = Number.POSITIVE_INFINITY;
    let last: Measured | undefined;
    for (
      let rate = Math.min(parameters.rate, maxRate);
      steps.length < MOST_STEPS && !context.signal.aborted;
    ) {
      const measured = await attempt(rate, brief, Number.isFinite(high) ? 'bisect' : 'step');
      last = measured;
      if (measured.held) {
        low = rate;
        if (rate >= maxRate) {
          break;
        }
      } else {
        high = rate;
      }
      if (Number.isFinite(high) && high - low <= Math.max(1, RESOLUTION * high)) {
        break;
      }
      rate = Number.isFinite(high) ? (low + high) / 2 : Math.min(maxRate, rate * GROWTH);
    }
    let confirmed: Measured | null = null;
    for (let tries = 0; low >= 1 && tries < MOST_CONFIRMATIONS && !context.signal.aborted; tries += 1) {
      const measured = await attempt(low, duration, 'confirm');
      last = measured;
      if (measured.held) {
        confirmed = measured;
        break;
      }
      high = low;
      low *= BACK_OFF;
    }
    const isGenerator = Number.isFinite(generatorFailsAt) && generatorFailsAt <= high;
    const isFloor = confirmed !== null && (low >= maxRate || isGenerator);
    return {
      ...NOTHING,
      measurements:
        confirmed === null ? (last === undefined ? [] : [last.measurement]) : [confirmed.measurement],
      capacity: confirmed === null ? null : low,
      isCapacityFloor: isFloor,
      capacitySteps: steps,
      notes: [
        ...(low >= maxRate
          ? [`The objective still held at the ceiling of ${maxRate}/s; --max-rate raises it.`]
          : []),
        ...(confirmed?.notes ?? []),
      ],
      inconclusive: context.signal.aborted
        ? 'The search was interrupted before it had found the capacity.'
        : isGenerator
          ? `The generator, not the target, ended the search at ${Math.round(generatorFailsAt)}/s, so the capacity may be higher: ${last?.measurement.invalid[0] ?? 'it fell behind.'}`
          : null,
    };
  },
};

// What is asked for arrives, up to what is still under way at the end.
const LEAST_ACHIEVED_SHARE = 0.98;

/** The thresholds hold, none is in doubt, and the target kept up: what was due was answered in its time. */
function keepsObjective({ thresholds }: ScenarioContext, measurement: LoadMeasurement): boolean {
  const subject = { measurements: [measurement], capacity: null };
  const keepsUp = measurement.goodput >= LEAST_ACHIEVED_SHARE * measurement.scheduledRate;
  return (
    keepsUp &&
    thresholds
      .filter(({ measure }) => measure.name !== 'capacity')
      .every((rule) => judgeThreshold(rule, subject).outcome === 'pass')
  );
}
