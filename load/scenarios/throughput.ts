import type { LoadMeasurement } from '../../contract/load-result.ts';
import { keysForLoad, mixOf } from '../measuring/load-mix.ts';
import { measure, type Measured } from '../measuring/measure.ts';
import type { LoadScenario } from '../scenario.ts';
import { measureRounds, resultOf } from './steady.ts';

const WARM_UP_MILLISECONDS = 500;
const NEAR_CEILING = 0.9;
const MOST_OF_THE_TIME = 0.5;
// One that shares its processors with others seems to wait at times, when it is only not being run.
const BUSY_SHARE = 0.75;

/** As much as the target takes: each connection sends again when it is answered. */
export const throughput: LoadScenario = {
  id: 'throughput',
  title: 'As many requests as the target can answer',
  isUsual: true,
  divisible: true,
  uses: ['duration', 'connections', 'threads', 'writes', 'rounds', 'maxRate'],
  defaults: { duration: 10, connections: 100, maxRate: 100_000 },
  thresholds: ['errors<0.1%'],
  announce: ({ duration, maxRate, rounds, connections }) =>
    Math.ceil(rounds * (duration * maxRate + connections)),
  run: async (context) => {
    const { session, parameters } = context;
    const { duration, connections, writes, maxRate } = parameters;
    const measured = await measureRounds(context, duration, async () => {
      const { cycle } = await keysForLoad(session, maxRate * 60);
      const mix = mixOf(session, cycle, writes);
      return measure(
        context,
        { model: 'closed', connections, seconds: duration, maxRate, source: 'mix', mix },
        { warmUpMilliseconds: WARM_UP_MILLISECONDS },
      );
    });
    const notes = new Set(
      measured.filter(({ measurement }) => measurement.answered > 0).map((one) => limitText(one, maxRate)),
    );
    return resultOf(measured, [...notes]);
  },
};

interface Reached extends Pick<Measured, 'busyShare' | 'waitedShare'> {
  readonly measurement: Pick<LoadMeasurement, 'achievedRate'>;
}

/** Which limit the rate met. */
export function limitText({ measurement, busyShare, waitedShare }: Reached, maxRate: number): string {
  if (measurement.achievedRate >= NEAR_CEILING * maxRate) {
    return `The ceiling of ${maxRate}/s limited the rate, not the target; --max-rate raises it.`;
  }
  if (waitedShare > MOST_OF_THE_TIME) {
    return `The ceiling of ${maxRate}/s limited the rate most of the time; the rest is missing because the target or the generator stood still now and then, for longer than is made up for.`;
  }
  return busyShare < BUSY_SHARE
    ? 'The target limited the rate: the generator waited for it.'
    : 'The generator was busy, or had no processor, most of the time, so it may have limited the rate, not the target. --threads shares the load among several; give them a machine of their own.';
}
