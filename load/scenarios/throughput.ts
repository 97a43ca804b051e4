import { keysForLoad } from '../load-keys.ts';
import { measure, type Measured } from '../measure.ts';
import { mixOf } from '../request-mix.ts';
import type { LoadScenario } from '../scenario.ts';
import { keepsConnections } from '../connection-probe.ts';
import { resultOf } from './steady.ts';

const WARM_UP_MILLISECONDS = 500;

/** As much as the target takes: each connection sends again when it is answered. */
export const throughput: LoadScenario = {
  id: 'throughput',
  title: 'As many requests as the target takes',
  uses: ['duration', 'connections', 'writes', 'rounds', 'maxRate'],
  defaults: { duration: 10, connections: 100, maxRate: 100_000 },
  thresholds: ['errors<0.1%'],
  announce: ({ duration, maxRate, rounds }) => Math.ceil(rounds * duration * maxRate),
  run: async (context) => {
    const { session, parameters, listener } = context;
    const { duration, connections, writes, rounds, maxRate } = parameters;
    const keys = await keysForLoad(session, maxRate * 60);
    const mix = mixOf(session, keys.cycle, writes);
    const keepsAlive = await keepsConnections(session, mix);
    const measured: Measured[] = [];
    for (let round = 1; round <= rounds && !context.signal.aborted; round += 1) {
      listener.onPhase(rounds === 1 ? 'measuring' : `round ${round} of ${rounds}`, duration);
      measured.push(
        await measure(
          context,
          {
            model: 'closed',
            connections,
            seconds: duration,
            source: {
              kind: 'cycles',
              keepsAlive,
              // Each connection begins elsewhere, so that all keys and operations are under way at any time.
              requests: (connection) => {
                const begin = Math.floor((connection * mix.length) / connections);
                return [...mix.slice(begin), ...mix.slice(0, begin)];
              },
            },
          },
          { warmUpMilliseconds: WARM_UP_MILLISECONDS },
        ),
      );
    }
    const notes = keepsAlive ? [] : ['The target closes its connections, so each request opened a new one.'];
    return resultOf(measured, notes);
  },
};
