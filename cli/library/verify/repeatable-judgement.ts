import type { Trail } from '../../../contract/trail.ts';
import { EXPLORE, type Finding } from '../../../contract/verdict.ts';
import type { ReportedRequirement } from '../../../reports/index.ts';
import type { Judgement } from '../../../suites/oracle/index.ts';
import type { WholeRunRecord } from '../../../suites/target/index.ts';
import type { RunResult } from '../../../suites/verify/index.ts';
import { explorationLine, FIRST_CHECK, repeatLine, type Repetition } from '../repetition.ts';
import { countResponses } from '../reported-requirement.ts';

/** Each finding of a violation with its place in what all checks did. */
export function inWholeRun(judgement: Judgement, wholeRun: WholeRunRecord | null): Judgement {
  if (wholeRun === null || judgement.outcome !== 'fail') {
    return judgement;
  }
  const findings = judgement.findings.map((finding) => {
    const { trail } = finding;
    const place = trail === undefined ? undefined : wholeRun.placeOf(trail);
    return trail === undefined || place === undefined
      ? finding
      : { ...finding, trail: { ...trail, inWholeRun: place } };
  });
  return { ...judgement, findings };
}

/** Whether other checks may have had a part in one of its findings. */
export function isPartOfMore({ findings }: ReportedRequirement): boolean {
  return findings.some(({ trail }) => trail?.inWholeRun !== undefined);
}

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
    withAttempts(finding, violated / (judged ?? violated)),
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

/** What shows now and then may take some tries. @param share of the answers that show it */
function withAttempts(finding: Finding, share: number): Finding {
  const { trail } = finding;
  if (trail === undefined || share > 0.5 || !dependsOnOneAnswer(trail)) {
    return finding;
  }
  const requests = requestsOf(trail);
  const wanted = Math.ceil(ENOUGH / (share * answersJudged(trail)));
  const most = Math.min(MOST_ATTEMPTS, Math.ceil(MOST_REQUESTS_IN_ALL / requests));
  return {
    ...finding,
    trail: { ...trail, attempts: Math.max(trail.attempts, Math.min(most, wanted)) },
  };
}

/** Of how many answers any may show the fault. */
function answersJudged(trail: Trail): number {
  const { expectation } = trail;
  if (expectation?.expect === 'status' && 'oneOf' in expectation) {
    return expectation.answers.reduce((sum, [from, to]) => sum + to - from + 1, 0);
  }
  const isOfAll =
    expectation?.expect === 'form' || (expectation?.expect === 'field' && expectation.answer === null);
  return isOfAll ? requestsOf(trail) : 1;
}

/** What a limit or the inventory shows depends on all that was sent, and comes again with it. */
function dependsOnOneAnswer({ expectation }: Trail): boolean {
  return (
    expectation !== null && ['status', 'field', 'number', 'near reset', 'form'].includes(expectation.expect)
  );
}

function requestsOf({ steps }: Trail): number {
  return steps
    .flatMap((step) => (step.do === 'send' ? step.requests : []))
    .reduce((sum, { times }) => sum + times, 0);
}
