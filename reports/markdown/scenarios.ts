import type { ReportedScenario } from '../model/report.ts';
import { OUTCOME_SIGN } from '../model/requirement-groups.ts';
import { backoffText, needsAttention, timelineTable } from '../model/timeline.ts';
import { paragraphs, printableBlock, printableLine } from '../model/words.ts';
import { codeBlock, collapsed, markdownText, tableText } from './text.ts';

/** Scenarios shown request by request, requests of each, and characters of output; report.json has all. */
const SCENARIOS_SHOWN = 30;
const ROWS_SHOWN = 20;
const OUTPUT_LIMIT = 1000;

/** A table of all scenarios, and what happened in those that did not pass. */
export function scenariosText(scenarios: readonly ReportedScenario[]): string {
  const table = tableText({
    caption: 'Scenarios',
    columns: ['Outcome', 'Scenario', 'Title', 'Requests', 'Seconds', 'How it ended'],
    rows: scenarios.map(({ id, title, outcome, timeline, durationSeconds, ending }) => [
      { outcome, words: outcome },
      id,
      title,
      timeline.length,
      durationSeconds.toFixed(1),
      ending,
    ]),
  });
  const details = scenarios.filter(needsAttention).slice(0, SCENARIOS_SHOWN).map(scenarioText);
  return scenarios.length === 0
    ? ''
    : paragraphs([collapsed(`All ${scenarios.length} scenarios`, table), ...details]);
}

function scenarioText(scenario: ReportedScenario): string {
  const { id, title, outcome, timeline, failures, output } = scenario;
  const hidden = timeline.length - ROWS_SHOWN;
  const parts = [
    failures.map((failure) => `- ${markdownText(failure, 1000)}`).join('\n'),
    timeline.length === 0 ? 'No request arrived.' : tableText(timelineTable(scenario, ROWS_SHOWN)),
    hidden > 0 ? `and ${hidden} more requests in report.json` : '',
    markdownText(backoffText(scenario)),
    output === '' ? '' : codeBlock('text', printableBlock(output, OUTPUT_LIMIT)),
  ];
  return collapsed(
    `${OUTCOME_SIGN[outcome]} ${printableLine(id)}: ${printableLine(title)}`,
    paragraphs(parts),
  );
}
