import { expect, test } from 'vitest';

import type { ContainerState } from './engine.ts';
import { readinessOf } from './start-image.ts';

const RUNNING: ContainerState = {
  running: true,
  exitCode: 0,
  health: null,
  healthOutput: '',
};

test.each<[string, Partial<ContainerState> & { answers?: boolean }, ReturnType<typeof readinessOf>]>([
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
])('%s', (_rule, { answers = false, ...difference }, readiness) => {
  expect(readinessOf({ ...RUNNING, ...difference }, answers)).toEqual(readiness);
});
