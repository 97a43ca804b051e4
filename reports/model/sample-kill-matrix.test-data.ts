import type { KillMatrix, TrialResult } from './kill-matrix.ts';

/** A fault that was caught. */
export const CAUGHT_TRIAL: TrialResult = {
  variants: [],
  fault: { id: 'list-as-text', title: 'The list is sent as text', breaks: 'content-type-json' },
  profile: 'safe',
  outcome: 'caught',
  shownBy: ['list'],
  shrunkTo: null,
  verdict: 'nonconformant',
  observed: null,
  failed: [{ id: 'content-type-json', message: 'Content-Type is text/plain.' }],
  first: 'content-type-json',
  undeclared: [],
  undecided: [],
  requests: 86,
  durationSeconds: 1,
};

/** A fault that was caught, and one that was not. */
export const SAMPLE_KILL_MATRIX: KillMatrix = {
  schemaVersion: 1,
  kind: 'prove',
  verdict: 'not-proven',
  startedAt: '2026-11-22T12:00:00.000Z',
  durationSeconds: 2,
  suite: { version: '0.1.0', specVersion: '1.0.0' },
  by: 'checks',
  realTimeKeys: null,
  explored: null,
  underlying: [],
  bail: false,
  trials: [
    CAUGHT_TRIAL,
    {
      ...CAUGHT_TRIAL,
      fault: { id: 'list-as-object', title: 'The list is sent as an object', breaks: 'list-succeeds' },
      outcome: 'missed',
      shownBy: [],
      failed: [],
      first: null,
    },
  ],
};
