import type { VerifyReport } from '../../model/report.ts';
import { explorationText, foundText } from '../../model/run.ts';
import { badgeHtml, codeHtml, listHtml, NO_HTML, sectionHtml, tableHtml } from '../parts.ts';
import { html, type Html } from '../template.ts';

/** What only the page on an implementation has. */
export function verifySections(report: VerifyReport): readonly Html[] {
  return [explorationHtml(report), budgetHtml(report), checksHtml(report)];
}

/** Requests announced and sent, by key. */
function budgetHtml({ budget }: VerifyReport): Html {
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
function explorationHtml({ exploration }: VerifyReport): Html {
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
function checksHtml({ checks }: VerifyReport): Html {
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
