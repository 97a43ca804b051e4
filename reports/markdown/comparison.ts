import { paragraphs } from '../model/words.ts';
import { observationText } from '../model/observations.ts';
import type { ReportMatrix } from '../model/report-matrix.ts';
import { OUTCOME_SIGN, verdictSign } from '../model/requirement-groups.ts';
import { markdownTable, markdownText } from './text.ts';

/** The matrix as GitHub-flavoured Markdown: the reports, then the requirements, those that differ first. */
export function renderMatrixMarkdown({ reports, requirements, observations }: ReportMatrix): string {
  const names = reports.map(({ name }) => markdownText(name));
  const parts = [
    '# stockcheck: comparison',
    markdownTable(
      ['Report', 'Verdict', 'Of', 'Made'],
      reports.map(({ verdict, scope, subject, startedAt }, index) => [
        names[index] ?? '',
        `${verdictSign(verdict)} ${markdownText(scope)}`,
        markdownText(subject),
        markdownText(startedAt),
      ]),
    ),
    '## Requirements',
    markdownTable(
      ['Requirement', 'Level', 'Differs', ...names],
      requirements.map(({ id, level, differs, cells }) => [
        markdownText(id),
        level,
        differs ? 'yes' : '',
        ...cells.map((cell) => (cell === null ? '–' : `${OUTCOME_SIGN[cell.outcome]} ${cell.outcome}`)),
      ]),
    ),
    ...(observations.length === 0
      ? []
      : [
          '## Silences that differ',
          markdownTable(
            ['What the specification leaves open', ...names],
            observations.map(({ name, values }) => [
              markdownText(name),
              ...values.map((value) => (value === null ? '–' : markdownText(observationText(value)))),
            ]),
          ),
        ]),
  ];
  return `${paragraphs(parts)}\n`;
}
