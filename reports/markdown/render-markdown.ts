import { attention, type Cause, listCauses } from '../model/attention.ts';
import {
  failedFreedoms,
  freedomsText,
  freedomTable,
  herdLines,
  herdTitle,
  returnTable,
} from '../model/client.ts';
import { followsText, requestText, responseText, ledThere, tallyText } from '../model/findings.ts';
import { observationTable } from '../model/observations.ts';
import type {
  CertifyReport,
  Report,
  ReportedRequirement,
  ReportedScenario,
  VerifyReport,
} from '../model/report.ts';
import {
  groupByArea,
  groupByReason,
  OUTCOME_SIGN,
  OUTCOMES,
  verdictSign,
} from '../model/requirement-groups.ts';
import {
  effortText,
  explorationText,
  failureLists,
  foundText,
  remarks,
  statesText,
  subjectText,
} from '../model/run.ts';
import { backoffText, needsAttention, timelineTable } from '../model/timeline.ts';
import { paragraphs, printableBlock, printableLine } from '../model/words.ts';
import { comparisonText, environmentText, loadScenariosText } from './load.ts';
import { bullets, codeBlock, collapsed, markdownTable, markdownText, tableText } from './text.ts';

/** Longest body shown of a request or a response, in characters. */
const BODY_LIMIT = 1000;

/** Longest command line shown, in characters: one that is cut cannot be run. */
const LINE_LIMIT = 4000;

/** Failures shown with their exchange; a job summary on GitHub holds 1 MiB. */
const EXCHANGES_SHOWN = 30;

/** The report as GitHub-flavoured Markdown, made for the summary of a CI job. */
export function renderMarkdown(report: Report): string {
  const { failures, inconclusive, skipped } = attention(report);
  const [first, ...others] = failureLists(report).map(([title, causes]) =>
    section(title, failuresText(causes)),
  );
  const parts = [
    headText(report),
    section('Problems of the run', bullets(report.problems)),
    ...(report.kind === 'load'
      ? [
          section('Scenarios', loadScenariosText(report)),
          section('Compared with an earlier report', comparisonText(report)),
        ]
      : []),
    first ?? '',
    evidenceText(failures.map(({ root }) => root)),
    ...others,
    section('Outcomes', areasText(report)),
    ...(report.kind === 'certify'
      ? [freedomsSection(report), herdSection(report), section('Scenarios', scenariosText(report.scenarios))]
      : []),
    section('Inconclusive', reasonsText(inconclusive)),
    skippedText(report, skipped),
    report.kind === 'verify' ? section('Explored', exploredText(report)) : '',
    observationsText(report),
  ];
  return `${paragraphs(parts)}\n`;
}

function headText(report: Report): string {
  const { kind, verdict, scope, suite } = report;
  const subject = `${kind === 'certify' ? 'Client' : 'Target'} ${markdownText(subjectText(report))}`;
  return paragraphs([
    `# ${verdictSign(verdict)} stockcheck: ${verdict}`,
    `**${markdownText(scope)}**`,
    `${subject}, ${effortText(report)}, stockcheck ${markdownText(suite.version)}.`,
    ...remarks(report).map((remark) => markdownText(remark)),
    report.kind === 'load' ? environmentText(report) : '',
  ]);
}

function freedomsSection({ freedoms }: CertifyReport): string {
  return freedoms === undefined
    ? ''
    : section(
        'What services may do otherwise',
        paragraphs([
          `${freedomsText(freedoms)}. This does not change the verdict.`,
          tableText(freedomTable(failedFreedoms(freedoms))),
        ]),
      );
}

function herdSection({ herd }: CertifyReport): string {
  return herd === undefined
    ? ''
    : section(herdTitle(herd), paragraphs([bullets(herdLines(herd)), tableText(returnTable(herd))]));
}

/** Scenarios shown request by request, requests of each, and characters of output; report.json has all. */
const SCENARIOS_SHOWN = 30;
const ROWS_SHOWN = 20;
const OUTPUT_LIMIT = 1000;

/** A table of all scenarios, and what happened in those that did not pass. */
function scenariosText(scenarios: readonly ReportedScenario[]): string {
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

function exploredText({ exploration }: VerifyReport): string {
  return exploration === undefined
    ? ''
    : paragraphs([
        `${explorationText(exploration)}.`,
        `States: ${statesText(exploration)}.`,
        bullets(exploration.found.map(foundText)),
      ]);
}

function section(title: string, body: string): string {
  return body === '' ? '' : `## ${title}\n\n${body}`;
}

/** A row for each failure; what follows from another one stands below it, and says so. */
function failuresText(causes: readonly Cause[]): string {
  return markdownTable(
    ['Requirement', 'Level', 'Clause', 'What was seen'],
    listCauses(causes).map(({ row: { id, level, clause, findings, title, tally }, root }) => {
      const times = tally === undefined ? '' : ` ${tallyText(tally)}`;
      const follows = root === null ? '' : ` ${markdownText(followsText(root))}`;
      return [
        `${root === null ? '' : '↳ '}${markdownText(id)}`,
        level,
        markdownText(clause),
        `${markdownText(findings[0]?.message ?? title)}${times}${follows}`,
      ];
    }),
  );
}

function evidenceText(failures: readonly ReportedRequirement[]): string {
  return failures
    .slice(0, EXCHANGES_SHOWN)
    .flatMap(({ id, title, findings }) => {
      const [finding] = findings;
      if (finding === undefined) {
        return [];
      }
      const { exchange, curl, repeat } = finding;
      const led = ledThere(finding, 10);
      const lines = [repeat, curl].filter((line) => line !== undefined);
      const blocks = [
        markdownText(title),
        led.length === 0 ? '' : codeBlock('text', led.join('\n')),
        lines.length === 0
          ? ''
          : codeBlock('sh', lines.map((line) => printableLine(line, LINE_LIMIT)).join('\n')),
        ...(exchange === undefined
          ? []
          : [requestText(exchange, BODY_LIMIT), responseText(exchange, BODY_LIMIT)].map((text) =>
              codeBlock('http', text),
            )),
      ];
      return [collapsed(`Evidence: ${printableLine(id)}`, paragraphs(blocks))];
    })
    .join('\n\n');
}

function areasText({ requirements }: Report): string {
  return markdownTable(
    ['Area', ...OUTCOMES.map((outcome) => `${OUTCOME_SIGN[outcome]} ${outcome}`)],
    [
      ...groupByArea(requirements).map(([area, group]) => outcomeCells(markdownText(area), group)),
      outcomeCells('**all**', requirements),
    ],
  );
}

function outcomeCells(name: string, group: readonly ReportedRequirement[]): readonly string[] {
  return [name, ...OUTCOMES.map((outcome) => `${group.filter((one) => one.outcome === outcome).length}`)];
}

function reasonsText(requirements: readonly ReportedRequirement[]): string {
  return groupByReason(requirements)
    .map(
      ([reason, group]) =>
        `- **${group.length}:** ${markdownText(reason)} (${group.map(({ id }) => markdownText(id)).join(', ')})`,
    )
    .join('\n');
}

/** Most requirements are not judged under load. */
function skippedText({ kind }: Report, skipped: readonly ReportedRequirement[]): string {
  const reasons = reasonsText(skipped);
  return kind === 'load' && reasons !== ''
    ? collapsed(`Not judged under load (${skipped.length})`, reasons)
    : section('Skipped', reasons);
}

function observationsText({ observations }: Report): string {
  const table = observationTable(observations);
  return table.rows.length === 0 ? '' : collapsed(`Observations (${table.rows.length})`, tableText(table));
}
