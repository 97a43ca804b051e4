import { requirement } from '../contract/requirements.ts';
import type { ReportedRequirement } from '../reports/report.ts';
import type { Judgement } from '../suites/judgements.ts';

/** A row of the register with what a run holds of it. */
export function reportRequirement(judgement: Judgement): ReportedRequirement {
  const { id, outcome, evidence, findings, reason, judgedBy } = judgement;
  const { level, area, statement, clause, reading } = requirement(id);
  return {
    id,
    level,
    area,
    outcome,
    title: statement,
    clause,
    ...(reading === undefined ? {} : { reading }),
    ...(reason === null ? {} : { reason }),
    evidence,
    checks: judgedBy,
    findings,
  };
}
