import { ConfigurationError } from '../../contract/configuration-error.ts';
import { findRequirement, type RequirementId } from '../../contract/requirements/index.ts';
import { closestName } from '../../contract/words/closest-name.ts';
import { type Report, repeatableFindings, type RepeatableFinding } from '../../reports/index.ts';
import { readReportFile } from '../shared/files/report-file.ts';
import { buildHistoryReport, readHistory } from '../verify/traffic-report.ts';

/** A finding to repeat, of a requirement that this version knows. */
export type FindingToReplay = RepeatableFinding & { readonly requirement: RequirementId };

/** What a report says failed, or a history once it is judged again. */
function readReportOrHistory(path: string): Report {
  const history = readHistory(path, path);
  return history === null
    ? readReportFile(path, path)
    : buildHistoryReport(history, {
        level: 'should',
        baseline: new Map(),
        startedAt: new Date(),
        durationSeconds: 0,
      });
}

/**
 * Reads a finding with its trail.
 * @param path a report as JSON, a folder of `--report`, or a history of `--history`
 * @param id which finding; it may be `null` if there is only one
 * @throws {ConfigurationError} if there is none
 */
export function readFinding(path: string, id: string | null): FindingToReplay {
  const found = repeatableFindings(readReportOrHistory(path));
  const [first] = found;
  if (first === undefined) {
    throw new ConfigurationError(`${path} holds no finding with a trail, so there is nothing to send again`);
  }
  const ids = found.map((one) => one.id);
  const chosen = id === null && found.length === 1 ? first : found.find((one) => one.id === id);
  if (id === null && chosen === undefined) {
    throw new ConfigurationError(`ID is missing: ${path} holds ${listOf(ids)}`);
  }
  if (chosen === undefined) {
    const closest = closestName(id ?? '', ids);
    const hint = closest === undefined ? ` It holds ${listOf(ids)}.` : ` Did you mean ${closest}?`;
    throw new ConfigurationError(`${id}: ${path} holds no such finding with a trail.${hint}`);
  }
  const requirement = findRequirement(chosen.requirement)?.id;
  if (requirement === undefined) {
    throw new ConfigurationError(`${path}: this version knows no requirement ${chosen.requirement}`);
  }
  return { ...chosen, requirement };
}

const MOST_LISTED = 20;

function listOf(ids: readonly string[]): string {
  const more = ids.length > MOST_LISTED ? ` and ${ids.length - MOST_LISTED} more` : '';
  return `${ids.slice(0, MOST_LISTED).join(', ')}${more}`;
}
