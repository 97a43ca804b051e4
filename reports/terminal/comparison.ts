import type { BaselineRow } from '../../contract/load-result.ts';
import type { Outcome } from '../../contract/verdict.ts';
import {
  type OutcomeChange,
  type ReportComparison,
  type Trend,
  trendOf,
  type Turn,
} from '../model/compare-reports.ts';
import { observationText } from '../model/observations.ts';
import type { MatrixRow, ReportMatrix } from '../model/report-matrix.ts';
import type { Observation, Report, ReportedRequirement } from '../model/report.ts';
import { OUTCOME_SIGN, reasonOf, verdictSign } from '../model/requirement-groups.ts';
import { subjectText } from '../model/run.ts';
import { countText, paragraphs, printableLine } from '../model/words.ts';
import { baselineRowText } from './load.ts';
import { OUTCOME_COLOUR, signOf, styleFor, titledLists, type Style } from './style.ts';

/** Two reports with their names and their differences; of loads also the measures. */
export interface ComparedReports {
  readonly before: { readonly name: string; readonly report: Report };
  readonly after: { readonly name: string; readonly report: Report };
  readonly comparison: ReportComparison;
  readonly measures: readonly BaselineRow[];
  /** Why scenarios of a load could not be compared; in sentences. */
  readonly leftOut: readonly string[];
}

const TURN_TITLES = {
  broken: 'Fails now',
  lost: 'No longer judged',
  fixed: 'Fixed: failed before and passes now',
  gained: 'Passes now, was not judged before',
  other: 'Not judged in either, for another reason',
} as const satisfies Record<Turn, string>;
const TREND_OUTCOME = {
  worse: 'fail',
  less: 'inconclusive',
  'not worse': 'pass',
} as const satisfies Record<Trend, Outcome>;
const TURNS = ['broken', 'lost', 'fixed', 'gained', 'other'] as const satisfies readonly Turn[];

/** What `compare` prints on stdout; it ends in a line feed and has no control character of a report. */
export function renderComparison(compared: ComparedReports, color: boolean): string {
  const style = styleFor(color);
  const { before, after, comparison, measures } = compared;
  const { requirements, failing, scenarios, observations } = comparison;
  const caveats = [...comparison.caveats, ...compared.leftOut];
  const summary = summaryLine(compared, style);
  const turned = TURNS.map((turn) => {
    const changes = requirements.filter((change) => change.turn === turn);
    const lines = changes.flatMap((change) => requirementLines(change, style));
    return [`${TURN_TITLES[turn]} (${changes.length})`, lines] as const;
  });
  const lists = titledLists(
    {
      'Keep in mind': caveats.map((caveat) => `  ! ${printableLine(caveat)}`),
      ...Object.fromEntries(turned),
      [`Fails in both (${failing.length})`]: failing.map(
        ({ id, level }) => `  ${signOf('fail', style)} ${printableLine(id)} (${level})`,
      ),
      [`Scenarios (${scenarios.length})`]: scenarios.map(
        (change) => `  ${changeSign(change, style)} ${changeText(change, style)}`,
      ),
      [`Measures (${measures.length})`]: measures.map((row) => `  ${baselineRowText(row, style)}`),
      [`Observations that changed (${observations.length})`]: observations.map(
        ({ name, before: was, after: is }) =>
          `  ${signOf('observed', style)} ${style('bold', printableLine(name))}: ${valueText(was)} → ${valueText(is)}`,
      ),
    },
    style,
  );
  const again = lists.length > 1 ? [summary] : [];
  const heads = [headLine('A', before.name, before.report), headLine('B', after.name, after.report)];
  return `${paragraphs([summary, heads.join('\n'), ...lists, ...again])}\n`;
}

