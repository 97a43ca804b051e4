import type { ComparedMeasure } from '../../contract/load-result.ts';
import type { Outcome } from '../../contract/verdict.ts';
import { choiceHtml } from '../html/choice.ts';
import { findingHtml } from '../html/finding.ts';
import { anchor } from '../html/parts.ts';
import {
  type OutcomeChange,
  type ReportComparison,
  type Trend,
  trendOf,
  type Turn,
} from '../model/compare-reports.ts';
import { observationText } from '../model/observations.ts';
import { changeText, measureText } from '../model/load.ts';
import type { MatrixRow, NamedReport, ReportMatrix } from '../model/report-matrix.ts';
import type { Observation, ReportedRequirement } from '../model/report.ts';
import { reasonOf, verdictSign } from '../model/requirement-groups.ts';
import { dateText, subjectText } from '../model/run.ts';
import { countText } from '../model/words.ts';
import * as doc from './document.ts';

/** Two reports with their names and their differences; of loads also the measures. */
export interface ComparedReports {
  readonly before: NamedReport;
  readonly after: NamedReport;
  readonly comparison: ReportComparison;
  readonly measures: readonly ComparedMeasure[];
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

/** What `compare` says of two reports. */
export function changesDocument(compared: ComparedReports): doc.Document {
  const { before, after, comparison, measures, leftOut } = compared;
  const { requirements, failing, scenarios, observations } = comparison;
  const verdict = changesText(compared);
  return {
    title: 'Two reports compared',
    outcome: TREND_OUTCOME[trendOf(comparison, measures, leftOut)],
    about: 'comparison · Petstore Inventory Service',
    verdict,
    scope: verdict,
    facts: [],
    isLong: true,
    blocks: [
      doc.section('Reports', doc.lines([reportText('A', before), reportText('B', after)])),
      doc.section('Keep in mind', doc.notices([...comparison.caveats, ...leftOut])),
      ...TURNS.map((turn) =>
        counted(TURN_TITLES[turn], requirements.filter((change) => change.turn === turn).map(changeEntry)),
      ),
      counted(
        'Fails in both',
        failing.map(({ id, level }) => doc.entry('fail', [{ name: id }, ` (${level})`])),
      ),
      counted(
        'Scenarios',
        scenarios.map((change) => doc.entry(change.after ?? 'skipped', changeWords(change))),
      ),
      counted('Measures', measures.map(measureEntry)),
      counted(
        'Observations that changed',
        observations.map(({ name, before: was, after: is }) =>
          doc.entry('observed', [{ name }, `: ${valueText(was)} → ${valueText(is)}`]),
        ),
      ),
    ],
  };
}

function counted(title: string, changes: readonly doc.Entry[]): doc.DocumentBlock {
  return doc.section(`${title} (${changes.length})`, doc.entries(changes));
}

function changesText({ comparison, measures, leftOut }: ComparedReports): string {
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
  const nothing =
    measures.length === 0 && leftOut.length > 0 ? 'no measure could be compared' : 'nothing changed';
  return said.length === 0 ? nothing : said.join(', ');
}

function reportText(letter: string, { name, report }: NamedReport): string {
  const { verdict, scope, startedAt } = report;
  return `${letter}  ${name}: ${verdictSign(verdict)} ${scope} (${subjectText(report)}, ${startedAt})`;
}

function changeEntry(change: OutcomeChange<ReportedRequirement>): doc.Entry {
  const { row, decides, turn, after } = change;
  const weight = decides ? row.level : `${row.level}, does not decide`;
  const curl = row.findings.find((finding) => finding.curl !== undefined)?.curl;
  const isOpen = (turn === 'lost' || turn === 'other') && after !== null;
  return doc.entry(
    after ?? 'skipped',
    [...changeWords(change), ` (${weight}; ${row.clause})`],
    doc.line(turn === 'broken' ? row.findings[0]?.message : isOpen ? reasonOf(row) : undefined),
    doc.commands(turn === 'broken' ? [curl] : []),
  );
}

function changeWords({ row, before, after }: OutcomeChange): readonly doc.Words[] {
  return [{ name: row.id }, `: ${before ?? 'not in A'} → ${after ?? 'not in B'}`];
}

/** What the comparison says, with the outcome whose sign and colour it has. */
const JUDGEMENTS = {
  better: { outcome: 'pass', words: 'better' },
  same: { outcome: 'observed', words: 'no difference beyond the spread of the rounds' },
  worse: { outcome: 'fail', words: 'worse' },
  'too few rounds': { outcome: 'inconclusive', words: 'too few rounds to judge' },
} as const satisfies Readonly<Record<ComparedMeasure['judgement'], doc.Words>>;

/** A measure next to that of the earlier report, in a line. */
function measureEntry(row: ComparedMeasure): doc.Entry {
  const { scenario, measure, unit, before, after, judgement } = row;
  const values = `${measureText(before, unit)} to ${measureText(after, unit)}`;
  const { outcome, words } = JUDGEMENTS[judgement];
  return doc.entry(outcome, `${scenario} ${measure}: ${values}, ${changeText(row)}: ${words}`);
}

function valueText(observation: Observation | null | undefined): string {
  return observation === undefined || observation === null ? '(not observed)' : observationText(observation);
}

/**
 * What `compare` says of several reports: what differs and, but on a terminal, how each requirement came out. In a page
 * each cell that did not pass leads to what was seen, or to the reason.
 */
export function matrixDocument(matrix: ReportMatrix, reports: readonly NamedReport[]): doc.Document {
  const { requirements, observations } = matrix;
  const differing = requirements.filter(({ differs }) => differs);
  const alike = requirements.filter(({ differs }) => !differs);
  const count = countText(matrix.reports.length, 'report');
  return {
    title: `${count} compared`,
    outcome: differing.length === 0 ? 'pass' : 'observed',
    sign: differing.length === 0 ? '=' : '≠',
    about: 'comparison · Petstore Inventory Service',
    verdict: `${count} side by side`,
    scope: `${countText(differing.length, 'requirement')} and ${countText(observations.length, 'silence')} differ`,
    facts: [],
    isWide: true,
    blocks: [
      doc.section('Reports', doc.table(reportsTable(matrix))),
      doc.drawing(() => choiceHtml({ of: 'row', by: ['level'] })),
      rowsSection('Requirements that differ', matrix, differing),
      doc.section(`Silences that differ (${observations.length})`, doc.table(silencesTable(matrix))),
      doc.unlessTerminal(rowsSection('Requirements that are alike', matrix, alike)),
      doc.onPage(...reports.map(shownSection)),
      doc.onTerminal(doc.line(`${alike.length} requirements have the same outcome in all reports.`)),
    ],
  };
}

function reportsTable({ reports }: ReportMatrix): doc.Table {
  return {
    caption: 'Reports',
    columns: ['Report', 'Verdict', 'Of', 'Made', 'By'],
    rows: reports.map(({ name, verdict, scope, subject, startedAt, version }) => [
      name,
      `${verdictSign(verdict)} ${scope}`,
      subject,
      dateText(startedAt),
      `stockcheck ${version}`,
    ]),
  };
}

/** Requirements with a column for each report. */
function rowsSection(
  title: string,
  { reports }: ReportMatrix,
  rows: readonly MatrixRow[],
): doc.DocumentBlock {
  return doc.section(
    `${title} (${rows.length})`,
    doc.table({
      caption: title,
      columns: ['Requirement', 'Level', ...reports.map(({ name }) => name), 'Statement'],
      rows: rows.map(({ id, level, title, cells }) => [
        { code: id },
        level,
        ...cells.map((cell, index) => outcomeWords(id, cell, index)),
        title,
      ]),
      found: rows.map(({ level }) => level),
    }),
  );
}

function outcomeWords(id: string, cell: MatrixRow['cells'][number], index: number): doc.Words {
  if (cell === null) {
    return { muted: 'not in it' };
  }
  const { outcome } = cell;
  const words = { outcome, words: outcome };
  return outcome === 'pass' ? words : { words, to: shownAnchor(index, id) };
}

function silencesTable({ reports, observations }: ReportMatrix): doc.Table {
  return {
    caption: 'Silences that differ',
    columns: ['What the specification leaves open', ...reports.map(({ name }) => name)],
    rows: observations.map(({ name, values }) => [{ code: name }, ...values.map(valueText)]),
    found: observations.map(() => 'observe'),
  };
}

/** What one report showed, and what it skipped. */
function shownSection({ name, report }: NamedReport, index: number): doc.DocumentBlock {
  const judged = report.requirements.filter(({ level }) => level !== 'observe');
  const open = judged.filter(({ outcome }) => outcome === 'fail' || outcome === 'inconclusive');
  const skipped = judged.filter(({ outcome }) => outcome === 'skipped');
  const entryOf = (row: ReportedRequirement, ...blocks: readonly doc.DocumentBlock[]): doc.Entry => ({
    ...doc.entry(
      row.outcome,
      [{ outcome: row.outcome, words: row.outcome }, ' ', { code: row.id }],
      ...blocks,
    ),
    id: shownAnchor(index, row.id),
  });
  return doc.section(
    `What ${name} showed (${open.length})`,
    doc.entries(
      open.map((row) =>
        entryOf(
          row,
          doc.line(row.title),
          doc.line(row.reason === undefined ? undefined : `Why: ${row.reason}`, 'about'),
          ...row.findings.map((finding) => doc.drawing(() => findingHtml(finding))),
        ),
      ),
      'seen card',
    ),
    doc.folded(`${countText(skipped.length, 'requirement')} skipped, and why`, [
      doc.entries(
        skipped.map((row) => entryOf(row, doc.line(reasonOf(row)))),
        'seen card',
      ),
    ]),
  );
}

/** Where a page shows what that report says of the requirement. */
function shownAnchor(index: number, id: string): string {
  return anchor(`finding-${index}`, id);
}
