import { expect, test } from 'vitest';

import { readinessOf, type ContainerState } from './readiness.ts';

const RUNNING: ContainerState = {
  running: true,
  exitCode: 0,
  health: null,
  healthOutput: '',
  answers: false,
};

test.each<[string, Partial<ContainerState>, ReturnType<typeof readinessOf>]>([
  ['an answer is enough without a health check', { answers: true }, { state: 'ready' }],
  ['health and an answer', { health: 'healthy', answers: true }, { state: 'ready' }],
  [
    'health without an answer is not enough',
    { health: 'healthy' },
    { state: 'waiting', why: 'nothing answers HTTP on its port' },
  ],
  [
    'an answer without health is not enough',
    { health: 'starting', answers: true },
    { state: 'waiting', why: 'it is not healthy yet' },
  ],
  [
    'who is unhealthy may still get healthy',
    { health: 'unhealthy', answers: true, healthOutput: 'status 503\n' },
    { state: 'waiting', why: 'it is unhealthy; its last health check said: status 503' },
  ],
  [
    'the end is final',
    { running: false, exitCode: 9, health: 'unhealthy' },
    { state: 'ended', why: 'it exited with code 9 before it was ready' },
  ],
])('%s', (_rule, difference, readiness) => {
  expect(readinessOf({ ...RUNNING, ...difference })).toEqual(readiness);
});
