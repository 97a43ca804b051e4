import type { ReportedRequirement } from './report.ts';

/**
 * Failures with the likely cause first: what single responses show, the more of them the earlier, before what takes
 * several requests, the fewer the earlier. What is alike stays in the order of the register.
 */
export function simplestFirst(failures: readonly ReportedRequirement[]): readonly ReportedRequirement[] {
  return failures.toSorted(
    (left, right) => shareOf(right) - shareOf(left) || requestsOf(left) - requestsOf(right),
  );
}

function shareOf({ tally }: ReportedRequirement): number {
  return tally?.of === 'responses' && tally.judged !== null && tally.judged > 0
    ? tally.violated / tally.judged
    : 0;
}

/** Requests that the simplest finding took, as far as they were kept. */
function requestsOf({ findings }: ReportedRequirement): number {
  return Math.min(
    Number.MAX_SAFE_INTEGER,
    ...findings.map(({ steps = [] }) =>
      Math.max(
        1,
        steps.reduce((sum, { count, omittedBefore = 0 }) => sum + count + omittedBefore, 0),
      ),
    ),
  );
}
