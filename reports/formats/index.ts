import { enumeration } from '../../contract/words/enumeration.ts';
import { killMatrixDocument } from '../document/kill-matrix.ts';
import { runDocument } from '../document/run.ts';
import { renderPage } from '../html/page.ts';
import { renderMarkdown } from '../markdown/document.ts';
import { repeatableFindings } from '../model/findings.ts';
import type { KillMatrix } from '../model/kill-matrix.ts';
import type { CertifyReport, LoadReport, Report, VerifyReport } from '../model/report.ts';

/** What is reported, by the `kind` that it has in JSON. */
interface ReportsByKind {
  readonly verify: VerifyReport;
  readonly certify: CertifyReport;
  readonly load: LoadReport;
  readonly prove: KillMatrix;
}

export type ReportKind = keyof ReportsByKind;

/** Everything that a folder of reports is written from: a run's report, or the kill matrix. */
export type AnyReport = ReportsByKind[ReportKind];

/** Renders a report; it loads what it renders with when it first renders. */
type RenderReport<Reported extends AnyReport> = (report: Reported) => string | Promise<string>;

/** One format of reports, with a renderer for each kind that it has. Help names it. */
interface ReportFormat {
  readonly name: string;
  readonly renderers: { readonly [Kind in ReportKind]?: RenderReport<ReportsByKind[Kind]> };
}

/** A format of all runs, of verify, certify and load; and of the kill matrix, if it is told how. */
function formatOfRuns(
  name: string,
  render: RenderReport<Report>,
  prove?: RenderReport<KillMatrix>,
): ReportFormat {
  const runs = { verify: render, certify: render, load: render };
  return { name, renderers: prove === undefined ? runs : { ...runs, prove } };
}

/** The formats that `--report` writes into its folder, and the file of each, without what the kind of report is called. */
const FOLDER_FORMATS: readonly (ReportFormat & { readonly file: (report: string) => string })[] = [
  { ...formatOfRuns('JSON', renderJson, renderJson), file: (report) => `${report}.json` },
  {
    ...formatOfRuns(
      'HTML',
      (report) => renderPage(runDocument(report)),
      (matrix) => renderPage(killMatrixDocument(matrix)),
    ),
    file: (report) => `${report}.html`,
  },
  {
    ...formatOfRuns(
      'Markdown',
      (report) => renderMarkdown(runDocument(report)),
      (matrix) => renderMarkdown(killMatrixDocument(matrix)),
    ),
    file: (report) => `${report}.md`,
  },
  {
    ...formatOfRuns('JUnit XML', async (report) =>
      (await import('../junit/render-junit.ts')).renderJUnit(report),
    ),
    file: () => 'junit.xml',
  },
];

/** All formats, of which `--format` writes any. */
const REPORT_FORMATS: readonly ReportFormat[] = [
  ...FOLDER_FORMATS,
  formatOfRuns('CTRF', async (report) => (await import('../ctrf/render-ctrf.ts')).renderCtrf(report)),
  formatOfRuns('SARIF', async (report) => (await import('../sarif/render-sarif.ts')).renderSarif(report)),
  formatOfRuns('Code Quality', async (report) =>
    (await import('../code-quality/render-code-quality.ts')).renderCodeQuality(report),
  ),
  formatOfRuns('HAR', async (report) => (await import('../har/render-har.ts')).renderHar(report)),
  {
    name: 'OpenMetrics',
    renderers: {
      load: async (report) =>
        (await import('../openmetrics/render-openmetrics.ts')).renderOpenMetrics(report),
    },
  },
  formatOfRuns('Badge', async (report) => (await import('../badge/render-badge.ts')).renderBadge(report)),
  formatOfRuns('Endpoint Badge', async (report) =>
    (await import('../badge/render-badge.ts')).renderEndpointBadge(report),
  ),
];

/** The formats of a folder of such a report, such as `JSON, HTML and Markdown`. */
export function folderFormatNames(kind: ReportKind): string {
  const names = FOLDER_FORMATS.filter(({ renderers }) => renderers[kind] !== undefined).map(
    ({ name }) => name,
  );
  return enumeration(names);
}

/** The names that `--format` takes for reports of this kind, such as `code-quality`. */
export function formatIds(kind: ReportKind): readonly string[] {
  return REPORT_FORMATS.filter(({ renderers }) => renderers[kind] !== undefined).map(idOf);
}

/** The format of that name in any letter-case, whole or by its first word: `junit` for `junit-xml`. */
export function findFormat(kind: ReportKind, name: string): string | undefined {
  const wanted = name.toLowerCase();
  return formatIds(kind).find((id) => id === wanted || id.split('-')[0] === wanted);
}

function idOf({ name }: ReportFormat): string {
  return name.toLowerCase().replaceAll(' ', '-');
}

/** The report in the format of that name. @throws {Error} if its kind has no such format */
export async function renderFormat(report: AnyReport, id: string): Promise<string> {
  const format = REPORT_FORMATS.find((one) => idOf(one) === id);
  const render = format === undefined ? undefined : rendererOf(format.renderers, report.kind);
  if (render === undefined) {
    throw new Error(`There is no report of ${report.kind} as ${id}`);
  }
  return render(report);
}

/** The text of each file of a folder of reports, by file name. */
export async function renderFiles(report: AnyReport): Promise<ReadonlyMap<string, string>> {
  const texts = new Map<string, string>();
  const name = report.kind === 'prove' ? 'kill-matrix' : 'report';
  for (const { renderers, file } of FOLDER_FORMATS) {
    const render = rendererOf(renderers, report.kind);
    if (render !== undefined) {
      texts.set(file(name), await render(report));
    }
  }
  return texts;
}

/** A script for each finding that can be sent again, by file name. */
export async function renderFindings(report: AnyReport): Promise<ReadonlyMap<string, string>> {
  const findings = report.kind === 'prove' ? [] : repeatableFindings(report);
  if (findings.length === 0) {
    return new Map();
  }
  const { renderScript } = await import('../script/render-script.ts');
  return new Map(findings.map((finding) => [`${finding.id}.sh`, renderScript(finding)] as const));
}

function rendererOf<Kind extends ReportKind>(
  renderers: ReportFormat['renderers'],
  kind: Kind,
): RenderReport<ReportsByKind[Kind]> | undefined {
  return renderers[kind];
}

/** The report as JSON text that matches its schema. @throws {Error} if it would not */
export async function renderJson(report: AnyReport): Promise<string> {
  const { validateKillMatrix, validateReport } = await import('../model/validate.ts');
  // The written text is validated: JSON.stringify drops or alters values that JSON does not have.
  const text = `${stringify(report)}\n`;
  const written: unknown = JSON.parse(text);
  if (report.kind === 'prove') {
    validateKillMatrix(written);
  } else {
    validateReport(written);
  }
  return text;
}

/** Indented, but for trails: each is on one line, since it may have thousands of values. */
function stringify(report: AnyReport): string {
  const trails: string[] = [];
  const text = JSON.stringify(
    report,
    (member, value: unknown) => {
      if (member !== 'trail' || value === undefined) {
        return value;
      }
      trails.push(JSON.stringify(value));
      return { $trail: trails.length - 1 };
    },
    2,
  );
  return text.replaceAll(
    /\{\s*"\$trail": (?<index>\d+)\s*\}/g,
    (found, index) => trails[Number(index)] ?? found,
  );
}
