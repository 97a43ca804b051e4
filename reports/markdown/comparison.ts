import { paragraphs } from '../model/words.ts';
import { observationText } from '../model/observations.ts';
import type { ReportMatrix } from '../model/report-matrix.ts';
import { VERDICT_OUTCOME } from '../model/requirement-groups.ts';
import { tableText } from './text.ts';

/** The matrix as GitHub-flavoured Markdown: the reports, then the requirements, those that differ first. */
export function renderMatrixMarkdown({ reports, requirements, observations }: ReportMatrix): string {
  const names = reports.map(({ name }) => name);
  const parts = [
    '# stockcheck: comparison',
    tableText({
      caption: 'Reports',
      columns: ['Report', 'Verdict', 'Of', 'Made'],
      rows: reports.map(({ name, verdict, scope, subject, startedAt }) => [
        name,
        { outcome: VERDICT_OUTCOME[verdict], words: scope },
        subject,
        startedAt,
      ]),
    }),
    '## Requirements',
    tableText({
      caption: 'Requirements',
      columns: ['Requirement', 'Level', 'Differs', ...names],
      rows: requirements.map(({ id, level, differs, cells }) => [
        id,
        level,
        differs ? 'yes' : '',
        ...cells.map((cell) => (cell === null ? '–' : { outcome: cell.outcome, words: cell.outcome })),
      ]),
    }),
    ...(observations.length === 0
      ? []
      : [
          '## Silences that differ',
          tableText({
            caption: 'Silences that differ',
            columns: ['What the specification leaves open', ...names],
            rows: observations.map(({ name, values }) => [
              name,
              ...values.map((value) => (value === null ? '–' : observationText(value))),
            ]),
          }),
        ]),
  ];
  return `${paragraphs(parts)}\n`;
}
