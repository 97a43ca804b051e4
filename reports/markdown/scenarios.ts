import type { ReportedScenario } from '../model/report.ts';
import { OUTCOME_SIGN } from '../model/requirement-groups.ts';
import { backoffText, needsAttention, TIMELINE_COLUMNS, timelineRow } from '../model/timeline.ts';
import { printableBlock, printableLine } from '../model/words.ts';
import { codeBlock, collapsed, markdownTable, markdownText } from './text.ts';

/** Scenarios shown request by request, requests of each, and characters of output; report.json has all. */
const SCENARIOS_SHOWN = 30;
const ROWS_SHOWN = 20;
const OUTPUT_LIMIT = 1000;

/** A table of all scenarios, and what happened in those that did not pass. */
export function scenariosText(scenarios: readonly ReportedScenario[]): string {
  if (scenarios.length === 0) {
    return '';
  }
  const rows = scenarios.map(({ id, title, outcome, timeline, durationSeconds, ending }) => [
    `${OUTCOME_SIGN[outcome]} ${outcome}`,
    markdownText(id),
    markdownText(title),
    `${timeline.length}`,
    durationSeconds.toFixed(1),
    markdownText(ending),
  ]);
  const table = markdownTable(['Outcome', 'Scenario', 'Title', 'Requests', 'Seconds', 'How it ended'], rows);
  const details = scenarios.filter(needsAttention).slice(0, SCENARIOS_SHOWN).map(scenarioText);
  return [collapsed(`All ${scenarios.length} scenarios`, table), ...details].join('\n\n');
}

function scenarioText(scenario: ReportedScenario): string {
  const { id, title, outcome, timeline, failures, output } = scenario;
  const rows = timeline
    .slice(0, ROWS_SHOWN)
    .map((_, index) => timelineRow(timeline, index).map((cell) => markdownText(cell)));
  const hidden = timeline.length - ROWS_SHOWN;
  const waits = backoffText(scenario);
  const parts = [
    failures.map((failure) => `- ${markdownText(failure, 1000)}`).join('\n'),
    rows.length === 0 ? 'No request arrived.' : markdownTable(TIMELINE_COLUMNS, rows),
    hidden > 0 ? `and ${hidden} more requests in report.json` : '',
    waits === '' ? '' : markdownText(waits),
    output === '' ? '' : codeBlock('text', printableBlock(output, OUTPUT_LIMIT)),
  ];
  return collapsed(
    `${OUTCOME_SIGN[outcome]} ${printableLine(id)}: ${printableLine(title)}`,
    parts.filter((part) => part !== '').join('\n\n'),
  );
}
