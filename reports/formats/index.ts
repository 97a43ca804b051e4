import type { AnyReport, ReportFile, ReportFormat, ReportKind, ReportsByKind } from './format.ts';
import { CODE_QUALITY_FORMAT } from './code-quality.ts';
import { CTRF_FORMAT } from './ctrf.ts';
import { HAR_FORMAT } from './har.ts';
import { HTML_FORMAT } from './html.ts';
import { JSON_FORMAT, renderJson } from './json.ts';
import { JUNIT_FORMAT } from './junit.ts';
import { MARKDOWN_FORMAT } from './markdown.ts';
import { OPENMETRICS_FORMAT } from './openmetrics.ts';
import { SARIF_FORMAT } from './sarif.ts';

export { type AnyReport, type ReportKind, renderJson };

/** The formats in which reports are written. Each loads what it renders with when it first renders. */
const REPORT_FORMATS: readonly ReportFormat[] = [
  JSON_FORMAT,
  HTML_FORMAT,
  MARKDOWN_FORMAT,
  JUNIT_FORMAT,
  CTRF_FORMAT,
  SARIF_FORMAT,
  CODE_QUALITY_FORMAT,
  HAR_FORMAT,
  OPENMETRICS_FORMAT,
];

/** The formats that a report of this kind is written in, such as `JSON, HTML and Markdown`. */
export function formatNames(kind: ReportKind): string {
  const names = REPORT_FORMATS.filter(({ files }) => files[kind] !== undefined).map(({ name }) => name);
  return new Intl.ListFormat('en-GB').format(names);
}

/** The text of each file of a report, by file name. */
export async function renderFiles(report: AnyReport): Promise<ReadonlyMap<string, string>> {
  const texts = new Map<string, string>();
  for (const { files } of REPORT_FORMATS) {
    const file = fileOf(files, report.kind);
    if (file !== undefined) {
      texts.set(file.name, await file.render(report));
    }
  }
  return texts;
}

function fileOf<Kind extends ReportKind>(
  files: ReportFormat['files'],
  kind: Kind,
): ReportFile<ReportsByKind[Kind]> | undefined {
  return files[kind];
}
