import type { Outcome } from '../../contract/verdict.ts';

/** A must in a report, of which nothing but its outcome matters. */
export function requirementRow(id: string, outcome: Outcome) {
  return {
    id,
    level: 'must' as const,
    area: '',
    outcome,
    title: '',
    clause: '',
    evidence: 1,
    checks: [],
    findings: [],
  };
}
