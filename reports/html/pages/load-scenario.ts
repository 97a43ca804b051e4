import type { LoadScenarioResult } from '../../../contract/load-result.ts';
import { HELD_WORDS, measuredText, percentText, rateText, timeText } from '../../model/load.ts';
import { OUTCOME_SIGN } from '../../model/requirement-groups.ts';
import { countText, printableLine } from '../../model/words.ts';
import { findingHtml } from '../finding.ts';
import { anchor, badgeHtml, moreHtml, NO_HTML, tableHtml } from '../parts.ts';
import { capacityFigures } from '../plots/capacity-plots.ts';
import { figuresHtml } from '../plots/figure.ts';
import { windowFigure } from '../plots/window-plot.ts';
import { html, type Html } from '../template.ts';
import { measurementHtml } from './measurement.ts';

/** More findings than this are counted, not shown; report.json has all. */
const FINDINGS_SHOWN = 10;

/** One scenario: what it was run with, what its thresholds said, what was measured, with plots. */
export function loadScenarioHtml(scenario: LoadScenarioResult): Html {
  const { id, title, outcome, reason, notes, spent, announced, durationSeconds, measurements } = scenario;
  return html`<section class="load ${outcome}" id="${anchor('scenario', id)}">
    <h2>${printableLine(title)}</h2>
    <p>
      <span class="badge">${OUTCOME_SIGN[outcome]} ${outcome}</span>
      <span class="muted"
        ><code>${printableLine(id)}</code> · ${countText(spent, 'request')} of ${announced} announced ·
        ${durationSeconds.toFixed(1)} s</span
      >
    </p>
    ${reason === null ? NO_HTML : html`<p class="reason">${printableLine(reason)}</p>`}
    ${parametersHtml(scenario)} ${thresholdsHtml(scenario)}
    ${
      notes.length === 0
        ? NO_HTML
        : html`<ul class="notes">
            ${notes.map((note) => html`<li>${printableLine(note)}</li>`)}
          </ul>`
    }
    ${findingsHtml(scenario)} ${capacityHtml(scenario)} ${windowsHtml(scenario)}
    ${measurements.map((_, index) => measurementHtml(scenario, index))}
  </section>`;
}

function parametersHtml({ parameters }: LoadScenarioResult): Html {
  const entries = Object.entries(parameters);
  return entries.length === 0
    ? NO_HTML
    : html`<dl class="parameters">
        ${entries.map(
          ([name, value]) =>
            html`<div>
              <dt>${printableLine(name)}</dt>
              <dd>${printableLine(value)}</dd>
            </div>`,
        )}
      </dl>`;
}

function thresholdsHtml({ thresholds }: LoadScenarioResult): Html {
  const rows = thresholds.map((threshold) => {
    const { expression, outcome } = threshold;
    return [
      html`<code>${printableLine(expression)}</code>`,
      measuredText(threshold),
      badgeHtml(outcome, HELD_WORDS[outcome]),
    ];
  });
  return rows.length === 0
    ? NO_HTML
    : html`<div class="figures narrow">
        ${tableHtml('Thresholds', ['Threshold', 'Measured', 'Outcome'], rows)}
      </div>`;
}

function findingsHtml({ findings }: LoadScenarioResult): Html {
  return findings.length === 0
    ? NO_HTML
    : html`<h3>Violations of the specification (${findings.length})</h3>
        ${findings.slice(0, FINDINGS_SHOWN).map((finding, index) => findingHtml(finding, index === 0 ? 'open' : 'closed'))}
        ${moreHtml(findings.length - FINDINGS_SHOWN)}`;
}

function capacityHtml(scenario: LoadScenarioResult): Html {
  const { id, capacity, capacitySteps } = scenario;
  if (capacitySteps.length === 0) {
    return NO_HTML;
  }
  const rows = capacitySteps.map(({ rate, achievedRate, p99, errorShare, held, phase }) => [
    printableLine(phase),
    rateText(rate),
    rateText(achievedRate),
    timeText(p99),
    percentText(errorShare),
    held ? badgeHtml('pass', 'held') : badgeHtml('fail', 'did not hold'),
  ]);
  return html`<h3>${capacity === null ? 'No rate met the objective' : `Capacity ${rateText(capacity)}`}</h3>
    ${figuresHtml(capacityFigures(anchor('plot-capacity', id), scenario))}
    <details>
      <summary>${countText(capacitySteps.length, 'rate')} tried</summary>
      <div class="figures">
        ${tableHtml('Rates tried', ['Phase', 'Rate due', 'Answered 2xx', 'p99', 'Errors', 'Objective'], rows)}
      </div>
    </details>`;
}

function windowsHtml({ id, windows }: LoadScenarioResult): Html {
  if (windows.length === 0) {
    return NO_HTML;
  }
  const rows = windows.map(({ key, plan, window, limit, sent, accepted, refused, lost }) => [
    html`<code>${printableLine(key)}</code>`,
    `${printableLine(plan)}, ${window}`,
    limit,
    sent,
    accepted,
    refused,
    lost,
  ]);
  return html`<h3>Accepted requests by limit</h3>
    ${figuresHtml([windowFigure(anchor('plot-windows', id), windows)])}
    <details>
      <summary>${countText(windows.length, 'window')}, exactly</summary>
      <div class="figures">
        ${tableHtml('Windows of limits', ['Key', 'Limit of', 'Limit', 'Sent', 'Accepted', 'Refused', 'Lost'], rows)}
      </div>
    </details>`;
}
