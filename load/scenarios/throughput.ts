import { keysForLoad } from '../measuring/load-keys.ts';
import { measure, type Measured } from '../measuring/measure.ts';
import { mixOf } from '../measuring/request-mix.ts';
import type { LoadScenario } from '../scenario.ts';
import { probeConnection, PROBES } from '../engine/connection-probe.ts';
import { resultOf } from './steady.ts';

const WARM_UP_MILLISECONDS = 500;
const NEAR_CEILING = 0.9;

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
    Math.ceil(rounds * (duration * maxRate + connections)) + PROBES,
  run: async (context) => {
    const { session, parameters, listener } = context;
    const { duration, connections, writes, rounds, maxRate } = parameters;
    const freshMix = async () => mixOf(session, (await keysForLoad(session, maxRate * 60)).cycle, writes);
    const behaviour = await probeConnection(session, await freshMix());
    let { keepsAlive } = behaviour;
    const measureRound = async (): Promise<Measured> => {
      return measure(
        context,
        {
          model: 'closed',
          connections,
          seconds: duration,
          maxRate,
          source: 'mix',
          mix: await freshMix(),
          behaviour: { ...behaviour, keepsAlive },
        },
        { warmUpMilliseconds: WARM_UP_MILLISECONDS },
      );
    };
    const measured: Measured[] = [];
    for (let round = 1; round <= rounds && !context.signal.aborted; round += 1) {
      listener.onPhase(rounds === 1 ? 'measuring' : `round ${round} of ${rounds}`, duration);
      const first = await measureRound();
      // Some close a connection only after many requests, as nginx does after a thousand; others break down.
      const isCutShort = first.closesConnections && keepsAlive;
      keepsAlive &&= !isCutShort;
      measured.push(isCutShort ? await measureRound() : first);
    }
    const notes = [
      ...(keepsAlive
        ? []
        : [
            'Connections to the target did not last, so a slower generator sent the load, which opens new ones.',
          ]),
      ...(measured.some(({ measurement }) => measurement.achievedRate >= NEAR_CEILING * maxRate)
        ? [`The ceiling of ${maxRate}/s limited the load, not the target; --max-rate raises it.`]
        : []),
    ];
    return resultOf(measured, notes);
  },
};
