import { expect, test, describe } from 'vitest';

import type { ContainerState } from './engine.ts';
import { readinessOf, lastLines } from './start-image.ts';

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

const asItIs = (text: string): string => text;

describe('the last lines of a log', () => {
  test('are none if nothing was printed', () => {
    expect(lastLines('\n\n', asItIs)).toEqual([]);
  });

  test('are at most twelve', () => {
    const lines = Array.from({ length: 40 }, (_, index) => `line ${index + 1}`);
    const shown = lastLines(lines.join('\n'), asItIs);
    expect(shown).toEqual(lines.slice(28));
  });

  test('hold no secrets, and nothing that acts on a terminal', () => {
    const log = 'key SECRET \u001B[31mred\n';
    expect(lastLines(log, (text) => text.replaceAll('SECRET', 'free#1'))).toEqual([
      String.raw`key free#1 \u001b[31mred`,
    ]);
  });
});
