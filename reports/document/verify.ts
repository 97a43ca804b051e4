import type { ReportedExploration, VerifyReport } from '../model/report.ts';
import { countText } from '../model/words.ts';
import * as doc from './document.ts';

/** What was explored, and what that found. */
export function explorationSection({ exploration }: VerifyReport): doc.DocumentBlock {
  return doc.section(
    'Explored',
    ...(exploration === undefined
      ? []
      : [doc.line(`${explorationText(exploration)}.`), doc.lines(exploration.found.map(foundText))]),
  );
}

/** What was explored, such as `3000 requests in 73 sequences with seed 1`. */
function explorationText({ seed, requests, shrinking, episodes }: ReportedExploration): string {
  const more = shrinking === 0 ? '' : `; ${countText(shrinking, 'request')} more to shorten what was found`;
  return `${countText(requests, 'request')} in ${countText(episodes, 'sequence')} with seed ${seed}${more}`;
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
