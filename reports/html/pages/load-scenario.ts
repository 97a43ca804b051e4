import type { LoadScenarioResult } from '../../../contract/load-result.ts';
import { capacityTable, rateText, thresholdTable, windowTable } from '../../model/load.ts';
import { OUTCOME_SIGN } from '../../model/requirement-groups.ts';
import { countText, printableLine } from '../../model/words.ts';
import { findingHtml } from '../finding.ts';
import {
  anchor,
  codeHtml,
  factsHtml,
  figureTableHtml,
  foldedHtml,
  listHtml,
  moreHtml,
  NO_HTML,
} from '../parts.ts';
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
        >${codeHtml(id)} · ${countText(spent, 'request')} of ${announced} announced ·
        ${durationSeconds.toFixed(1)} s</span
      >
    </p>
    ${reason === null ? NO_HTML : html`<p class="box">${printableLine(reason)}</p>`}
    ${factsHtml(Object.entries(scenario.parameters), 'inline')}
    ${figureTableHtml(thresholdTable(scenario), 'narrow')} ${listHtml(notes)} ${findingsHtml(scenario)}
    ${capacityHtml(scenario)} ${windowsHtml(scenario)}
    ${measurements.map((_, index) => measurementHtml(scenario, index))}
  </section>`;
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
  return capacitySteps.length === 0
    ? NO_HTML
    : html`<h3>${capacity === null ? 'No rate met the objective' : `Capacity ${rateText(capacity)}`}</h3>
        ${figuresHtml(capacityFigures(anchor('plot-capacity', id), scenario))}
        ${foldedHtml(`${countText(capacitySteps.length, 'rate')} tried`, figureTableHtml(capacityTable(scenario)))}`;
}

function windowsHtml(scenario: LoadScenarioResult): Html {
  const { id, windows } = scenario;
  return windows.length === 0
    ? NO_HTML
    : html`<h3>Accepted requests by limit</h3>
        ${figuresHtml([windowFigure(anchor('plot-windows', id), windows)])}
        ${foldedHtml(`${countText(windows.length, 'window')}, exactly`, figureTableHtml(windowTable(scenario)))}`;
}
