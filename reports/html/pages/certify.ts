import { attention } from '../../model/attention.ts';
import { apart } from '../../model/causes.ts';
import {
  failedFreedoms,
  FREEDOM_COLUMNS,
  freedomRow,
  freedomsText,
  herdLines,
  herdTitle,
  RETURN_COLUMNS,
  returnRow,
  serverText,
} from '../../model/client.ts';
import { scenarioCounts } from '../../model/load.ts';
import type { CertifyReport } from '../../model/report.ts';
import { newerTitle, powerText, subjectText } from '../../model/run.ts';
import { printableLine } from '../../model/words.ts';
import type { PageFacts } from '../page.ts';
import { NO_HTML, sectionHtml, tableHtml } from '../parts.ts';
import { requirementsHtml, seenInScenariosHtml, unjudgedHtml } from '../requirements.ts';
import { countsHtml, observationsHtml, problemsHtml } from '../sections.ts';
import { html, type Html } from '../template.ts';
import { timelineHtml } from './timeline.ts';

const DRIVER_WORDS: Readonly<Record<CertifyReport['target']['driver'], string>> = {
  exec: 'exec, one start per scenario',
  jsonl: 'jsonl, one process for all',
  none: 'none, judged by the traffic alone',
};

/** What the banner says about the run, besides the verdict. */
export function certifyFacts(report: CertifyReport): PageFacts {
  const requests = report.scenarios.reduce((sum, { timeline }) => sum + timeline.length, 0);
  return [
    ['Command', subjectText(report)],
    ['Driver', DRIVER_WORDS[report.target.driver]],
    ['Scenarios', scenarioCounts(report)],
    ['Requests', `${requests}`],
    ...(report.server === undefined ? [] : [['Server', serverText(report.server)] as const]),
    ...(report.power === undefined ? [] : [['Power', powerText(report.power, 'certify')] as const]),
  ];
}

/** The sections of the page on a client. */
export function certifyMain(report: CertifyReport): Html {
  const { failures, advice, expected, newer, inconclusive, skipped } = attention(report);
  return html`${problemsHtml(report)} ${seenInScenariosHtml('What failed', failures, report)}
  ${seenInScenariosHtml('Should, but does not', advice, report)}
  ${seenInScenariosHtml('Failed as the baseline expects', apart(expected), report)}
  ${seenInScenariosHtml(newerTitle(report), apart(newer), report)} ${countsHtml(report)}
  ${unjudgedHtml('Inconclusive, and why', inconclusive)} ${unjudgedHtml('Skipped, and why', skipped)}
  ${freedomsHtml(report)} ${herdHtml(report)} ${timelineHtml(report)} ${requirementsHtml(report)}
  ${observationsHtml(report)}`;
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
      html`<li class="fail">
        <b>${printableLine(title)}</b>
        <p>
          ${printableLine(first?.failures.join(' ') ?? '')}
          ${others.length === 0 ? '' : `(and in ${others.length} more)`}
        </p>
      </li>`,
  );
  return sectionHtml(
    'What services may do otherwise',
    html`<p>${freedomsText(freedoms)}. This does not change the verdict.</p>
      ${
        items.length === 0
          ? NO_HTML
          : html`<ul class="card seen">
              ${items}
            </ul>`
      }
      ${tableHtml('Choices that services may make', FREEDOM_COLUMNS, [...failed, ...passed].map(freedomRow))}`,
  );
}

/** How clients came back that were refused together. */
function herdHtml({ herd }: CertifyReport): Html {
  if (herd === undefined) {
    return NO_HTML;
  }
  const rows = herd.refusals.map(returnRow);
  return sectionHtml(
    herdTitle(herd),
    html`<ul class="card">
        ${herdLines(herd).map((line) => html`<li>${line}</li>`)}
      </ul>
      ${rows.length === 0 ? NO_HTML : tableHtml('Returns after each refusal', RETURN_COLUMNS, rows)}`,
  );
}
