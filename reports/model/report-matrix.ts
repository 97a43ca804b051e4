import type { Level, Outcome } from '../../contract/verdict.ts';
import type { AnyVerdict, Observation, Report, ReportedRequirement } from './report.ts';
import { subjectText } from './run.ts';

/** A report, and what it is called beside others. */
export interface NamedReport {
  readonly name: string;
  readonly report: Report;
}

interface MatrixColumn {
  readonly name: string;
  readonly subject: string;
  readonly verdict: AnyVerdict;
  readonly scope: string;
  readonly startedAt: string;
  /** Of stockcheck. */
  readonly version: string;
}

/** What one report says of a requirement. */
interface MatrixCell {
  readonly outcome: Outcome;
  /** What was seen, or why nothing could be said. */
  readonly message?: string;
}

export interface MatrixRow {
  readonly id: string;
  readonly level: Level;
  readonly area: string;
  readonly title: string;
  readonly clause: string;
  /** Whether the reports differ in it. */
  readonly differs: boolean;
  /** One for each column; `null` if that report has no such requirement. */
  readonly cells: readonly (MatrixCell | null)[];
}

interface ObservationRow {
  readonly name: string;
  /** One for each column; `null` if it was not observed. */
  readonly values: readonly (Observation | null)[];
}

/** Reports of one kind side by side: implementations or releases against requirements. */
export interface ReportMatrix {
  readonly schemaVersion: 1;
  readonly kind: 'comparison';
  readonly of: Report['kind'];
  readonly reports: readonly MatrixColumn[];
  /** Of the levels must and should; those in which the reports differ come first, and failures before all. */
  readonly requirements: readonly MatrixRow[];
  /** What the specification leaves open and the reports differ in. */
  readonly observations: readonly ObservationRow[];
}

/** Lays reports of one kind side by side, in the order given. */
export function layOut(of: Report['kind'], reports: readonly NamedReport[]): ReportMatrix {
  const columns = reports.map(({ report }) => new Map(report.requirements.map((row) => [row.id, row])));
  const rows = new Map(columns.flatMap((column) => [...column]));
  const requirements = [...rows.values()]
    .filter(({ level }) => level !== 'observe')
    .map((row) =>
      rowOf(
        row,
        columns.map((column) => column.get(row.id)),
      ),
    );
  return {
    schemaVersion: 1,
    kind: 'comparison',
    of,
    reports: reports.map(({ name, report }) => ({
      name,
      subject: subjectText(report),
      verdict: report.verdict,
      scope: report.scope,
      startedAt: report.startedAt,
      version: report.suite.version,
    })),
    requirements: [
      ...requirements.filter((row) => row.differs && hasFailed(row)),
      ...requirements.filter((row) => row.differs && !hasFailed(row)),
      ...requirements.filter(({ differs }) => !differs),
    ],
    observations: observationsOf(reports),
  };
}

function hasFailed({ cells }: MatrixRow): boolean {
  return cells.some((cell) => cell?.outcome === 'fail');
}

function rowOf(
  { id, level, area, title, clause }: ReportedRequirement,
  found: readonly (ReportedRequirement | undefined)[],
): MatrixRow {
  return {
    id,
    level,
    area,
    title,
    clause,
    differs: new Set(found.map((row) => row?.outcome)).size > 1,
    cells: found.map((row) => (row === undefined ? null : cellOf(row))),
  };
}

function cellOf({ outcome, findings, reason }: ReportedRequirement): MatrixCell {
  const message = reason ?? findings[0]?.message;
  return { outcome, ...(message === undefined ? {} : { message }) };
}

function observationsOf(reports: readonly NamedReport[]): readonly ObservationRow[] {
  const names = new Set(reports.flatMap(({ report }) => Object.keys(report.observations)));
  return [...names]
    .toSorted()
    .map((name) => ({ name, values: reports.map(({ report }) => report.observations[name] ?? null) }))
    .filter(({ values }) => new Set(values.map((value) => JSON.stringify(value))).size > 1);
}
