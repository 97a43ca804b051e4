import { SERVER_REQUIREMENTS, type RequirementId } from '../../../contract/requirements/index.ts';
import type { Outcome } from '../../../contract/verdict.ts';
import type { ReportedRequirement, VerifyReport } from '../../../reports/index.ts';
import { CHECKS, nameOfCheck, readSelection, type Selection } from '../../../suites/verify/index.ts';

/** A requirement that failed, or stayed inconclusive, and the checks that showed it. */
export interface OpenRequirement {
  readonly id: string;
  readonly outcome: Extract<Outcome, 'fail' | 'inconclusive'>;
  /** `null` if every check that may show it has to run again. */
  readonly checks: readonly string[] | null;
}

/** What is open after a run: its own rows, and of the others what was open before. */
export function openAfter(
  before: readonly OpenRequirement[],
  { requirements }: Pick<VerifyReport, 'requirements'>,
): readonly OpenRequirement[] {
  const judged = new Set(requirements.flatMap(({ id, outcome }) => (outcome === 'skipped' ? [] : [id])));
  return [...before.filter(({ id }) => !judged.has(id)), ...requirements.flatMap(openRow)];
}

/** A failure that the baseline expects is not open. */
function openRow(row: ReportedRequirement): readonly OpenRequirement[] {
  const { id, outcome, expectedFailure } = row;
  return (outcome === 'fail' && expectedFailure !== true) || outcome === 'inconclusive'
    ? [{ id, outcome, checks: checksThatShowed(row) }]
    : [];
}

function checksThatShowed({ findings, tally }: ReportedRequirement): readonly string[] | null {
  const shown = new Set(findings.map(({ check }) => CHECKS.find(({ id }) => id === check)?.id));
  // What shows in few responses may not show in those of one check.
  const isRare = tally?.of === 'responses' && tally.violated < (tally.judged ?? 0) / 4;
  const known = [...shown].filter((id) => id !== undefined);
  return isRare || known.length === 0 || known.length < shown.size ? null : known;
}

/**
 * Selects what is open among what a run would judge anyway.
 * @returns `null` if nothing is
 */
export function selectOpen(
  open: readonly OpenRequirement[],
  { selection, level }: { readonly selection: Selection | null; readonly level: 'must' | 'should' },
): { readonly selection: Selection; readonly requirements: number } | null {
  const rows = open.flatMap(({ id, checks }) => {
    const row = SERVER_REQUIREMENTS.find((one) => one.id === id);
    return row !== undefined &&
      (row.level === 'must' || row.level === level) &&
      (selection?.requirement(row.id) ?? true)
      ? [{ id: row.id, checks }]
      : [];
  });
  if (rows.length === 0) {
    return null;
  }
  const ids = new Set<RequirementId>(rows.map(({ id }) => id));
  const checks = rows.map((row) => row.checks);
  const named = CHECKS.filter(({ id }) => checks.some((shown) => shown?.includes(id)));
  // Beside a check that is named, others do not run for what any exchange may show.
  const patterns = [...ids, ...(checks.includes(null) ? [] : named.map(nameOfCheck))];
  const chosen = readSelection(patterns, '--last-failed');
  if (chosen === null) {
    return null;
  }
  const words = [...(selection?.words ?? []), '--last-failed'];
  return { selection: { ...chosen, words, requirement: (id) => ids.has(id) }, requirements: ids.size };
}

/** A report with what an earlier one says of the requirements that it did not judge itself. */
export function withEarlier(earlier: VerifyReport, report: VerifyReport): VerifyReport {
  const judged = new Map(
    report.requirements.filter(({ outcome }) => outcome !== 'skipped').map((row) => [row.id, row]),
  );
  const known = new Set(earlier.requirements.map(({ id }) => id));
  return {
    ...report,
    requirements: [
      ...earlier.requirements.map((row) => judged.get(row.id) ?? row),
      ...report.requirements.filter(({ id }) => !known.has(id)),
    ],
  };
}
