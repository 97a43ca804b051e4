import { attention, countFailures, type Cause } from '../model/attention.ts';
import type { Report } from '../model/report.ts';
import { countOutcomes, isBinding, reasonOf } from '../model/requirement-groups.ts';
import { subjectText } from '../model/run.ts';
import { countText, printableLine } from '../model/words.ts';

/**
 * The report in one line made for logs: `name=value` pairs (logfmt), the verdict first. `first` is the requirement to
 * look at first, if one failed.
 */
export function renderSummaryLine(report: Report): string {
  const { kind, verdict, profile, level, durationSeconds, requirements, suite } = report;
  const { must } = countOutcomes(requirements);
  const { failures } = attention(report);
  const pairs: readonly (readonly [name: string, value: string | number])[] = [
    ['stockcheck', kind],
    ['verdict', verdict],
    ['profile', profile],
    ['level', level],
    ['musts', Object.values(must).reduce((sum, count) => sum + count, 0)],
    ['judged', must.pass + must.fail],
    ['failed', countFailures(failures)],
    ['causes', failures.length],
    ...failures.slice(0, 1).map(({ root }) => ['first', root.id] as const),
    ['seconds', durationSeconds.toFixed(1)],
    ['version', suite.version],
    [kind === 'certify' ? 'client' : 'target', subjectText(report)],
  ];
  return `${pairs.map(([name, value]) => `${name}=${valueText(`${value}`)}`).join(' ')}\n`;
}

function valueText(value: string): string {
  const shown = printableLine(value);
  return /^[^\s"=]+$/.test(shown) ? shown : `"${shown.replaceAll(/["\\]/g, String.raw`\$&`)}"`;
}

/** GitHub shows ten annotations of each kind for a step. */
const MOST_SHOWN = 10;

/**
 * The report as workflow commands of GitHub Actions, which the pages of a run show as annotations: one for each cause
 * of failures, and one for each requirement that leaves the verdict open.
 */
export function renderGithubAnnotations(report: Report): string {
  const { failures, advice, inconclusive } = attention(report);
  const open = inconclusive.filter((row) => isBinding(report, row));
  const errors = [
    ...failures.map((cause) => commandFor('error', cause)),
    ...open.map((row) => command('error', `${row.id} is inconclusive`, reasonOf(row))),
    ...report.problems.map((problem) => command('error', 'stockcheck', problem)),
  ];
  const warnings = advice.map((cause) => commandFor('warning', cause));
  return [...errors.slice(0, MOST_SHOWN), ...warnings.slice(0, MOST_SHOWN)].join('');
}

function commandFor(kind: 'error' | 'warning', { root, followers }: Cause): string {
  const more =
    followers.length === 0 ? '' : ` (${countText(followers.length, 'more failure')} probably because of it)`;
  return command(kind, `${root.id} (${root.clause})`, `${root.findings[0]?.message ?? root.title}${more}`);
}

function command(kind: 'error' | 'warning', title: string, message: string): string {
  const property = escaped(printableLine(title)).replaceAll(':', '%3A').replaceAll(',', '%2C');
  return `::${kind} title=${property}::${escaped(printableLine(message))}\n`;
}

/** A percent sign begins an escape; `printableLine` has left no line break. */
function escaped(text: string): string {
  return text.replaceAll('%', '%25');
}
