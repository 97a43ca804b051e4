import type { Outcome } from '../../contract/verdict.ts';
import type { AnyVerdict } from '../model/report.ts';

/** A sign for each outcome, so that colour is never the only mark. */
export const OUTCOME_SIGN: Readonly<Record<Outcome, string>> = {
  pass: '✓',
  fail: '✗',
  inconclusive: '?',
  skipped: '–',
  observed: '○',
};

/** The outcome whose sign and colour a verdict has. */
export const VERDICT_OUTCOME = {
  conformant: 'pass',
  certified: 'pass',
  nonconformant: 'fail',
  'not-certified': 'fail',
  inconclusive: 'inconclusive',
} as const satisfies Readonly<Record<AnyVerdict, Outcome>>;

export function verdictSign(verdict: AnyVerdict): string {
  return OUTCOME_SIGN[VERDICT_OUTCOME[verdict]];
}
