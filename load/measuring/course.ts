import type { RateStretch } from '../engine/arrivals.ts';
import { keysForLoad } from './load-keys.ts';
import { measure, withRampUp, type Measured, type MeasureOptions } from './measure.ts';
import { mixOf } from './request-mix.ts';
import type { ScenarioContext } from '../scenario.ts';

/** The highest rate of a course, in requests a second. */
export function peakOf(course: readonly RateStretch[]): number {
  return Math.max(...course.flatMap(({ from, to }) => [from, to]));
}

/**
 * Measures a course of the rate once, in the open model and after a ramp up, with the usual mix of requests.
 * Issued keys are fresh each time, since earlier ones may still have requests under way in the target.
 */
export async function measureCourse(
  context: ScenarioContext,
  course: readonly RateStretch[],
  {
    seed = context.parameters.seed,
    peakRate = peakOf(course),
    ...options
  }: Omit<MeasureOptions, 'warmUpMilliseconds'> & {
    readonly seed?: number;
    /** What the keys have to hold; the course's own peak where it is not given. */
    readonly peakRate?: number;
  } = {},
): Promise<Measured> {
  const { session, parameters } = context;
  const { rampUp, arrivals, connections, writes } = parameters;
  const keys = await keysForLoad(session, Math.ceil(peakRate * 60));
  const mix = mixOf(session, keys.cycle, writes);
  const { stretches, warmUpMilliseconds } = withRampUp(course, rampUp);
  return measure(
    context,
    {
      model: 'open',
      stretches,
      process: arrivals,
      seed,
      connections,
      mix,
    },
    { ...options, warmUpMilliseconds },
  );
}
