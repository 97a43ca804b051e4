import { ConfigurationError } from '../../contract/configuration-error.ts';
import { SERVER_REQUIREMENTS, type RequirementId } from '../../contract/requirements/index.ts';
import { countText, type ReportedRequirement, type VerifyReport } from '../../reports/index.ts';
import { CHECKS, nameOfCheck, readSelection, type Selection } from '../../suites/verify/index.ts';
import { readReportFile } from '../shared/files/report-file.ts';

/** A requirement that failed, or stayed inconclusive, and the checks that showed it. */
export interface OpenRequirement {
  readonly id: string;
  /** `null` if every check that may show it has to run again. */
  readonly checks: readonly string[] | null;
}

/** What a run would judge anyway. */
interface Asked {
  readonly selection: Selection | null;
  readonly level: 'must' | 'should';
}

/**
 * Selects what failed or stayed open in a report, among what the run would judge anyway. If nothing did, that is everything.
 * @throws {ConfigurationError} if the report cannot be read, or is not of `verify`
 */
export function selectLastFailed(
  path: string,
  asked: Asked,
): { readonly selection: Selection | null; readonly notice: string } {
  const named = `--last-failed ${path}`;
  const report = readReportFile(path, named);
  if (report.kind !== 'verify') {
    throw new ConfigurationError(`${named} is a report of ${report.kind}, and not of verify`);
  }
  const open = selectOpen(openRequirements(report), asked);
  return open === null
    ? { selection: asked.selection, notice: `Nothing failed or stayed open in ${path}, so everything runs.` }
    : {
        selection: open.selection,
        notice: `Judging what failed or stayed open in ${path}: ${countText(open.requirements, 'requirement')}.`,
      };
}

/** What is open after a run. A failure that the baseline expects is not open. */
export function openRequirements({
  requirements,
}: Pick<VerifyReport, 'requirements'>): readonly OpenRequirement[] {
  return requirements
    .filter(
      ({ outcome, expectedFailure }) =>
        (outcome === 'fail' && expectedFailure !== true) || outcome === 'inconclusive',
    )
    .map((row) => ({ id: row.id, checks: checksThatShowed(row) }));
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
  { selection, level }: Asked,
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
