import { attention } from '../../model/attention.ts';
import { apart } from '../../model/causes.ts';
import {
  changeText,
  JUDGEMENT_OUTCOME,
  JUDGEMENT_WORDS,
  machineText,
  measureText,
  rateText,
  scenarioCounts,
  thresholdsText,
  timeText,
} from '../../model/load.ts';
import type { LoadReport, ReportedRequirement } from '../../model/report.ts';
import { countOutcomes, groupByReason } from '../../model/requirement-groups.ts';
import { addressText, powerText } from '../../model/run.ts';
import { commandText, printableLine } from '../../model/words.ts';
import type { PageFacts } from '../page.ts';
import { anchor, badgeHtml, NO_HTML, sectionHtml, tableHtml } from '../parts.ts';
import { requirementsHtml, seenHtml, unjudgedHtml } from '../requirements.ts';
import { countsHtml, observationsHtml, problemsHtml } from '../sections.ts';
import { html, type Html } from '../template.ts';
import { loadScenarioHtml } from './load-scenario.ts';

/** What the banner says about the run, besides the verdict. */
export function loadFacts(report: LoadReport): PageFacts {
  const { target, budget, power, environment } = report;
  return [
    ['Target', addressText(target)],
    ['Control', target.control ?? 'none, real time'],
    ['Keys', target.keys.join(', ')],
    ['Scenarios', scenarioCounts(report)],
    ['Requests', `${budget.spent} of ${budget.announced} announced`],
    ...(power === undefined ? [] : [['Power', powerText(power, 'load')] as const]),
    ...(environment === undefined
      ? []
      : ([
          ['Machine', machineText(environment)],
          ['Command', commandText(environment.command)],
        ] as const)),
  ];
}

/** The sections of the page on a target under load. */
export function loadMain(report: LoadReport): Html {
  const judged = report.requirements.filter(({ outcome }) => outcome !== 'skipped');
  const shown = { ...report, requirements: judged, counts: countOutcomes(judged) };
  const { failures, advice, expected, inconclusive } = attention(shown);
  return html`${problemsHtml(report)} ${overviewHtml(report)} ${seenHtml('Violated under load', failures)}
  ${seenHtml('Should, but does not', advice)} ${seenHtml('Failed as the baseline expects', apart(expected))}
  ${unjudgedHtml('Inconclusive, and why', inconclusive)} ${comparisonHtml(report)}
  ${report.scenarios.map(loadScenarioHtml)}
  ${judged.length === 0 ? NO_HTML : html`${countsHtml(shown)} ${requirementsHtml(shown)}`}
  ${foldedHtml(attention(report).skipped)} ${observationsHtml(report)}`;
}

function overviewHtml({ scenarios }: LoadReport): Html {
  const rows = scenarios.map((scenario) => {
    const { id, title, outcome, measurements, capacity, spent } = scenario;
    const last = measurements.at(-1);
    return [
      html`<a href="#${anchor('scenario', id)}">${printableLine(title)}</a>`,
      badgeHtml(outcome),
      thresholdsText(scenario),
      capacity === null ? rateText(last?.goodput ?? null) : `capacity ${rateText(capacity)}`,
      timeText(last?.responseTime.p50 ?? null),
      timeText(last?.responseTime.p99 ?? null),
      spent,
    ];
  });
  const columns = ['Scenario', 'Outcome', 'Thresholds', 'Answered 2xx', 'p50', 'p99', 'Requests'];
  return rows.length === 0
    ? NO_HTML
    : sectionHtml('Scenarios', html`<div class="figures">${tableHtml('Scenarios', columns, rows)}</div>`);
}

/** Most requirements are judged by `verify` only, so they are folded away. */
function foldedHtml(skipped: readonly ReportedRequirement[]): Html {
  if (skipped.length === 0) {
    return NO_HTML;
  }
  const rows = groupByReason(skipped).map(([reason, group]) => [
    printableLine(reason),
    group.length,
    html`${group.map(({ id }) => html`<code>${printableLine(id)}</code> `)}`,
  ]);
  return html`<details class="folded">
    <summary>Requirements that were not judged under load (${skipped.length})</summary>
    ${tableHtml('Not judged under load', ['Reason', 'Count', 'Requirements'], rows)}
  </details>`;
}

/** Each measure next to that of the earlier report, with the bounds of its change and what that means. */
function comparisonHtml({ comparison }: LoadReport): Html {
  if (comparison === null) {
    return NO_HTML;
  }
  const { file, startedAt } = comparison;
  const rows = comparison.rows.map((row) => {
    const { scenario, measure, unit, before, after, judgement } = row;
    return [
      html`${printableLine(scenario)} <b>${printableLine(measure)}</b>`,
      measureText(before, unit),
      measureText(after, unit),
      changeText(row),
      badgeHtml(JUDGEMENT_OUTCOME[judgement], JUDGEMENT_WORDS[judgement]),
    ];
  });
  return sectionHtml(
    'Compared with an earlier report',
    html`<p class="about">
        ${printableLine(file)}, started ${printableLine(startedAt)}; each change is shown with its 95 %
        confidence bounds over the rounds of both.
      </p>
      ${
        rows.length === 0
          ? html`<p class="about">The reports have no measure in common.</p>`
          : html`<div class="figures">
              ${tableHtml('Changes', ['Measure', 'Before', 'Now', 'Change', 'Judgement'], rows)}
            </div>`
      }`,
  );
}
