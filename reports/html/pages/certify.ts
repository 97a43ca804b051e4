import { attention } from '../../model/attention.ts';
import {
  failedFreedoms,
  freedomsText,
  freedomTable,
  herdLines,
  herdTitle,
  returnTable,
} from '../../model/client.ts';
import type { CertifyReport } from '../../model/report.ts';
import { failureLists } from '../../model/run.ts';
import { printableLine } from '../../model/words.ts';
import { listHtml, NO_HTML, sectionHtml, tableHtml } from '../parts.ts';
import { causesHtml, requirementsHtml, seenInScenarios, unjudgedHtml } from '../requirements.ts';
import { countsHtml, observationsHtml, problemsHtml } from '../sections.ts';
import { html, type Html } from '../template.ts';
import { timelineHtml } from './timeline.ts';

/** The sections of the page on a client. */
export function certifyMain(report: CertifyReport): readonly Html[] {
  const { inconclusive, skipped } = attention(report);
  const seen = seenInScenarios(report);
  return [
    problemsHtml(report),
    ...failureLists(report).map(([title, causes]) => causesHtml(title, causes, seen)),
    countsHtml(report),
    unjudgedHtml({ Inconclusive: inconclusive, Skipped: skipped }),
    freedomsHtml(report),
    herdHtml(report),
    timelineHtml(report),
    requirementsHtml(report),
    observationsHtml(report),
  ];
}

/** What services may do, and where the client fails with it. */
function freedomsHtml({ freedoms }: CertifyReport): Html {
  if (freedoms === undefined) {
    return NO_HTML;
  }
  const failed = failedFreedoms(freedoms);
  const passed = freedoms.filter((row) => row.failed.length === 0);
  const items = failed.map(
    ({ title, failed: [first, ...others] }) =>
      html`<b>${printableLine(title)}</b>
        <p>
          ${printableLine(first?.failures.join(' ') ?? '')}
          ${others.length === 0 ? '' : `(and in ${others.length} more)`}
        </p>`,
  );
  return sectionHtml(
    'What services may do otherwise',
    html`<p>${freedomsText(freedoms)}. This does not change the verdict.</p>
      ${listHtml(items, 'card seen fail')} ${tableHtml(freedomTable([...failed, ...passed]))}`,
  );
}

/** How clients came back that were refused together. */
function herdHtml({ herd }: CertifyReport): Html {
  return herd === undefined
    ? NO_HTML
    : sectionHtml(
        herdTitle(herd),
        html`${listHtml(herdLines(herd), 'card lines')} ${tableHtml(returnTable(herd))}`,
      );
}
