import type { ReportedExploration, VerifyReport } from '../model/report.ts';
import { countText } from '../model/words.ts';
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

/** What was explored, such as `3000 requests in 73 sequences with seed 1: 11 of 12 states of a key, 38 transitions`. */
function explorationText({
  seed,
  requests,
  shrinking,
  episodes,
  states,
  transitions,
}: ReportedExploration): string {
  const reached = states.filter(({ visits }) => visits > 0).length;
  const more = shrinking === 0 ? '' : `; ${countText(shrinking, 'request')} more to shorten what was found`;
  return `${countText(requests, 'request')} in ${countText(episodes, 'sequence')} with seed ${seed}: ${reached} of ${countText(states.length, 'state')} of a key, ${countText(transitions.length, 'transition')}${more}`;
}

/** How often each state was reached, such as `fresh 132, partly used 2171, never banned`. */
function statesText({ states }: ReportedExploration): string {
  return states
    .map(({ state, visits }) => (visits === 0 ? `never ${state}` : `${state} ${visits}`))
    .join(', ');
}

/** One violation that was found, with what it takes to see it. */
function foundText({ requirement, requests, repeated }: ReportedExploration['found'][number]): string {
  if (repeated === null) {
    return `${requirement}: seen within ${countText(requests, 'request')}, which were not repeated`;
  }
  return repeated
    ? `${requirement}: shown by ${countText(requests, 'request')}`
    : `${requirement}: seen once in ${countText(requests, 'request')}, and not again when they were repeated`;
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
