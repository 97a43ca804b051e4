import { attention } from '../../model/attention.ts';
import { baselineTable, SCENARIO_COLUMNS, scenarioFigures } from '../../model/load.ts';
import type { LoadReport } from '../../model/report.ts';
import { countOutcomes } from '../../model/requirement-groups.ts';
import { failureLists } from '../../model/run.ts';
import { printableLine } from '../../model/words.ts';
import {
  aboutHtml,
  anchor,
  badgeHtml,
  codeHtml,
  figureTableHtml,
  foldedHtml,
  NO_HTML,
  sectionHtml,
} from '../parts.ts';
import { causesHtml, reasonsHtml, requirementsHtml, seenOnce, unjudgedHtml } from '../requirements.ts';
import { countsHtml, observationsHtml, problemsHtml } from '../sections.ts';
import { html, type Html } from '../template.ts';
import { loadScenarioHtml } from './load-scenario.ts';

/** The sections of the page on a target under load. */
export function loadMain(report: LoadReport): readonly Html[] {
  const judged = report.requirements.filter(({ outcome }) => outcome !== 'skipped');
  const shown = { ...report, requirements: judged, counts: countOutcomes(judged) };
  const { inconclusive, skipped } = attention(report);
  return [
    problemsHtml(report),
    overviewHtml(report),
    ...failureLists(report).map(([title, causes], index) =>
      causesHtml(index === 0 ? 'Violated under load' : title, causes, seenOnce),
    ),
    unjudgedHtml({ Inconclusive: inconclusive }),
    comparisonHtml(report),
    ...report.scenarios.map(loadScenarioHtml),
    ...(judged.length === 0 ? [] : [countsHtml(shown), requirementsHtml(shown)]),
    // Most requirements are judged by `verify` only, so they are folded away.
    foldedHtml(
      `Requirements that were not judged under load (${skipped.length})`,
      reasonsHtml('Not judged under load', skipped, codeHtml),
      'folded',
    ),
    observationsHtml(report),
  ];
}

function overviewHtml({ scenarios }: LoadReport): Html {
  const rows = scenarios.map((scenario) => {
    const { id, title, outcome, spent } = scenario;
    const link = html`<a href="#${anchor('scenario', id)}">${printableLine(title)}</a>`;
    return [link, badgeHtml(outcome), ...scenarioFigures(scenario), spent];
  });
  const columns = ['Scenario', 'Outcome', ...SCENARIO_COLUMNS, 'Requests'];
  return sectionHtml('Scenarios', figureTableHtml({ caption: 'Scenarios', columns, rows }));
}

function comparisonHtml({ comparison }: LoadReport): Html {
  if (comparison === null) {
    return NO_HTML;
  }
  const { file, startedAt, rows } = comparison;
  return sectionHtml(
    'Compared with an earlier report',
    html`${aboutHtml(
      `${printableLine(file)}, started ${printableLine(startedAt)}; each change is shown with its 95 % confidence bounds over the rounds of both.`,
    )}
    ${rows.length === 0 ? aboutHtml('The reports have no measure in common.') : figureTableHtml(baselineTable(comparison))}`,
  );
}
