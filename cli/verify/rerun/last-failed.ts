import { ConfigurationError } from '../../../contract/configuration-error.ts';
import { countText } from '../../../reports/index.ts';
import type { Selection } from '../../../suites/verify/index.ts';
import { readReportFile } from '../../shared/files/report-file.ts';
import type { LastFailed } from './last-failed-option.ts';
import { openAfter, selectOpen } from './open-requirements.ts';
import { recallRun, type RememberedRun } from './remembered-run.ts';

/** What a run selects, and what the user has to know of it. */
export interface RerunSelection {
  readonly selection: Selection | null;
  readonly notice: string;
}

/**
 * Selects what failed or stayed open last, among what the run would judge anyway. If nothing did, that is everything.
 * @throws {ConfigurationError} if the report cannot be read, or is not of `verify`
 */
export function selectLastFailed(
  { report }: LastFailed,
  identity: string,
  asked: { readonly selection: Selection | null; readonly level: 'must' | 'should' },
): RerunSelection {
  const last = report === null ? recallRun(identity) : runOfReport(report);
  if (last === null) {
    return {
      selection: asked.selection,
      notice: 'No earlier run against this target is known, so everything runs.',
    };
  }
  const when = `the last run (${last.endedAt.slice(0, 19).replace('T', ' ')} UTC)`;
  const open = selectOpen(last.open, asked);
  return open === null
    ? { selection: asked.selection, notice: `Nothing failed or stayed open in ${when}, so everything runs.` }
    : {
        selection: open.selection,
        notice: `Judging what failed or stayed open in ${when}: ${countText(open.requirements, 'requirement')}.`,
      };
}

function runOfReport(path: string): RememberedRun {
  const named = `--last-failed ${path}`;
  const report = readReportFile(path, named);
  if (report.kind !== 'verify') {
    throw new ConfigurationError(`${named} is a report of ${report.kind}, and not of verify`);
  }
  return { endedAt: report.startedAt, open: openAfter([], report) };
}
