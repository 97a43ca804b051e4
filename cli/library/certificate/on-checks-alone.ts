import type { Certificate } from '../../../reports/index.ts';

/** The ids of what was decided in the run, and of which the transcript shows nothing when it is judged again. */
export function onChecksAlone({
  report,
  judgedAgain,
}: Pick<Certificate, 'report' | 'judgedAgain'>): readonly string[] {
  const again = new Set(judgedAgain.requirements.map(({ id }) => id));
  return report.kind === 'certify'
    ? []
    : report.requirements
        .filter(({ id, level, outcome }) => level !== 'observe' && outcome !== 'skipped' && !again.has(id))
        .map(({ id }) => id);
}
