import { observationTable } from '../model/observations.ts';
import type { Report, VerifyReport } from '../model/report.ts';
import { LEVELS, OUTCOME_SIGN, OUTCOMES } from '../model/requirement-groups.ts';
import { explorationText, foundText } from '../model/run.ts';
import { badgeHtml, codeHtml, listHtml, NO_HTML, sectionHtml, tableHtml } from './parts.ts';
import { html, type Html } from './template.ts';

/** What the user should know about the run itself. */
export function problemsHtml({ problems }: Report): Html {
  return sectionHtml('Problems of the run', listHtml(problems, 'card lines notice'));
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
        html`<b class="${outcome}">${OUTCOME_SIGN[outcome]} ${counts[level][outcome]}</b> ${outcome}`,
    );
    return html`<div class="card">
      <h3>${level} <span class="muted">· ${total}</span></h3>
      <div class="bar" aria-hidden="true">${bar}</div>
      ${listHtml(tally, 'inline')}
    </div>`;
  });
  return sectionHtml('Outcomes', html`<div class="levels">${levels}</div>`);
}

/** What the specification leaves open, and what the target does. */
export function observationsHtml({ observations }: Report): Html {
  return sectionHtml('Observations', tableHtml(observationTable(observations)));
}

/** Requests announced and sent, by key. */
export function budgetHtml({ budget }: VerifyReport): Html {
  return sectionHtml(
    'Requests',
    tableHtml({
      caption: 'Requests by key',
      columns: ['Key', 'Plan', 'Announced', 'Sent'],
      rows: budget.byKey.map(({ label, plan, announced, spent }) => [label, plan, announced, spent]),
      sums: ['All', '', budget.announced, budget.spent],
    }),
  );
}

/** What was explored: the states of a key, and how often each led to which. */
export function explorationHtml({ exploration }: VerifyReport): Html {
  if (exploration === undefined) {
    return NO_HTML;
  }
  const { states, transitions, found } = exploration;
  const countOf = (from: string, to: string): number | string =>
    transitions.find((transition) => transition.from === from && transition.to === to)?.count ?? '';
  const names = states.map(({ state }) => state);
  return sectionHtml(
    'Explored',
    html`<p>${explorationText(exploration)}.</p>
      ${listHtml(found.map(foundText))}
      ${tableHtml({
        caption: 'From state to state',
        columns: ['State of a key', 'Reached', ...names],
        rows: states.map(({ state, visits }) =>
          [state, visits].concat(names.map((next) => countOf(state, next))),
        ),
      })}`,
  );
}

/** The checks that ran, with their time. */
export function checksHtml({ checks }: VerifyReport): Html {
  return sectionHtml(
    'Checks',
    tableHtml({
      caption: 'Checks',
      columns: ['Check', 'Title', 'Outcome', 'Requests', 'Time'],
      rows: checks.map(({ id, title, outcome, requests, durationSeconds }) => [
        codeHtml(id),
        title,
        badgeHtml(outcome),
        requests,
        `${durationSeconds.toFixed(2)} s`,
      ]),
    }),
  );
}
