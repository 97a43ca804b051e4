import { NO_HTML, sectionHtml } from './parts.ts';
import { html, type Html } from './template.ts';
import { OUTCOME_SIGN } from '../wording/outcome-signs.ts';
import { printableLine } from '../wording/printable.ts';
import type { Report } from '../model/report.ts';
import { LEVELS, OUTCOMES } from '../model/requirement-groups.ts';

/** What the user should know about the run itself. */
export function problemsHtml({ problems }: Report): Html {
  if (problems.length === 0) {
    return NO_HTML;
  }
  const items = problems.map((problem) => html`<li>${printableLine(problem)}</li>`);
  return sectionHtml(
    'Problems of the run',
    html`<ul class="card notice">
      ${items}
    </ul>`,
  );
}

/** How many requirements of each level had each outcome. */
export function countsHtml({ counts }: Report): Html {
  const levels = LEVELS.map((level) => {
    const present = OUTCOMES.filter((outcome) => counts[level][outcome] > 0);
    const total = present.reduce((sum, outcome) => sum + counts[level][outcome], 0);
    const bar = present.map(
      (outcome) => html`<i class="${outcome}" style="flex: ${counts[level][outcome]} 0 0"></i>`,
    );
    const tally = present.map(
      (outcome) =>
        html`<li class="${outcome}">
          <b>${OUTCOME_SIGN[outcome]} ${counts[level][outcome]}</b> ${outcome}
        </li>`,
    );
    return html`<div class="card">
      <h3>${level} <span>· ${total}</span></h3>
      <div class="bar" aria-hidden="true">${bar}</div>
      <ul class="tally">
        ${tally}
      </ul>
    </div>`;
  });
  return sectionHtml('Outcomes', html`<div class="levels">${levels}</div>`);
}
