import { expect, test } from 'vitest';

import type { Fate } from './judge-mutant.ts';
import type { JudgedMutant } from './judge-mutants.ts';
import { reasonAbout, type SurvivalReason, type SurvivalReasons } from './reason.ts';
import { summariseMutants } from './summary.ts';

function judged(change: string, fate: Fate): JudgedMutant {
  const mutant = { id: '1', file: 'service/a.ts', line: 1, declaration: 'f', mutator: 'Any', change };
  return { mutant, fate, profile: 'safe', shown: [], death: null, seconds: 1 };
}

function reasonsFor(kind: SurvivalReason['kind'], ...mutants: readonly string[]): SurvivalReasons {
  return { 'service/a.ts f': [{ kind, why: 'Nobody can tell.', mutants }] };
}

const MUTANTS = [judged('a → b', 'must'), judged('a → c', 'survived')];
const KNOWN = MUTANTS.map(({ mutant }) => mutant);

test('every mutant that is not killed needs a reason, and no other may have one', () => {
  const fitting = reasonAbout(MUTANTS, KNOWN, reasonsFor('equivalent', 'a → c'));
  expect(fitting).toMatchObject({ unexplained: [], stale: [] });
  expect(fitting.results.map(({ reason }) => reason?.why)).toEqual([undefined, 'Nobody can tell.']);

  const missing = reasonAbout(MUTANTS, KNOWN, {});
  expect(missing.unexplained.map(({ mutant }) => mutant.change)).toEqual(['a → c']);

  const killed = reasonAbout(MUTANTS, KNOWN, reasonsFor('equivalent', 'a → b', 'a → c'));
  expect(killed.stale).toEqual(['service/a.ts f: a → b (it is killed)']);

  const gone = reasonAbout(MUTANTS, KNOWN, reasonsFor('equivalent', 'a → c', 'a → d'));
  expect(gone.stale).toEqual(['service/a.ts f: a → d (there is no such mutant)']);
});

test('what is found by chance may be killed', () => {
  const reasons = reasonsFor('by chance', 'a → b', 'a → c');
  expect(reasonAbout(MUTANTS, KNOWN, reasons)).toMatchObject({ unexplained: [], stale: [] });
});

test('the reason of a mutant that was not judged is not stale', () => {
  const reasons = reasonsFor('permitted', 'a → c');
  expect(reasonAbout(MUTANTS.slice(0, 1), KNOWN, reasons)).toMatchObject({ unexplained: [], stale: [] });
});

test.for(['died', 'inconclusive', 'cut off', 'not reached'] as const)('%s is not killed', (fate) => {
  const results = [judged('a → b', fate)];
  const reasoning = reasonAbout(results, KNOWN, {});
  expect(reasoning.unexplained).toEqual([expect.objectContaining({ fate })]);
  expect(summariseMutants(reasoning)).toContain('service/a.ts f, line 1: a → b');
});

test('one reason serves all mutants of a declaration that no request reaches', () => {
  const reasons = {
    'service/a.ts f': [{ kind: 'outside', why: 'Nobody calls.', mutants: 'not reached' }],
  } as const;
  const results = [judged('a → b', 'not reached'), judged('a → c', 'survived')];
  const { unexplained, stale } = reasonAbout(results, KNOWN, reasons);
  expect(unexplained.map(({ mutant }) => mutant.change)).toEqual(['a → c']);
  expect(stale).toEqual([]);
});
