import type { KillMatrix } from '../model/kill-matrix.ts';
import type { CertifyReport, LoadReport, Report, VerifyReport } from '../model/report.ts';

/** What is reported, by the `kind` that it has in JSON. */
export interface ReportsByKind {
  readonly verify: VerifyReport;
  readonly certify: CertifyReport;
  readonly load: LoadReport;
  readonly prove: KillMatrix;
}

export type ReportKind = keyof ReportsByKind;

/** Everything that a folder of reports is written from: a run's report, or the kill matrix. */
export type AnyReport = ReportsByKind[ReportKind];

/** The file that a format is written to, and what it holds. */
export interface ReportFile<Reported extends AnyReport> {
  readonly name: string;
  readonly render: (report: Reported) => string | Promise<string>;
}

/** One format of reports. Help names it, and a folder of reports has its file of each kind that it lists. */
export interface ReportFormat {
  readonly name: string;
  readonly files: { readonly [Kind in ReportKind]?: ReportFile<ReportsByKind[Kind]> };
}

/** A format that has a file for each run: of verify, certify and load. */
export function formatOfRuns(name: string, file: string, render: ReportFile<Report>['render']): ReportFormat {
  const written = { name: file, render };
  return { name, files: { verify: written, certify: written, load: written } };
}
