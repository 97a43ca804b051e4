import type { Report, ReportedRequirement } from './report.ts';
import { subjectText } from './run.ts';

/** A report, and what it is called beside others. */
export interface NamedReport {
  readonly name: string;
  readonly report: Report;
}

/** Reports of one kind side by side: implementations or releases against requirements. */
export type ReportMatrix = ReturnType<typeof layOut>;
export type MatrixRow = ReturnType<typeof rowOf>;

/** Lays reports of one kind side by side, in the order given. */
export function layOut(of: Report['kind'], reports: readonly NamedReport[]) {
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
    schemaVersion: 1 as const,
    kind: 'comparison' as const,
    of,
    reports: reports.map(({ name, report }) => ({
      name,
      subject: subjectText(report),
      verdict: report.verdict,
      scope: report.scope,
      startedAt: report.startedAt,
      version: report.suite.version,
    })),
    /** Of the levels must and should; those in which the reports differ come first, and failures before all. */
    requirements: [
      ...requirements.filter((row) => row.differs && hasFailed(row)),
      ...requirements.filter((row) => row.differs && !hasFailed(row)),
      ...requirements.filter(({ differs }) => !differs),
    ],
    /** What the specification leaves open and the reports differ in. */
    observations: observationsOf(reports),
  };
}

function hasFailed({ cells }: MatrixRow): boolean {
  return cells.some((cell) => cell?.outcome === 'fail');
}

function rowOf(
  { id, level, area, title, clause }: ReportedRequirement,
  found: readonly (ReportedRequirement | undefined)[],
) {
  return {
    id,
    level,
    area,
    title,
    clause,
    /** Whether the reports differ in it. */
    differs: new Set(found.map((row) => row?.outcome)).size > 1,
    /** One for each column; `null` if that report has no such requirement. */
    cells: found.map((row) => (row === undefined ? null : cellOf(row))),
  };
}

/** What one report says of a requirement: what was seen, or why nothing could be said. */
function cellOf({ outcome, findings, reason }: ReportedRequirement) {
  const message = reason ?? findings[0]?.message;
  return { outcome, ...(message === undefined ? {} : { message }) };
}

/** Values have a place for each column; `null` if it was not observed. */
function observationsOf(reports: readonly NamedReport[]) {
  const names = new Set(reports.flatMap(({ report }) => Object.keys(report.observations)));
  return [...names]
    .toSorted()
    .map((name) => ({ name, values: reports.map(({ report }) => report.observations[name] ?? null) }))
    .filter(({ values }) => new Set(values.map((value) => JSON.stringify(value))).size > 1);
}
