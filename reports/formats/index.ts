import { enumeration } from '../../contract/words/enumeration.ts';
import {
  type AnyReport,
  formatOfRuns,
  type ReportFile,
  type ReportFormat,
  type ReportKind,
  type ReportsByKind,
} from './format.ts';
import { JSON_FORMAT, renderJson } from './json.ts';
import { repeatableFindings } from '../model/repeatable.ts';

export { type AnyReport, type ReportKind, renderJson };

const HTML = formatOfRuns('HTML', 'report.html', async (report) =>
  (await import('../html/render-html.ts')).renderHtml(report),
);
const MARKDOWN = formatOfRuns('Markdown', 'report.md', async (report) =>
  (await import('../markdown/render-markdown.ts')).renderMarkdown(report),
);

/** The formats in which reports are written. Each loads what it renders with when it first renders. */
const REPORT_FORMATS: readonly ReportFormat[] = [
  JSON_FORMAT,
  {
    name: HTML.name,
    files: {
      ...HTML.files,
      prove: {
        name: 'kill-matrix.html',
        render: async (matrix) => (await import('../kill-matrix/html.ts')).renderKillMatrixHtml(matrix),
      },
    },
  },
  {
    name: MARKDOWN.name,
    files: {
      ...MARKDOWN.files,
      prove: {
        name: 'kill-matrix.md',
        render: async (matrix) =>
          (await import('../kill-matrix/markdown.ts')).renderKillMatrixMarkdown(matrix),
      },
    },
  },
  formatOfRuns('JUnit XML', 'junit.xml', async (report) =>
    (await import('../junit/render-junit.ts')).renderJUnit(report),
  ),
  formatOfRuns('CTRF', 'ctrf-report.json', async (report) =>
    (await import('../ctrf/render-ctrf.ts')).renderCtrf(report),
  ),
  formatOfRuns('SARIF', 'report.sarif', async (report) =>
    (await import('../sarif/render-sarif.ts')).renderSarif(report),
  ),
  formatOfRuns('Code Quality', 'gl-code-quality-report.json', async (report) =>
    (await import('../code-quality/render-code-quality.ts')).renderCodeQuality(report),
  ),
  formatOfRuns('HAR', 'findings.har', async (report) =>
    (await import('../har/render-har.ts')).renderHar(report),
  ),
  {
    name: 'OpenMetrics',
    files: {
      load: {
        name: 'metrics.txt',
        render: async (report) =>
          (await import('../openmetrics/render-openmetrics.ts')).renderOpenMetrics(report),
      },
    },
  },
  formatOfRuns('Badge', 'badge.svg', async (report) =>
    (await import('../badge/render-badge.ts')).renderBadge(report),
  ),
  formatOfRuns('Endpoint Badge', 'badge.json', async (report) =>
    (await import('../badge/render-badge.ts')).renderEndpointBadge(report),
  ),
];

/** The formats that a report of this kind is written in, such as `JSON, HTML and Markdown`. */
export function formatNames(kind: ReportKind): string {
  const names = REPORT_FORMATS.filter(({ files }) => files[kind] !== undefined).map(({ name }) => name);
  return enumeration(names);
}

/** The names that `--format` takes for reports of this kind, such as `code-quality`. */
export function formatIds(kind: ReportKind): readonly string[] {
  return REPORT_FORMATS.filter(({ files }) => files[kind] !== undefined).map(idOf);
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
  const file = format === undefined ? undefined : fileOf(format.files, report.kind);
  if (file === undefined) {
    throw new Error(`There is no report of ${report.kind} as ${id}`);
  }
  return file.render(report);
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

/** The files of findings that can be repeated, by file name: a script and an HTTP archive of each. */
export async function renderFindings(report: AnyReport): Promise<ReadonlyMap<string, string>> {
  const findings = report.kind === 'prove' ? [] : repeatableFindings(report);
  if (report.kind === 'prove' || findings.length === 0) {
    return new Map();
  }
  const { renderScript } = await import('../script/render-script.ts');
  const { renderFindingArchive } = await import('../har/finding-archive.ts');
  return new Map(
    findings.flatMap((finding) => [
      [`${finding.id}.sh`, renderScript(finding)] as const,
      [`${finding.id}.har`, renderFindingArchive(report, finding)] as const,
    ]),
  );
}

function fileOf<Kind extends ReportKind>(
  files: ReportFormat['files'],
  kind: Kind,
): ReportFile<ReportsByKind[Kind]> | undefined {
  return files[kind];
}
