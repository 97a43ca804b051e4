import type { VerifyReport } from '../model/report.ts';
import { explorationText, foundText, statesText } from '../model/run.ts';
import * as doc from './document.ts';

/** What was explored: the states of a key, and how often each led to which. */
export function explorationSection({ exploration }: VerifyReport): doc.DocumentBlock {
  if (exploration === undefined) {
    return doc.section('Explored');
  }
  const { states, transitions, found } = exploration;
  const countOf = (from: string, to: string): number | string =>
    transitions.find((transition) => transition.from === from && transition.to === to)?.count ?? '';
  const names = states.map(({ state }) => state);
  return doc.section(
    'Explored',
    doc.line(`${explorationText(exploration)}.`),
    doc.line(`States: ${statesText(exploration)}.`, 'about'),
    doc.lines(found.map(foundText)),
    doc.onPage(
      doc.table(
        {
          caption: 'From state to state',
          columns: ['State of a key', 'Reached', ...names],
          rows: states.map(({ state, visits }) =>
            [state, visits].concat(names.map((next) => countOf(state, next))),
          ),
        },
        '',
      ),
    ),
  );
}

/** Requests announced and sent, by key. */
export function requestsSection({ budget }: VerifyReport): doc.DocumentBlock {
  return doc.section(
    'Requests',
    doc.table(
      {
        caption: 'Requests by key',
        columns: ['Key', 'Plan', 'Announced', 'Sent'],
        rows: budget.byKey.map(({ label, plan, announced, spent }) => [label, plan, announced, spent]),
        sums: ['All', '', budget.announced, budget.spent],
      },
      '',
    ),
  );
}

/** The checks that ran, with their time. */
export function checksSection({ checks }: VerifyReport): doc.DocumentBlock {
  return doc.section(
    'Checks',
    doc.table(
      {
        caption: 'Checks',
        columns: ['Check', 'Title', 'Outcome', 'Requests', 'Time'],
        rows: checks.map(({ id, title, outcome, requests, durationSeconds }) => [
          { code: id },
          title,
          { outcome, words: outcome },
          requests,
          `${durationSeconds.toFixed(2)} s`,
        ]),
      },
      '',
    ),
  );
}
