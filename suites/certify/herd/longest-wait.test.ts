import * as fc from 'fast-check';
import { expect, test } from 'vitest';

import { DAY_SECONDS } from '../../../contract/plans.ts';
import { boundsOf, nextWaits } from './longest-wait.ts';

/** Plays a client that begins to wait for so long at most, until nothing is left to try. */
function search(most: number, jobs: number): { readonly rounds: number; readonly begun: number } {
  const trials = [DAY_SECONDS].map((seconds) => trialOf(seconds, most));
  for (let rounds = 1; ; rounds += 1) {
    const next = nextWaits(trials, jobs);
    if (next.length === 0) {
      return { rounds, begun: boundsOf(trials).begun };
    }
    trials.push(...next.map((seconds) => trialOf(seconds, most)));
  }
}

function trialOf(seconds: number, most: number) {
  return { seconds, conduct: seconds <= most ? ('waits' as const) : ('gives up' as const) };
}

const jobs = fc.integer({ min: 1, max: 16 });

test('the longest wait is found to the second, whatever it is', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: DAY_SECONDS }), jobs, (most, count) => {
      expect(search(most, count).begun).toBe(most);
    }),
  );
});

test('few rounds find the usual ones', () => {
  for (const most of [0, 10, 30, 60, 300, 3_600]) {
    expect(search(most, 8).rounds).toBeLessThanOrEqual(7);
    expect(search(most, 1).rounds).toBeLessThanOrEqual(25);
  }
  expect(search(DAY_SECONDS, 8).rounds).toBe(1);
});

test('a wait that is declined below others is what counts', () => {
  const trials = [trialOf(10, 60), trialOf(100, 60), trialOf(1_000, 2_000)];
  expect(boundsOf(trials)).toEqual({ begun: 10, declined: 100 });
});
