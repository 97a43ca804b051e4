import { requestsInTrail } from '../../contract/trail.ts';
import { type Cause, groupByCause, listCauses } from './causes.ts';
import type { Report, ReportedCause, ReportedRequirement } from './report.ts';
import { isBinding } from './requirement-groups.ts';

/** What a reader looks for first; a requirement is in at most one list. */
export interface Attention {
  /** Failures that decide the verdict, by cause, with what else follows from them. */
  readonly failures: readonly Cause[];
  /** The other failures of a level that does not decide the verdict, by cause. */
  readonly advice: readonly Cause[];
  /** Failures that the baseline expects. */
  readonly expected: readonly ReportedRequirement[];
  /** Failures of what is newer than the set of requirements that the run was judged by. */
  readonly newer: readonly ReportedRequirement[];
  readonly inconclusive: readonly ReportedRequirement[];
  readonly skipped: readonly ReportedRequirement[];
}

/** The requirements that did not pass, by why they need attention. */
export function attention(report: Pick<Report, 'requirements' | 'level'>): Attention {
  const failed = report.requirements.filter(({ outcome }) => outcome === 'fail');
  const unexpected = simplestFirst(
    failed.filter(({ expectedFailure, newer }) => expectedFailure !== true && newer !== true),
  );
  const decides = (row: ReportedRequirement): boolean => isBinding(report, row);
  const causes = groupByCause(
    [...unexpected.filter(decides), ...unexpected.filter((row) => !decides(row))],
    decides,
  );
  return {
    failures: causes.filter(({ root }) => decides(root)),
    advice: causes.filter(({ root }) => !decides(root)),
    expected: failed.filter(({ expectedFailure }) => expectedFailure === true),
    newer: failed.filter(({ expectedFailure, newer }) => expectedFailure !== true && newer === true),
    inconclusive: report.requirements.filter(({ outcome }) => outcome === 'inconclusive'),
    skipped: report.requirements.filter(({ outcome }) => outcome === 'skipped'),
  };
}

/** The unexpected failures, each root before what follows from it, with the root that a follower has. */
export function listedFailures(
  report: Pick<Report, 'requirements' | 'level'>,
): readonly { readonly row: ReportedRequirement; readonly root: string | null }[] {
  const { failures, advice } = attention(report);
  return listCauses([...failures, ...advice]);
}

/** The causes as the JSON report has them. */
export function reportCauses(report: Pick<Report, 'requirements' | 'level'>): readonly ReportedCause[] {
  const { failures, advice } = attention(report);
  return [...failures, ...advice].map(({ root, followers }) => ({
    requirement: root.id,
    explains: followers.map(({ id }) => id),
  }));
}

/**
 * Failures with the likely cause first: first what single responses show, in order of how many do; then what takes
 * several requests, the fewest first. Ties keep the order of the register.
 */
function simplestFirst(failures: readonly ReportedRequirement[]): readonly ReportedRequirement[] {
  return failures.toSorted(
    (left, right) => shareOf(right) - shareOf(left) || requestsOf(left) - requestsOf(right),
  );
}

function shareOf({ tally }: ReportedRequirement): number {
  return tally?.of === 'responses' && tally.judged !== null && tally.judged > 0
    ? tally.violated / tally.judged
    : 0;
}

/** Requests of the simplest finding, of those that were kept. */
function requestsOf({ findings }: ReportedRequirement): number {
  return Math.min(
    Number.MAX_SAFE_INTEGER,
    ...findings.map(({ trail }) => (trail?.takesSeveral === true ? requestsInTrail(trail) : 1)),
  );
}
