import { badgeHtml, NO_HTML, sectionHtml, tableHtml } from '../parts.ts';
import { html, type Html } from '../template.ts';
import { changeText, JUDGEMENT_OUTCOME, JUDGEMENT_WORDS, measureText } from '../../wording/load-text.ts';
import { printableLine } from '../../wording/printable.ts';
import type { LoadReport } from '../../model/report.ts';

/** Each measure next to that of the earlier report, with the bounds of its change and what that means. */
export function comparisonHtml({ comparison }: LoadReport): Html {
  if (comparison === null) {
    return NO_HTML;
  }
  const { file, startedAt } = comparison;
  const rows = comparison.rows.map((row) => {
    const { scenario, measure, unit, before, after, judgement } = row;
    return [
      html`${printableLine(scenario)} <b>${printableLine(measure)}</b>`,
      measureText(before, unit),
      measureText(after, unit),
      changeText(row),
      badgeHtml(JUDGEMENT_OUTCOME[judgement], JUDGEMENT_WORDS[judgement]),
    ];
  });
  return sectionHtml(
    'Compared with an earlier report',
    html`<p class="about">
        ${printableLine(file)}, started ${printableLine(startedAt)}; each change is shown with its 95 %
        confidence bounds over the rounds of both.
      </p>
      ${
        rows.length === 0
          ? html`<p class="about">The reports have no measure in common.</p>`
          : html`<div class="figures">
              ${tableHtml('Changes', ['Measure', 'Before', 'Now', 'Change', 'Judgement'], rows)}
            </div>`
      }`,
  );
}
