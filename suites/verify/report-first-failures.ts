import { requirement, type RequirementId } from '../../contract/requirements/index.ts';
import type { Level } from '../../contract/verdict.ts';
import type { Judgements } from '../oracle/index.ts';

/** A requirement that has failed, as soon as that is known. */
export interface SeenFailure {
  readonly id: RequirementId;
  readonly level: Level;
  /** Of the first finding. */
  readonly message: string;
}

/** The judgements, which also report the first failure of each requirement. */
export function reportingFirstFailures(
  judgements: Judgements,
  report: (failure: SeenFailure) => void,
): Judgements {
  const reported = new Set<RequirementId>();
  return {
    ...judgements,
    fail: (by, id, finding) => {
      judgements.fail(by, id, finding);
      if (!reported.has(id)) {
        reported.add(id);
        report({ id, level: requirement(id).level, message: finding.message });
      }
    },
  };
}
