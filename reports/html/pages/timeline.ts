import type { CertifyReport, ReportedScenario } from '../../model/report.ts';
import { OUTCOME_SIGN } from '../../model/requirement-groups.ts';
import { backoffText, needsAttention, TIMELINE_COLUMNS, timelineRow } from '../../model/timeline.ts';
import { countText, printableBlock, printableLine } from '../../model/words.ts';
import { anchor, moreHtml, NO_HTML, sectionHtml, tableHtml } from '../parts.ts';
import { timelineChart } from '../plots/timeline-chart.ts';
import { html, type Html } from '../template.ts';

/** More requests than this are counted, not shown; report.json has all. */
const ROWS_SHOWN = 100;

/** Every scenario as a drawing, with what failed, how it ended, the exact moments and the client's output. */
export function timelineHtml({ scenarios }: CertifyReport): Html {
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
  const waits = backoffText(scenario);
  return html`<article class="scenario ${outcome}" id="${anchor('scenario', id)}">
    <div class="scenario-head">
      <p><span class="badge">${OUTCOME_SIGN[outcome]} ${outcome}</span></p>
      <h3>${printableLine(title)}</h3>
      <p class="about"><code>${printableLine(task)}</code></p>
      <p class="about">${countText(timeline.length, 'request')} · ${durationSeconds.toFixed(2)} s</p>
      <p class="about"><code>${printableLine(id)}</code></p>
    </div>
    <div>
      ${
        timeline.length === 0
          ? html`<p class="no-request">No request arrived.</p>`
          : html`<div class="chart-frame">${timelineChart(scenario, anchor('chart', id))}</div>`
      }
      ${failuresHtml(scenario)} ${waits === '' ? NO_HTML : html`<p class="about">${waits}</p>`}
      ${ending === '' ? NO_HTML : html`<p class="about">${printableLine(ending)}</p>`}
      ${momentsHtml(scenario)} ${outputHtml(scenario)}
    </div>
  </article>`;
}

/** A scenario that passed may still fall short of a should. */
function failuresHtml({ failures, outcome }: ReportedScenario): Html {
  return failures.length === 0
    ? NO_HTML
    : html`<div class="failures ${outcome === 'fail' ? 'fail' : 'advice'}">
        <h4>${outcome === 'fail' ? 'What failed, and what to change' : 'What should be better'}</h4>
        <ul>
          ${failures.map((failure) => html`<li>${printableLine(failure)}</li>`)}
        </ul>
      </div>`;
}

function momentsHtml(scenario: ReportedScenario): Html {
  const { timeline } = scenario;
  if (timeline.length === 0) {
    return NO_HTML;
  }
  const rows = timeline.slice(0, ROWS_SHOWN).map((_, index) => timelineRow(timeline, index));
  return html`<details>
    <summary>${countText(timeline.length, 'request')}, exactly</summary>
    <div class="moments">
      ${tableHtml(`Requests of ${printableLine(scenario.title)}`, TIMELINE_COLUMNS, rows)}
    </div>
    ${moreHtml(timeline.length - ROWS_SHOWN)}
  </details>`;
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

function legendItem(drawing: Html, words: string): Html {
  return html`<li>
    <svg viewBox="0 0 30 16" width="30" height="16" aria-hidden="true">${drawing}</svg>
    ${words}
  </li>`;
}

function legendBar(tone: string): Html {
  return html`<rect class="bar-${tone}" x="3" y="3" width="24" height="10" rx="2" />`;
}

const LEGEND = html`<p class="muted">
    Each request has a lane, and each scenario its own axis, in seconds since its start by the clock of the
    server.
  </p>
  <ul class="legend">
    ${legendItem(legendBar('success'), '2xx')} ${legendItem(legendBar('limited'), '429')}
    ${legendItem(legendBar('redirect'), '3xx')} ${legendItem(legendBar('refused'), 'other 4xx')}
    ${legendItem(legendBar('broken'), '5xx')} ${legendItem(legendBar('unanswered'), 'not answered')}
    ${legendItem(
      html`<rect class="wait" x="0" y="3" width="26" height="10" />
        <path class="wait-line" d="M0 8 H26" /><path class="allowed" d="M26 0 V16" />`,
      'must wait',
    )}
    ${legendItem(html`<circle class="mark in-time" cx="15" cy="8" r="4" />`, 'next request')}
    ${legendItem(html`<path class="mark early" d="M15 1 L22 8 L15 15 L8 8 Z" />`, 'too early')}
    ${legendItem(
      html`<path class="end" d="M15 0 V8" /><rect class="end-mark" x="11" y="6" width="8" height="8" />`,
      'end of the scenario',
    )}
  </ul>`;
