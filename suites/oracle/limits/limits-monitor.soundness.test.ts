import * as fc from 'fast-check';
import { expect, test } from 'vitest';

import type { HistoryEvent } from '../history.ts';
import { openOracle } from '../oracle.ts';
import { followServerClock } from '../server-clock.ts';
import { limitsMonitor } from './limits-monitor.ts';
import { anyPermittedLimiter, type PermittedLimiter } from './permitted-limiters.test-data.ts';
import { anyClients, play, type PlayedClient } from './played-history.test-data.ts';

const RUNS = { numRuns: Number(process.env['SOUNDNESS_RUNS'] ?? 200) };

/** What the oracle says against a limiter, by what `hear` lets it know. */
function accusations(
  model: PermittedLimiter,
  clients: readonly PlayedClient[],
  seed: number,
  hear: (event: HistoryEvent) => readonly HistoryEvent[] = (event) => [event],
): readonly string[] {
  const clock = followServerClock();
  clock.learnFromControl(model.skew, 0, 0);
  const oracle = openOracle(clock, [limitsMonitor]);
  const said: string[] = [];
  play(model, clients, seed, (event) => {
    for (const heard of hear(event)) {
      const against = oracle.accept(heard).filter(({ holds }) => !holds);
      said.push(...against.map(({ id, message }) => `${id}: ${message}`));
    }
  });
  return said;
}

test('nothing that a permitted limiter answers is accused, whatever its clients do', () => {
  fc.assert(
    fc.property(anyPermittedLimiter, anyClients, fc.integer(), (model, clients, seed) => {
      expect(accusations(model, clients, seed)).toEqual([]);
    }),
    RUNS,
  );
});

test('nor if the history begins in the middle, or lacks a part', () => {
  const anyCut = fc.tuple(fc.nat(200), fc.nat(100));
  fc.assert(
    fc.property(
      anyPermittedLimiter,
      anyClients,
      fc.integer(),
      anyCut,
      (model, clients, seed, [from, length]) => {
        let number = 0;
        const unheard = new Set<number>();
        const hear = (event: HistoryEvent): readonly HistoryEvent[] => {
          if (event.type === 'key-known') {
            return [{ ...event, key: { ...event.key, usedToday: from === 0 ? null : event.key.usedToday } }];
          }
          number += 1;
          if (event.type === 'request-sent' && number > from && number <= from + length) {
            unheard.add(event.id);
            // A history that begins in the middle has no gap.
            return from === 0 ? [] : [{ type: 'gap', at: event.at }];
          }
          return 'id' in event && unheard.has(event.id) ? [] : [event];
        };
        expect(accusations(model, clients, seed, hear)).toEqual([]);
      },
    ),
    RUNS,
  );
});
