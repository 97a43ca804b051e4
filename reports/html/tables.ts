import { badgeHtml, NO_HTML, sectionHtml, tableHtml } from './parts.ts';
import { html, type Html } from './template.ts';
import { explorationText, foundText } from '../wording/exploration-text.ts';
import { observationText } from '../wording/observation-text.ts';
import { printableLine } from '../wording/printable.ts';
import type { Report, VerifyReport } from '../model/report.ts';

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
