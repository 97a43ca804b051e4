import type { KillMatrix } from './kill-matrix.ts';

/** A kill matrix without a trial. */
export const SAMPLE_KILL_MATRIX: KillMatrix = {
  schemaVersion: 1,
  kind: 'prove',
  verdict: 'proven',
  startedAt: '2026-11-22T12:00:00.000Z',
  durationSeconds: 1,
  suite: { version: '0.1.0', specVersion: '1.0.0' },
  by: ['checks'],
  realTimeKeys: null,
  explored: null,
  underlying: [],
  seed: null,
  onlyOwn: false,
  bail: false,
  trials: [],
  smallest: [],
};
