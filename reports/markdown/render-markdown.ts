import { attention } from '../model/attention.ts';
import { apart, type Cause, listCauses } from '../model/causes.ts';
import {
  failedFreedoms,
  FREEDOM_COLUMNS,
  freedomRow,
  freedomsText,
  herdLines,
  herdTitle,
  RETURN_COLUMNS,
  returnRow,
  serverText,
} from '../model/client.ts';
import { followsText, requestText, responseText, stepText, tallyText } from '../model/findings.ts';
import { observationText } from '../model/observations.ts';
import type { CertifyReport, Report, ReportedRequirement, VerifyReport } from '../model/report.ts';
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
  foundText,
  newerTitle,
  powerText,
  statesText,
  subjectText,
} from '../model/run.ts';
import { shortTrail } from '../model/trail.ts';
import { printableLine } from '../model/words.ts';
import { comparisonText, environmentText, loadScenariosText } from './load.ts';
import { scenariosText } from './scenarios.ts';
import { codeBlock, collapsed, markdownTable, markdownText } from './text.ts';

/** Longest body shown of a request or a response, in characters. */
const BODY_LIMIT = 1000;

/** Longest command line shown, in characters: one that is cut cannot be run. */
const LINE_LIMIT = 4000;

/** Failures shown with their exchange; a job summary on GitHub holds 1 MiB. */
const EXCHANGES_SHOWN = 30;

/** The report as GitHub-flavoured Markdown, made for the summary of a CI job. */
export function renderMarkdown(report: Report): string {
  const { failures, advice, expected, newer, inconclusive, skipped } = attention(report);
  const parts = [
    headText(report),
    section('Problems of the run', report.problems.map((problem) => `- ${markdownText(problem)}`).join('\n')),
    report.kind === 'load' ? section('Scenarios', loadScenariosText(report)) : '',
    report.kind === 'load' ? section('Compared with an earlier report', comparisonText(report)) : '',
    section('What failed', failuresText(failures)),
    evidenceText(failures.map(({ root }) => root)),
    section('Should, but does not', failuresText(advice)),
    section('Failed as the baseline expects', failuresText(apart(expected))),
    section(newerTitle(report), failuresText(apart(newer))),
    section('Outcomes', areasText(report)),
    report.kind === 'certify' ? section('What services may do otherwise', freedomsSection(report)) : '',
    report.kind === 'certify' ? herdSection(report) : '',
    report.kind === 'certify' ? section('Scenarios', scenariosText(report.scenarios)) : '',
    section('Inconclusive', reasonsText(inconclusive)),
    skippedText(report, skipped),
    report.kind === 'verify' ? section('Explored', exploredText(report)) : '',
    observationsText(report),
  ];
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

function headText(report: Report): string {
  const { kind, verdict, scope, suite } = report;
  const subject = `${kind === 'certify' ? 'Client' : 'Target'} ${markdownText(subjectText(report))}`;
  return [
    `# ${verdictSign(verdict)} stockcheck: ${verdict}`,
    `**${markdownText(scope)}**`,
    `${subject}, ${effortText(report)}, stockcheck ${markdownText(suite.version)}.`,
    ...(report.kind === 'certify' && report.server !== undefined
      ? [`${markdownText(serverText(report.server))}.`]
      : []),
    ...(report.power === undefined ? [] : [`${powerText(report.power, report.kind)}.`]),
    ...(report.kind === 'verify' && report.fingerprint !== undefined
      ? [`Fingerprint: ${markdownText(report.fingerprint)}`]
      : []),
    ...(report.kind === 'load' ? environmentText(report) : []),
  ].join('\n\n');
}

function freedomsSection({ freedoms }: CertifyReport): string {
  return freedoms === undefined
    ? ''
    : [
        `${freedomsText(freedoms)}. This does not change the verdict.`,
        table(
          FREEDOM_COLUMNS,
          failedFreedoms(freedoms).map((row) => freedomRow(row).map((cell) => markdownText(cell))),
        ),
      ].join('\n\n');
}

function herdSection({ herd }: CertifyReport): string {
  return herd === undefined
    ? ''
    : section(
        herdTitle(herd),
        [
          herdLines(herd)
            .map((line) => `- ${line}`)
            .join('\n'),
          table(RETURN_COLUMNS, herd.refusals.map(returnRow)),
        ].join('\n\n'),
      );
}

function exploredText({ exploration }: VerifyReport): string {
  return exploration === undefined
    ? ''
    : [
        `${explorationText(exploration)}.`,
        `States: ${statesText(exploration)}.`,
        ...exploration.found.map((found) => `- ${markdownText(foundText(found))}`),
      ].join('\n\n');
}

function section(title: string, body: string): string {
  return body === '' ? '' : `## ${title}\n\n${body}`;
}

function table(columns: readonly string[], rows: readonly (readonly string[])[]): string {
  return rows.length === 0 ? '' : markdownTable(columns, rows);
}

/** A row for each failure; what follows from another one stands below it, and says so. */
function failuresText(causes: readonly Cause[]): string {
  return table(
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
      const { exchange, curl, repeat, trail, steps = [] } = finding;
      const led = trail === undefined ? steps.map(stepText) : shortTrail(trail, 3, 8);
      const lines = [repeat, curl].filter((line) => line !== undefined);
      const blocks = [
        markdownText(title),
        ...(led.length === 0 ? [] : [codeBlock('text', led.join('\n'))]),
        ...(lines.length === 0
          ? []
          : [codeBlock('sh', lines.map((line) => printableLine(line, LINE_LIMIT)).join('\n'))]),
        ...(exchange === undefined
          ? []
          : [
              codeBlock('http', requestText(exchange, BODY_LIMIT)),
              codeBlock('http', responseText(exchange, BODY_LIMIT)),
            ]),
      ];
      return [collapsed(`Evidence: ${printableLine(id)}`, blocks.join('\n\n'))];
    })
    .join('\n\n');
}

function areasText({ requirements }: Report): string {
  return table(
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
  const rows = Object.entries(observations).map(([name, value]) => [
    markdownText(name),
    markdownText(observationText(value)),
  ]);
  return rows.length === 0
    ? ''
    : collapsed(
        `Observations (${rows.length})`,
        markdownTable(['What the specification leaves open', 'Seen'], rows),
      );
}
