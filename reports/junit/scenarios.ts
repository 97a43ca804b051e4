import type { CertifyReport, ReportedScenario } from '../model/report.ts';
import { tableTexts } from '../model/table.ts';
import { backoffText, timelineTable } from '../model/timeline.ts';
import { paragraphs, printableBlock, printableLine } from '../model/words.ts';
import type { TestResult, TestSuite } from './test-case.ts';

/** More requests than this are counted, not listed; report.json has all. */
const ROWS_SHOWN = 40;

/** Longest output shown of a client, in characters. */
const OUTPUT_LIMIT = 4000;

/** A case per scenario, with its requests and the client's output. */
export function scenarioSuite(report: CertifyReport): TestSuite {
  return {
    name: 'stockcheck.scenarios',
    cases: report.scenarios.map((scenario) => ({
      name: printableLine(`${scenario.id}: ${scenario.title}`),
      seconds: scenario.durationSeconds,
      result: resultOf(scenario),
    })),
  };
}

/** Another scenario may decide what one leaves open, so only the requirements are errors. */
function resultOf(scenario: ReportedScenario): TestResult {
  const { outcome, failures, ending } = scenario;
  const text = scenarioText(scenario);
  switch (outcome) {
    case 'fail': {
      const more = failures.length > 1 ? ` (and ${failures.length - 1} more)` : '';
      const message = `${printableLine(failures[0] ?? ending)}${more}`;
      return { status: 'failure', message, type: 'scenario', text };
    }
    case 'inconclusive':
    case 'skipped':
      return { status: 'skipped', message: `${outcome}: ${printableLine(ending)}`, text };
    default:
      return { status: 'passed', text };
  }
}

function scenarioText(scenario: ReportedScenario): string {
  const { task, timeline, failures, ending, output } = scenario;
  const [columns = [], ...requests] = tableTexts(timelineTable(scenario, ROWS_SHOWN));
  const rows = requests.map((cells) => cells.map((cell, column) => `${columns[column]}: ${cell}`).join('; '));
  const hidden = timeline.length - ROWS_SHOWN;
  const parts = [
    printableLine(task),
    failures.map((failure) => printableLine(failure)).join('\n'),
    [...rows, ...(hidden > 0 ? [`and ${hidden} more`] : [])].join('\n'),
    backoffText(scenario),
    printableLine(ending),
    output === '' ? '' : `What the client wrote:\n${printableBlock(output, OUTPUT_LIMIT)}`,
  ];
  return paragraphs(parts);
}
