import { createHash } from 'node:crypto';
import { listedFailures } from '../model/attention.ts';
import { followsText } from '../model/findings.ts';
import type { Report, ReportedRequirement } from '../model/report.ts';
import { isBinding } from '../model/requirement-groups.ts';
import { printableLine } from '../model/words.ts';

/**
 * The failures as a Code Quality report of GitLab: the root of each cause first. What the baseline expects is left out.
 * A failure has no place in a file, so the path of the request stands for it.
 */
export function renderCodeQuality(report: Report): string {
  const issues = listedFailures(report).map(({ row, root }) => issueOf(report, row, root));
  return `${JSON.stringify(issues, null, 2)}\n`;
}

function issueOf(report: Report, row: ReportedRequirement, from: string | null) {
  const { id, findings, title } = row;
  const follows = from === null ? '' : ` ${followsText(from)}`;
  return {
    description: `${printableLine(id)}: ${printableLine(findings[0]?.message ?? title)}${follows}`,
    check_name: printableLine(id),
    fingerprint: createHash('sha256').update(`${report.kind}/${id}`).digest('hex'),
    severity: from !== null ? 'minor' : isBinding(report, row) ? 'critical' : 'info',
    location: { path: pathOf(row), lines: { begin: 1 } },
  };
}

/** Relative, as GitLab demands it. */
function pathOf({ findings, area }: ReportedRequirement): string {
  const url = findings.find(({ exchange }) => exchange !== undefined)?.exchange?.request.url;
  const path = url === undefined ? undefined : URL.parse(url)?.pathname.replace(/^\/+/, '');
  return printableLine(path === undefined || path === '' ? area : path);
}
