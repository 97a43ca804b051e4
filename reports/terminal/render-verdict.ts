import { requestsInTrail } from '../../contract/trail.ts';
import type { Finding } from '../../contract/verdict.ts';
import { attention, type Cause, countFailures } from '../model/attention.ts';
import { failedFreedoms, freedomsText, herdLines, herdTitle } from '../model/client.ts';
import { ledThere, tallyText } from '../model/findings.ts';
import type {
  CertifyReport,
  LoadReport,
  Report,
  ReportedFreedom,
  ReportedRequirement,
  ReportedScenario,
  VerifyReport,
} from '../model/report.ts';
import {
  groupByReason,
  LEVELS,
  OUTCOMES,
  reasonOf,
  VERDICT_OUTCOME,
  verdictSign,
} from '../model/requirement-groups.ts';
import { effortText, explorationText, foundText, newerTitle, remarks, statesText } from '../model/run.ts';
import { needsAttention } from '../model/timeline.ts';
import { countText, paragraphs, printableLine } from '../model/words.ts';
import { baselineRowText, loadBlocks } from './load.ts';
import { OUTCOME_COLOUR, signOf, styleFor, titledLists, type Style } from './style.ts';

/** How the verdict is shown. */
export interface TerminalOptions {
  readonly color: boolean;
  /** Files and folders that hold the report. */
  readonly reportPaths: readonly string[];
}

/** Ids named after a reason before the rest is counted. */
const IDS_SHOWN = 4;

/** Findings shown of a failure: a client's are each of another scenario. */
const FINDINGS_SHOWN = { verify: 1, certify: 5, load: 3 } as const;

/** Last steps shown of a finding; report.json has all that were kept. */
const STEPS_SHOWN = 3;

/** Longest command line shown, in characters: one that is cut cannot be run. */
const LINE_LIMIT = 8000;

/** Longest reason and longest ending of a scenario shown, in characters. */
const REASON_LIMIT = 600;

/** What `verify`, `certify` and `load` print on stdout at the end; it ends in a line feed and has no control character of the target. */
export function renderVerdict(report: Report, { color, reportPaths }: TerminalOptions): string {
  const style = styleFor(color);
  const { failures, advice, expected, newer, inconclusive, skipped } = attention(report);
  const brief = (rows: readonly ReportedRequirement[]): readonly string[] =>
    rows.map((row) => briefLine(row, style));
  const lists = {
    ...(report.kind === 'load' ? comparisonList(report, style) : {}),
    'Problems of the run': report.problems.map((problem) => `  ! ${printableLine(problem)}`),
    [`Failed (${countFailures(failures)})`]: failures.flatMap((cause) =>
      failureLines(cause.root, FINDINGS_SHOWN[report.kind], style).concat(followerLines(cause, style)),
    ),
    [`Inconclusive (${inconclusive.length})`]: brief(inconclusive),
    [`Should, but does not (${countFailures(advice)})`]: advice.flatMap((cause) =>
      brief([cause.root]).concat(followerLines(cause, style)),
    ),
    [`Failed as the baseline expects (${expected.length})`]: brief(expected),
    [`${newerTitle(report)} (${newer.length})`]: brief(newer),
    // Most requirements are not judged under load; the counts below include them.
    [`Skipped (${skipped.length})`]: report.kind === 'load' ? [] : groupByReason(skipped).map(reasonLine),
    ...(report.kind === 'verify' ? explorationList(report, style) : {}),
    ...(report.kind === 'certify' ? clientLists(report, style) : {}),
  };
  return `${paragraphs([
    verdictLine(report, style),
    ...(report.kind === 'load' ? loadBlocks(report, style) : []),
    ...titledLists(lists, style),
    countsLines(report, style).join('\n'),
    ...reportLines(reportPaths),
  ])}\n`;
}

/** Names the files that hold the report. */
function reportLines(paths: readonly string[]): readonly string[] {
  return paths.length === 0 ? [] : [`Report: ${paths.map((path) => printableLine(path)).join(', ')}`];
}

function verdictLine({ verdict, scope }: Report, style: Style): string {
  const colour = OUTCOME_COLOUR[VERDICT_OUTCOME[verdict]];
  return style(['bold', colour], `${verdictSign(verdict)} ${printableLine(scope)}`);
}

function headLine({ id, level, clause, outcome }: ReportedRequirement, style: Style): string {
  const sign = signOf(outcome, style);
  return `  ${sign} ${style('bold', printableLine(id))} (${level}; ${printableLine(clause)})`;
}

function failureLines(requirement: ReportedRequirement, shown: number, style: Style): readonly string[] {
  const { title, findings, tally } = requirement;
  const [first] = findings;
  const again = repeatLine(findings);
  const often = tally === undefined ? '' : ` ${tallyText(tally)}`;
  return [
    headLine(requirement, style),
    `    ${style('dim', `${printableLine(title)}${often}`)}`,
    ...findings.slice(0, shown).map(({ message }) => `    ${printableLine(message)}`),
    ...(first === undefined ? [] : ledThere(first, STEPS_SHOWN)).map((line) => `      ${style('dim', line)}`),
    ...(again === undefined ? [] : [`    ${style('cyan', printableLine(again, LINE_LIMIT))}`]),
  ];
}

