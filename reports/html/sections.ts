import { observationText } from '../model/observations.ts';
import type { Report, VerifyReport } from '../model/report.ts';
import { LEVELS, OUTCOME_SIGN, OUTCOMES } from '../model/requirement-groups.ts';
import { explorationText, foundText } from '../model/run.ts';
import { printableLine } from '../model/words.ts';
import { badgeHtml, NO_HTML, sectionHtml, tableHtml } from './parts.ts';
import { html, type Html } from './template.ts';

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

/** What the specification leaves open, and what the target does. */
export function observationsHtml({ observations }: Report): Html {
  const rows = Object.entries(observations).map(([name, value]) => [
    html`<code>${printableLine(name)}</code>`,
    observationText(value),
  ]);
  return rows.length === 0
    ? NO_HTML
    : sectionHtml(
        'Observations',
        tableHtml('Observations', ['What the specification leaves open', 'Seen'], rows),
      );
}

/** Requests announced and sent, by key. */
export function budgetHtml({ budget }: VerifyReport): Html {
  const rows = budget.byKey.map(({ label, plan, announced, spent }) => [
    printableLine(label),
    printableLine(plan),
    announced,
    spent,
  ]);
  const sums = ['All', '', budget.announced, budget.spent];
  return sectionHtml(
    'Requests',
    tableHtml('Requests by key', ['Key', 'Plan', 'Announced', 'Sent'], rows, sums),
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
  const rows = states.map(({ state, visits }) => [
    state,
    visits,
    ...states.map(({ state: next }) => countOf(state, next)),
  ]);
  const columns = ['State of a key', 'Reached', ...states.map(({ state }) => state)];
  const items = found.map((one) => html`<li>${printableLine(foundText(one))}</li>`);
  return sectionHtml(
    'Explored',
    html`<p>${explorationText(exploration)}.</p>
      ${
        items.length === 0
          ? NO_HTML
          : html`<ul>
              ${items}
            </ul>`
      }
      ${tableHtml('From state to state', columns, rows)}`,
  );
}

/** The checks that ran, with their time. */
export function checksHtml({ checks }: VerifyReport): Html {
  const rows = checks.map(({ id, title, outcome, requests, durationSeconds }) => [
    html`<code>${printableLine(id)}</code>`,
    printableLine(title),
    badgeHtml(outcome),
    requests,
    html`<span class="time">${durationSeconds.toFixed(2)} s</span>`,
  ]);
  return rows.length === 0
    ? NO_HTML
    : sectionHtml('Checks', tableHtml('Checks', ['Check', 'Title', 'Outcome', 'Requests', 'Time'], rows));
}
