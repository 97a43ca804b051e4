import type { TrialResult } from '../../../reports/index.ts';
import type { Trial } from './trials.ts';

const VERDICTS = { clean: 'conformant', accused: 'nonconformant', undecided: 'inconclusive' } as const;

/** What came of a server without a fault, in as few words as a result has. */
export function conformantResult({ variants }: Trial, outcome: keyof typeof VERDICTS): TrialResult {
  return {
    variants: variants.map(({ id, title }) => ({ id, title })),
    fault: null,
    profile: 'full',
    outcome,
    caughtBy: [],
    shownBy: [],
    observed: null,
    shrunkTo: null,
    verdict: VERDICTS[outcome],
    failed: [],
    first: null,
    undeclared: [],
    undecided: [],
    requests: 0,
    durationSeconds: 0,
  };
}
