import { requestsInTrail } from '../../../contract/trail.ts';
import { EXPLORE, type Finding } from '../../../contract/verdict.ts';
import type { Judgement } from '../../../suites/oracle/index.ts';
import type { RunResult } from '../../../suites/verify/index.ts';
import { explorationLine, FIRST_CHECK, repeatLine, type Repetition } from '../repetition.ts';
import { countResponses } from '../reported-requirement.ts';

interface RepetitionContext {
  /** How a check is run again from a shell; findings have no such line if it is absent. */
  readonly repetition?: Repetition;
  readonly level: 'must' | 'should';
}

/** Each finding with the tries that its trail takes, and the line that runs its check again. */
export function repeatable(
  judgement: Judgement,
  { plan: { exploration } }: Pick<RunResult, 'plan'>,
  { repetition, level }: RepetitionContext,
): Judgement {
  const { id, outcome, tallies } = judgement;
  const { violated, judged, of } = countResponses(tallies);
  const findings = judgement.findings.map((finding) =>
    of === 'responses' ? withAttempts(finding, violated / (judged ?? violated)) : finding,
  );
  if (repetition === undefined) {
    return { ...judgement, findings };
  }
  // What shows in few responses may not show in those of one check.
  const isRare = outcome === 'fail' && of === 'responses' && violated < (judged ?? 0) / 4;
  const lineFor = (finding: Finding): Finding => ({
    ...finding,
    repeat:
      finding.check === EXPLORE && exploration !== null
        ? explorationLine(repetition, id, exploration, level)
        : repeatLine(repetition, id, isRare ? null : (finding.check ?? FIRST_CHECK), level),
  });
  return { ...judgement, findings: findings.map(lineFor) };
}

const MOST_ATTEMPTS = 20;
const MOST_REQUESTS_IN_ALL = 1_000;
// At random, one in twenty is missed then.
const ENOUGH = 3;

/** What shows in some responses only may take some tries. @param share of the responses that show it */
function withAttempts(finding: Finding, share: number): Finding {
  const { trail } = finding;
  if (trail?.isOracles !== true || share > 0.5) {
    return finding;
  }
  const requests = requestsInTrail(trail);
  const wanted = Math.ceil(ENOUGH / (share * requests));
  const most = Math.min(MOST_ATTEMPTS, Math.ceil(MOST_REQUESTS_IN_ALL / requests));
  return {
    ...finding,
    trail: { ...trail, attempts: Math.max(trail.attempts, Math.min(most, wanted)) },
  };
}
