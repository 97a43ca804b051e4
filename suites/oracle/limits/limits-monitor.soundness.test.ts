import * as fc from 'fast-check';
import { expect, test } from 'vitest';

import { openOracle } from '../oracle.ts';
import { followServerClock } from '../server-clock.ts';
import type { OracleJudgement } from '../history-monitor.ts';
import { limitsMonitor } from './limits-monitor.ts';
import { anyPermittedLimiter } from './permitted-limiters.test-data.ts';
import { anyClients, play } from './played-history.test-data.ts';

const RUNS = { numRuns: 400 };

test('nothing that a permitted limiter answers is accused, whatever its clients do', () => {
  fc.assert(
    fc.property(anyPermittedLimiter, anyClients, fc.integer(), (model, clients, seed) => {
      const clock = followServerClock();
      clock.learnFromControl(model.skew, 0, 0);
      const oracle = openOracle(clock, [limitsMonitor]);
      const accusations: OracleJudgement[] = [];
      play(model, clients, seed, (event) => {
        accusations.push(...oracle.accept(event).filter(({ holds }) => !holds));
      });
      expect(accusations.map(({ id, message }) => `${id}: ${message}`)).toEqual([]);
    }),
    RUNS,
  );
});
