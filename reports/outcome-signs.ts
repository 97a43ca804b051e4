import type { Outcome } from '../contract/verdict.ts';
import type { Verdict } from './report.ts';

/** A sign for each outcome, so that colour is never the only mark. */
export const OUTCOME_SIGN: Readonly<Record<Outcome, string>> = {
  pass: '✓',
  fail: '✗',
  inconclusive: '?',
  skipped: '–',
  observed: '○',
};

export const VERDICT_SIGN: Readonly<Record<Verdict, string>> = {
  conformant: '✓',
  nonconformant: '✗',
  inconclusive: '?',
};
