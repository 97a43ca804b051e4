import { expect, test } from 'vitest';

import type { TrialResult } from '../../reports/index.ts';
import { mergeKnownFaults } from './faults.ts';

const CATALOGUE = [
  { id: 'cut-off', breaks: 'list-complete' },
  { id: 'never-ends', breaks: 'ban-ends' },
];

const BEFORE = {
  'cut-off': { breaks: 'list-complete', withControl: ['explore', 'list'], withoutControl: ['list'] },
  gone: { breaks: 'list-complete', withControl: ['list'], withoutControl: [] },
};

function trial(id: string, shownBy: readonly string[]): TrialResult {
  return {
    variants: [],
    fault: { id, title: id, breaks: 'list-complete' },
    profile: 'full',
    outcome: 'caught',
    caughtBy: ['checks'],
    shownBy,
    observed: null,
    shrunkTo: null,
    verdict: 'nonconformant',
    failed: [],
    first: null,
    undeclared: [],
    undecided: [],
    requests: 1,
    durationSeconds: 1,
  };
}

test('a matrix replaces what was known of its source alone', () => {
  const merged = mergeKnownFaults(
    BEFORE,
    [
      { by: ['checks'], realTimeKeys: null, trials: [trial('cut-off', ['updates'])] },
      { by: ['checks'], realTimeKeys: ['free'], trials: [trial('cut-off', [])] },
    ],
    CATALOGUE,
  );
  expect(merged['cut-off']).toEqual({
    breaks: 'list-complete',
    withControl: ['explore', 'updates'],
    withoutControl: [],
  });
});

test('the exploration replaces itself alone', () => {
  const merged = mergeKnownFaults(
    BEFORE,
    [{ by: ['explore'], realTimeKeys: null, trials: [trial('cut-off', [])] }],
    CATALOGUE,
  );
  expect(merged['cut-off']?.withControl).toEqual(['list']);
});

test('faults come from the catalogue: a new one is entered, one that is gone is left out', () => {
  const matrix = { by: ['checks'] as const, realTimeKeys: null, trials: [trial('never-ends', ['ban'])] };
  expect(Object.keys(mergeKnownFaults(BEFORE, [matrix], CATALOGUE))).toEqual(['cut-off', 'never-ends']);
});
