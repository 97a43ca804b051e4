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

/** Renders a report; it loads what it renders with when it first renders. */
export type RenderReport<Reported extends AnyReport> = (report: Reported) => string | Promise<string>;

/** One format of reports, with a renderer for each kind that it has. Help names it. */
export interface ReportFormat {
  readonly name: string;
  readonly renderers: { readonly [Kind in ReportKind]?: RenderReport<ReportsByKind[Kind]> };
}

/** A format of all runs: of verify, certify and load. */
export function formatOfRuns(name: string, render: RenderReport<Report>): ReportFormat {
  return { name, renderers: { verify: render, certify: render, load: render } };
}
