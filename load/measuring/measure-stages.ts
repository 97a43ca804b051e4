import { peakRateOf, type RateStage } from '../engine/arrivals.ts';
import { keysForLoad } from './load-keys.ts';
import { measure, withRampUp, type Measured, type MeasureOptions } from './measure.ts';
import { mixOf } from './request-mix.ts';
import type { ScenarioContext } from '../scenario.ts';

/**
 * Measures stages of the rate once, in the open model and after a ramp up, with the usual mix of requests.
 * Issued keys are fresh each time, since earlier ones may still have requests under way in the target.
 */
export async function measureStages(
  context: ScenarioContext,
  stages: readonly RateStage[],
  {
    seed = context.parameters.seed,
    peakRate = peakRateOf(stages),
    ...options
  }: Omit<MeasureOptions, 'warmUpMilliseconds'> & {
    readonly seed?: number;
    /** The rate that the keys have to allow; the peak of the stages by default. */
    readonly peakRate?: number;
  } = {},
): Promise<Measured> {
  const { session, parameters } = context;
  const { rampUp, arrivals, connections, writes } = parameters;
  const keys = await keysForLoad(session, Math.ceil(peakRate * 60));
  const mix = mixOf(session, keys.cycle, writes);
  const { stages: whole, warmUpMilliseconds } = withRampUp(stages, rampUp);
  return measure(
    context,
    {
      model: 'open',
      stages: whole,
      process: arrivals,
      seed,
      connections,
      mix,
    },
    { ...options, warmUpMilliseconds },
  );
}
