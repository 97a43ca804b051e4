import { join } from 'node:path';

import { messageOf } from '../../../contract/error-text.ts';
import {
  type AnyReport,
  killMatrixDocument,
  printableLine,
  renderFormat,
  renderGithubAnnotations,
  renderJson,
  renderSummaryLine,
  renderTerminal,
  runDocument,
  writeReportDirectory,
  writeReportText,
} from '../../../reports/index.ts';
import { EXIT_CODES, EXIT_INTERRUPTED, EXIT_UNWRITABLE } from '../exit-codes.ts';
import { emitReport, openEventLog, type EventLog } from './events.ts';
import { STDOUT, textOutput, type OutputOptions } from './text-output.ts';
import { naming, printOrWrite } from './written-files.ts';

interface Asked {
  /** The folder of reports. */
  readonly report: string | null;
  /** Whether one line says the verdict. */
  readonly summary?: boolean;
}

/** Ends a command: writes the reports that were asked for, prints the verdict, and returns the exit code. */
export async function finishRun(
  report: AnyReport,
  options: OutputOptions & Asked,
  {
    interrupted = false,
    events,
  }: {
    readonly interrupted?: boolean;
    readonly events?: EventLog;
  },
): Promise<number> {
  // A file that cannot be written leaves the verdict worth printing.
  const { paths, problem } = await writeReports(report, options).then(
    (paths) => ({ paths, problem: null }),
    (error: unknown) => ({ paths: [], problem: messageOf(error) }),
  );
  const unlogged = logEnd(report, events ?? openEventLog(options.events ?? null));
  const text = textOutput(options);
  text.write(
    options.summary === true && report.kind !== 'prove'
      ? renderSummaryLine(report)
      : verdictText(report, paths, text.color),
  );
  if (report.kind !== 'prove' && isGithubWorkflow(process.env)) {
    process.stderr.write(renderGithubAnnotations(report));
  }
  const unwritten = problem ?? unlogged;
  if (unwritten !== null) {
    process.stderr.write(`stockcheck: ${unwritten}\n`);
    return EXIT_UNWRITABLE;
  }
  return interrupted ? EXIT_INTERRUPTED : EXIT_CODES[report.verdict];
}

/** Logs what a run came to. @returns why the log lacks some of it, or `null` */
function logEnd(report: AnyReport, { emit, close }: EventLog): string | null {
  if (report.kind !== 'prove') {
    emitReport(emit, report);
  }
  return close();
}

/** Writes what was asked for. @returns the files that are worth naming */
async function writeReports(
  report: AnyReport,
  { json, report: directory, format = [] }: OutputOptions & Asked,
): Promise<readonly string[]> {
  if (json !== null) {
    await printOrWrite(`--json ${json}`, json, await renderJson(report));
  }
  for (const { format: name, path } of format) {
    await printOrWrite(`--format ${name}=${path}`, path, await renderFormat(report, name));
  }
  const asked = [...(json === null ? [] : [json]), ...format.map(({ path }) => path)];
  const paths = asked.filter((path) => path !== STDOUT);
  const forGitlab = report.kind === 'prove' ? null : codeQualityPath(process.env);
  if (forGitlab !== null) {
    await writeReportText(forGitlab, await renderFormat(report, 'code-quality'));
  }
  if (directory !== null) {
    const written = await naming(`--report ${directory}`, writeReportDirectory(directory, report));
    paths.push(written.find((path) => path.endsWith('.html')) ?? join(directory, 'report.html'));
  }
  return paths;
}

function verdictText(report: AnyReport, reportPaths: readonly string[], color: boolean): string {
  const document = report.kind === 'prove' ? killMatrixDocument(report) : runDocument(report);
  const named =
    reportPaths.length === 0
      ? ''
      : `\nReport: ${reportPaths.map((path) => printableLine(path)).join(', ')}\n`;
  return `${renderTerminal(document, color)}${named}`;
}

/** Whether a workflow of GitHub Actions runs this process, and reads workflow commands from its output. */
function isGithubWorkflow({ GITHUB_ACTIONS: runs }: NodeJS.ProcessEnv): boolean {
  return runs === 'true';
}

/** Where a job of GitLab CI collects its Code Quality report, or `null` outside one. */
function codeQualityPath({ GITLAB_CI: runs, CI_PROJECT_DIR: directory }: NodeJS.ProcessEnv): string | null {
  return runs === 'true' ? join(directory ?? '', 'gl-code-quality-report.json') : null;
}
