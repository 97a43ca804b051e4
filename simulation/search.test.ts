import { expect, test } from 'vitest';

import { clientChanges, ranked, serverChanges, trialOf } from './search.ts';
import { startStorm, type Storm } from './storm.ts';
import { CALM } from './storm.test-data.ts';

/** Exact clients that all come back in one second, for which the service needs twenty. */
const CROWD: Storm = {
  ...CALM,
  clients: 400,
  requestsEach: 4,
  arrivalSeconds: 30,
  timeoutSeconds: 60,
  durationSeconds: 600,
  limits: { perMinute: 3, perDay: 1_000 },
  service: { workers: 2, serviceSeconds: 0.02, refusalShare: 0.5, queue: null },
};

const ALIGNED = serverChanges(CROWD, {}).find(({ policy }) => policy.startsWith('windows at whole minutes'));

function tryAll(storm: Storm, changes: ReturnType<typeof serverChanges>) {
  return ranked(
    changes.map((change) => {
      const changed = change.apply(storm);
      const running = startStorm(changed);
      while (running.advance(10_000));
      return trialOf(change, changed, running, 0.5);
    }),
  );
}

test('a server that brings all clients back at once is beaten by one that spreads them', () => {
  const storm = ALIGNED?.apply(CROWD) ?? CROWD;
  const trials = tryAll(storm, serverChanges(storm, {}));
  const given = trials.find(({ isGiven }) => isGiven);
  expect(given?.holds).toBe(false);
  expect(trials[0]?.holds).toBe(true);
  expect(trials[0]?.outcome.longestWait.returning).toBeLessThanOrEqual(0.5);
  const firstBeyond = trials.findIndex(({ holds }) => !holds);
  expect(trials.slice(firstBeyond).every(({ holds }) => !holds)).toBe(true);
});

test('a client with jitter does better against it than an exact one', () => {
  const storm = ALIGNED?.apply(CROWD) ?? CROWD;
  const trials = tryAll(storm, clientChanges(storm));
  expect(trials.find(({ isGiven }) => isGiven)?.policy).toBe('exact');
  expect(trials[0]?.policy).toMatch(/^jitter:/);
  expect(trials[0]?.holds).toBe(true);
});
