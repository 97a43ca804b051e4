import { attention } from '../model/attention.ts';
import { countFailures } from '../model/causes.ts';
import type { Report } from '../model/report.ts';
import { countOutcomes } from '../model/requirement-groups.ts';
import { subjectText } from '../model/run.ts';
import { printableLine } from '../model/words.ts';

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
