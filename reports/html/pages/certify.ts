import {
  failedFreedoms,
  freedomsText,
  freedomTable,
  herdLines,
  herdTitle,
  returnTable,
} from '../../model/client.ts';
import type { CertifyReport, ReportedScenario } from '../../model/report.ts';
import { backoffText, needsAttention, timelineTable } from '../../model/timeline.ts';
import { countText, printableBlock, printableLine } from '../../model/words.ts';
import {
  aboutHtml,
  anchor,
  badgeHtml,
  codeHtml,
  figureTableHtml,
  foldedHtml,
  listHtml,
  moreHtml,
  NO_HTML,
  sectionHtml,
  tableHtml,
} from '../parts.ts';
import { STATUS_COLORS, timelineChart } from '../plots/timeline-chart.ts';
import { html, type Html } from '../template.ts';

/** What only the page on a client has. */
export function certifySections(report: CertifyReport): readonly Html[] {
  return [freedomsHtml(report), herdHtml(report), timelineHtml(report)];
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

/** More requests than this are counted, not shown; report.json has all. */
const ROWS_SHOWN = 100;

/** Every scenario as a drawing, with what failed, how it ended, the exact moments and the client's output. */
function timelineHtml({ scenarios }: CertifyReport): Html {
  return scenarios.length === 0
    ? NO_HTML
    : sectionHtml(
        'Behaviour timeline',
        html`${LEGEND}
          <div class="card">${scenarios.map(scenarioHtml)}</div>`,
      );
}

function scenarioHtml(scenario: ReportedScenario): Html {
  const { id, title, task, outcome, durationSeconds, timeline, ending } = scenario;
  return html`<article class="scenario ${outcome}" id="${anchor('scenario', id)}">
    <div>
      <p>${badgeHtml(outcome)}</p>
      <h3>${printableLine(title)}</h3>
      ${aboutHtml(codeHtml(task))}
      ${aboutHtml(`${countText(timeline.length, 'request')} · ${durationSeconds.toFixed(2)} s`)}
      ${aboutHtml(codeHtml(id))}
    </div>
    <div>
      ${
        timeline.length === 0
          ? html`<p class="box muted">No request arrived.</p>`
          : html`<div class="chart-frame">${timelineChart(scenario, anchor('chart', id))}</div>`
      }
      ${failuresHtml(scenario)} ${aboutHtml(backoffText(scenario))} ${aboutHtml(printableLine(ending))}
      ${momentsHtml(scenario)} ${outputHtml(scenario)}
    </div>
  </article>`;
}

/** A scenario that passed may still fall short of a should. */
function failuresHtml({ failures, outcome }: ReportedScenario): Html {
  const isFailed = outcome === 'fail';
  return failures.length === 0
    ? NO_HTML
    : html`<div class="box ${isFailed ? 'fail' : 'inconclusive'}">
        <h4>${isFailed ? 'What failed, and what to change' : 'What should be better'}</h4>
        ${listHtml(failures)}
      </div>`;
}

function momentsHtml(scenario: ReportedScenario): Html {
  const { length } = scenario.timeline;
  return length === 0
    ? NO_HTML
    : foldedHtml(
        `${countText(length, 'request')}, exactly`,
        html`${figureTableHtml(timelineTable(scenario, ROWS_SHOWN), 'moments')}
        ${moreHtml(length - ROWS_SHOWN)}`,
      );
}

function outputHtml(scenario: ReportedScenario): Html {
  const { output } = scenario;
  return output === ''
    ? NO_HTML
    : html`<details ${needsAttention(scenario) ? html`open` : NO_HTML}>
        <summary>What the client wrote</summary>
        <pre>${printableBlock(output)}</pre>
      </details>`;
}

const LEGEND = html`<p class="muted">
    Each request has a lane, and each scenario its own axis, in seconds since its start by the clock of the
    server.
  </p>
  ${listHtml(
    [
      ...[...STATUS_COLORS]
        .filter(([words]) => words !== 'other')
        .map(([words, color]) => legendItem(legendBar(color), words)),
      legendItem(html`<rect class="unanswered" x="3" y="3" width="24" height="10" rx="2" />`, 'not answered'),
      legendItem(
        html`<rect class="wait" x="0" y="3" width="26" height="10" />
          <path class="wait-line" d="M0 8 H26" /><path class="allowed" d="M26 0 V16" />`,
        'must wait',
      ),
      legendItem(html`<circle class="arrival" cx="15" cy="8" r="4" />`, 'next request'),
      legendItem(html`<path class="arrival early" d="M15 1 L22 8 L15 15 L8 8 Z" />`, 'too early'),
      legendItem(
        html`<path class="end" d="M15 0 V8" /><rect class="end-mark" x="11" y="6" width="8" height="8" />`,
        'end of the scenario',
      ),
    ],
    'inline',
  )}`;

function legendItem(drawing: Html, words: string): Html {
  return html`<svg viewBox="0 0 30 16" width="30" height="16" aria-hidden="true">${drawing}</svg> ${words}`;
}

function legendBar(color: string): Html {
  return html`<rect fill="${color}" x="3" y="3" width="24" height="10" rx="2" />`;
}
