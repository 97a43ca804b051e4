import type { DocumentBlock } from '../document/document.ts';
import type { ReportedScenario } from '../model/report.ts';
import { countText, printableLine } from '../model/words.ts';
import { blocksHtml } from './blocks.ts';
import { aboutHtml, anchor, badgeHtml, codeHtml, listHtml, NO_HTML } from './parts.ts';
import { STATUS_COLORS, timelineChart } from './plots/timeline-chart.ts';
import { html, type Html } from './template.ts';

/** Every scenario as a drawing, with what is said of it beside. */
export async function scenariosHtml(
  scenarios: readonly ReportedScenario[],
  said: (scenario: ReportedScenario) => readonly DocumentBlock[],
): Promise<Html> {
  const articles = scenarios.map((scenario) => scenarioHtml(scenario, said(scenario)));
  return html`${LEGEND}
    <div class="card">${await Promise.all(articles)}</div>`;
}

async function scenarioHtml(scenario: ReportedScenario, said: readonly DocumentBlock[]): Promise<Html> {
  const { id, title, task, outcome, durationSeconds, timeline } = scenario;
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
          ? NO_HTML
          : html`<div class="chart-frame">${timelineChart(scenario, anchor('chart', id))}</div>`
      }
      ${await blocksHtml(said, 4)}
    </div>
  </article>`;
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
