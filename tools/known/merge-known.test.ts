import { describe, expect, test } from 'vitest';

import type { TrialResult } from '../../reports/index.ts';
import { CAUGHT_TRIAL } from '../../reports/model/sample-kill-matrix.test-data.ts';
import { mergeKnownClients, mergeKnownFaults } from './merge-known.ts';

describe('known faults', () => {
  const CATALOGUE = [
    { id: 'cut-off', breaks: 'list-complete' },
    { id: 'never-ends', breaks: 'ban-ends' },
  ];

  const BEFORE = {
    'cut-off': { breaks: 'list-complete', withControl: ['explore', 'list'], withoutControl: ['list'] },
    gone: { breaks: 'list-complete', withControl: ['list'], withoutControl: [] },
  };

  test('a matrix replaces what was known of its source alone', () => {
    const merged = mergeKnownFaults(
      BEFORE,
      [
        { by: 'checks', realTimeKeys: null, trials: [trial('cut-off', ['updates'])] },
        { by: 'checks', realTimeKeys: ['free'], trials: [trial('cut-off', [])] },
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
      [{ by: 'explore', realTimeKeys: null, trials: [trial('cut-off', [])] }],
      CATALOGUE,
    );
    expect(merged['cut-off']?.withControl).toEqual(['list']);
  });

  test('faults come from the catalogue: a new one is entered, one that is gone is left out', () => {
    const matrix = { by: 'checks' as const, realTimeKeys: null, trials: [trial('never-ends', ['ban'])] };
    expect(Object.keys(mergeKnownFaults(BEFORE, [matrix], CATALOGUE))).toEqual(['cut-off', 'never-ends']);
  });
});

describe('known faulty clients', () => {
  const CATALOGUE = [
    { id: 'fetch.ts', expected: 'certified' },
    { id: 'faulty hammers', expected: 'not-certified', breaks: 'client-waits' },
    { id: 'faulty hangs', expected: 'not-certified', breaks: 'client-completes', met: 'exec' },
    { id: 'faulty new', expected: 'not-certified', breaks: 'client-operation' },
  ] as const;

  const BEFORE = {
    'faulty hammers': { breaks: 'client-avoids-ban', driver: 'any', shownBy: ['limited-date'] },
    'faulty hangs': { breaks: 'client-completes', driver: 'exec', shownBy: ['list'] },
    'faulty gone': { breaks: 'client-waits', driver: 'any', shownBy: ['list'] },
  };

  test('what prove showed replaces what was known, of the clients that it had', () => {
    const proof = {
      clients: [
        { id: 'fetch.ts', shownBy: [] },
        { id: 'faulty hammers', shownBy: ['limited-seconds'] },
      ],
    };
    expect(mergeKnownClients(BEFORE, [proof], CATALOGUE)).toEqual({
      'faulty hammers': { breaks: 'client-waits', driver: 'any', shownBy: ['limited-seconds'] },
      'faulty hangs': { breaks: 'client-completes', driver: 'exec', shownBy: ['list'] },
    });
  });

  test.each([[{}], [{ clients: ['x'] }], [{ clients: [{ id: 'x' }] }]])('does not take %j', (proof) => {
    expect(() => mergeKnownClients(BEFORE, [proof], CATALOGUE)).toThrow(SyntaxError);
  });
});

function trial(id: string, shownBy: readonly string[]): TrialResult {
  return { ...CAUGHT_TRIAL, fault: { id, title: id, breaks: 'list-complete' }, shownBy };
}