/** A command that shows it again: the check if it takes several requests, else the request. */
function repeatLine(findings: readonly Finding[]): string | undefined {
  const [first] = findings;
  const curl = first?.curl ?? findings.find((finding) => finding.curl !== undefined)?.curl;
  return first !== undefined && requestsOf(first) > 1 ? (first.repeat ?? curl) : (curl ?? first?.repeat);
}

/** How many requests led to a finding. */
function requestsOf({ trail }: Finding): number {
  return trail === undefined ? 0 : requestsInTrail(trail);
}

/** What follows from a failure, folded: a line for each. */
function followerLines({ root, followers }: Cause, style: Style): readonly string[] {
  return followers.length === 0
    ? []
    : [
        `    ${countText(followers.length, 'more failure')}, probably because of ${printableLine(root.id)}:`,
        ...followers.map((row) => `    ${briefLine(row, style)}`),
      ];
}

type Lists = Readonly<Record<string, readonly string[]>>;

/** Each measure next to that of the earlier report. */
function comparisonList({ comparison }: LoadReport, style: Style): Lists {
  return comparison === null
    ? {}
    : {
        [`Compared with ${printableLine(comparison.file, REASON_LIMIT)}`]: comparison.rows.map(
          (row) => `  ${baselineRowText(row, style)}`,
        ),
      };
}

/** What a client did in scenarios, with what services may do otherwise, and together with others. */
function clientLists({ scenarios, freedoms, herd }: CertifyReport, style: Style): Lists {
  const shown = scenarios.filter(needsAttention);
  return {
    [`Scenarios not passed (${shown.length} of ${scenarios.length})`]: shown.map((scenario) =>
      scenarioLine(scenario, style),
    ),
    ...(freedoms === undefined ? {} : { [freedomsText(freedoms)]: freedomLines(freedoms, style) }),
    ...(herd === undefined ? {} : { [herdTitle(herd)]: herdLines(herd).map((line) => `  ${line}`) }),
  };
}

function scenarioLine(scenario: ReportedScenario, style: Style): string {
  const { id, title, outcome, timeline, durationSeconds, ending } = scenario;
  const effort = `${countText(timeline.length, 'request')}, ${durationSeconds.toFixed(1)} s`;
  const end = ending === '' ? '' : `: ${printableLine(ending, REASON_LIMIT)}`;
  return `  ${signOf(outcome, style)} ${style('bold', printableLine(id))} ${printableLine(title)} (${effort})${end}`;
}

function freedomLines(freedoms: readonly ReportedFreedom[], style: Style): readonly string[] {
  return [
    '  This does not change the verdict.',
    ...failedFreedoms(freedoms).flatMap(({ title, failed }) => [
      `  ${signOf('fail', style)} ${style('bold', printableLine(title))} (${failed.map(({ scenario }) => printableLine(scenario)).join(', ')})`,
      `    ${printableLine(failed[0]?.failures.join(' ') ?? '', REASON_LIMIT)}`,
    ]),
  ];
}

function explorationList({ exploration }: VerifyReport, style: Style): Lists {
  return exploration === undefined
    ? {}
    : {
        Explored: [
          `  ${explorationText(exploration)}`,
          `  ${style('dim', printableLine(statesText(exploration), REASON_LIMIT))}`,
          ...exploration.found.map((found) => `  ${printableLine(foundText(found))}`),
        ],
      };
}

function briefLine(requirement: ReportedRequirement, style: Style): string {
  return `${headLine(requirement, style)}: ${printableLine(reasonOf(requirement), REASON_LIMIT)}`;
}

function reasonLine([reason, group]: readonly [string, readonly ReportedRequirement[]]): string {
  const ids = group.slice(0, IDS_SHOWN).map(({ id }) => printableLine(id));
  const rest = group.length > IDS_SHOWN ? [`${group.length - IDS_SHOWN} more`] : [];
  return `  ${group.length.toString().padStart(3)}  ${printableLine(reason, 300)} (${[...ids, ...rest].join(', ')})`;
}

function countsLines(report: Report, style: Style): readonly string[] {
  const { counts } = report;
  const levels = LEVELS.map((level) => {
    const parts = OUTCOMES.filter((outcome) => counts[level][outcome] > 0).map((outcome) =>
      style(OUTCOME_COLOUR[outcome], `${counts[level][outcome]} ${outcome}`),
    );
    return `${level.padEnd(8)} ${parts.length === 0 ? 'none' : parts.join(', ')}`;
  });
  return [...levels, effortText(report), ...remarks(report).map((remark) => printableLine(remark))];
}
