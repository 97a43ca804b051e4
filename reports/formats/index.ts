import { enumeration } from '../../contract/words/enumeration.ts';
import {
  type AnyReport,
  formatOfRuns,
  type RenderReport,
  type ReportFormat,
  type ReportKind,
  type ReportsByKind,
} from './format.ts';
import { renderJson } from './json.ts';
import { repeatableFindings } from '../model/findings.ts';

export { type AnyReport, type ReportKind, renderJson };

const HTML = formatOfRuns('HTML', async (report) =>
  (await import('../html/render-html.ts')).renderHtml(report),
);
const MARKDOWN = formatOfRuns('Markdown', async (report) =>
  (await import('../markdown/render-markdown.ts')).renderMarkdown(report),
);

/** The formats that `--report` writes into its folder, and the file of each, without what the kind of report is called. */
const FOLDER_FORMATS: readonly (ReportFormat & { readonly file: (report: string) => string })[] = [
  {
    name: 'JSON',
    file: (report) => `${report}.json`,
    renderers: { verify: renderJson, certify: renderJson, load: renderJson, prove: renderJson },
  },
  {
    name: HTML.name,
    file: (report) => `${report}.html`,
    renderers: {
      ...HTML.renderers,
      prove: async (matrix) => (await import('../html/pages/kill-matrix.ts')).renderKillMatrixHtml(matrix),
    },
  },
  {
    name: MARKDOWN.name,
    file: (report) => `${report}.md`,
    renderers: {
      ...MARKDOWN.renderers,
      prove: async (matrix) => (await import('../markdown/kill-matrix.ts')).renderKillMatrixMarkdown(matrix),
    },
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