function summaryLine({ comparison, measures }: ComparedReports, style: Style): string {
  const { requirements, scenarios, observations } = comparison;
  const count = (turn: Turn): number => requirements.filter((change) => change.turn === turn).length;
  const worse = measures.filter(({ judgement }) => judgement === 'worse').length;
  const better = measures.filter(({ judgement }) => judgement === 'better').length;
  const parts = [
    [count('broken'), `${countText(count('broken'), 'requirement')} broken`],
    [count('lost'), `${count('lost')} no longer judged`],
    [count('fixed'), `${count('fixed')} fixed`],
    [count('gained'), `${count('gained')} newly judged`],
    [scenarios.length, `${countText(scenarios.length, 'scenario')} changed`],
    [worse, `${countText(worse, 'measure')} worse`],
    [better, `${countText(better, 'measure')} better`],
    [observations.length, `${countText(observations.length, 'observation')} changed`],
  ] as const;
  const said = parts.filter(([number]) => number > 0).map(([, text]) => text);
  const outcome = TREND_OUTCOME[trendOf(comparison, measures)];
  const text = said.length === 0 ? 'nothing changed' : said.join(', ');
  return style(['bold', OUTCOME_COLOUR[outcome]], `${OUTCOME_SIGN[outcome]} ${text}`);
}

function headLine(letter: string, name: string, report: Report): string {
  const sign = verdictSign(report.verdict);
  const parts = [subjectText(report), report.startedAt].map((part) => printableLine(part));
  return `  ${letter}  ${printableLine(name)}: ${sign} ${printableLine(report.scope)} (${parts.join(', ')})`;
}

function requirementLines(change: OutcomeChange<ReportedRequirement>, style: Style): readonly string[] {
  const { row: requirement, decides, turn, after } = change;
  const weight = decides ? requirement.level : `${requirement.level}, does not decide`;
  const head = `  ${changeSign(change, style)} ${changeText(change, style)} (${weight}; ${printableLine(requirement.clause)})`;
  const curl = requirement.findings.find((finding) => finding.curl !== undefined)?.curl;
  switch (turn) {
    case 'broken':
      return [
        head,
        ...requirement.findings.slice(0, 1).map(({ message }) => `    ${printableLine(message)}`),
        ...(curl === undefined ? [] : [`    ${style('cyan', printableLine(curl, 2000))}`]),
      ];
    case 'lost':
    case 'other':
      return after === null ? [head] : [head, `    ${printableLine(reasonOf(requirement))}`];
    case 'fixed':
    case 'gained':
      return [head];
  }
}

function changeSign({ after }: OutcomeChange, style: Style): string {
  return after === null ? '–' : signOf(after, style);
}

function changeText({ row, before, after }: OutcomeChange, style: Style): string {
  return `${style('bold', printableLine(row.id))}: ${before ?? 'not in A'} → ${after ?? 'not in B'}`;
}

function valueText(observation: Observation | undefined): string {
  return observation === undefined ? '(not observed)' : observationText(observation);
}

/** The matrix for a terminal: the reports by letter, what differs, and how many requirements are alike. */
export function renderMatrix(matrix: ReportMatrix, color: boolean): string {
  const style = styleFor(color);
  const { reports, requirements, observations } = matrix;
  const heads = reports.map(
    ({ name, verdict, scope }, index) =>
      `  ${letterOf(index)}  ${printableLine(name)}: ${verdictSign(verdict)} ${printableLine(scope)}`,
  );
  const differing = requirements.filter(({ differs }) => differs);
  const alike = requirements.length - differing.length;
  const letters = reports.map((_report, index) => letterOf(index)).join(' ');
  const lists = titledLists(
    {
      [`Requirements that differ (${differing.length})`]: [
        ...(differing.length === 0 ? [] : [`  ${letters}`]),
        ...differing.map((row) => matrixLine(row, style)),
      ],
      [`Observations that differ (${observations.length})`]: observations.map(({ name, values }) => {
        const shown = values.map((value) => (value === null ? '(not observed)' : observationText(value)));
        return `  ${style('bold', printableLine(name))}: ${shown.join(' | ')}`;
      }),
    },
    style,
  );
  return `${paragraphs([
    heads.join('\n'),
    ...lists,
    `${alike} requirements have the same outcome in all reports.`,
  ])}\n`;
}

function matrixLine({ id, level, cells }: MatrixRow, style: Style): string {
  const signs = cells.map((cell) => (cell === null ? '–' : signOf(cell.outcome, style)));
  return `  ${signs.join(' ')}  ${style('bold', printableLine(id))} (${level})`;
}

/** A, B, …, Z, AA, AB, … */
function letterOf(index: number): string {
  const letter = String.fromCodePoint(65 + (index % 26));
  return index < 26 ? letter : `${letterOf(Math.floor(index / 26) - 1)}${letter}`;
}
