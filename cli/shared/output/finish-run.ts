import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import {
  type AnyReport,
  renderJson,
  renderKillMatrix,
  renderOpenMetrics,
  renderVerdict,
  writeReportDirectory,
  writeReportFile,
} from '../../../reports/index.ts';
import { redactReport } from '../../library/redact-report.ts';
import { EXIT_CODES, EXIT_INTERRUPTED, EXIT_UNWRITABLE } from '../exit-codes.ts';
import { STDOUT, textOutput, type OutputOptions } from './text-output.ts';

/**
 * Ends a command: writes the reports that were asked for, prints the verdict, and returns the exit code.
 * @param redact makes a text one that may be shown; everything written is made of such texts
 */
export async function finishRun(
  built: AnyReport,
  options: OutputOptions & { readonly report: string | null },
  {
    redact = (text) => text,
    interrupted = false,
  }: { readonly redact?: (text: string) => string; readonly interrupted?: boolean },
): Promise<number> {
  const report = redactReport(built, redact);
  // A file that cannot be written leaves the verdict worth printing.
  const { paths, problem } = await writeReports(report, options).then(
    (paths) => ({ paths, problem: null }),
    (error: unknown) => ({ paths: [], problem: error instanceof Error ? error.message : String(error) }),
  );
  const text = textOutput(options);
  text.write(verdictText(report, paths, text.color));
  if (problem !== null) {
    process.stderr.write(`stockcheck: ${problem}\n`);
    return EXIT_UNWRITABLE;
  }
  return interrupted ? EXIT_INTERRUPTED : EXIT_CODES[report.verdict];
}

/** Writes what was asked for. @returns the files that are worth naming */
async function writeReports(
  report: AnyReport,
  { json, report: directory, openMetrics = null }: OutputOptions & { readonly report: string | null },
): Promise<readonly string[]> {
  const paths: string[] = [];
  if (json === STDOUT) {
    process.stdout.write(await renderJson(report));
  } else if (json !== null) {
    await writeReportFile(json, report);
    paths.push(json);
  }
  if (directory !== null) {
    const written = await writeReportDirectory(directory, report);
    paths.push(written.find((path) => path.endsWith('.html')) ?? join(directory, 'report.html'));
  }
  if (openMetrics !== null && report.kind === 'load') {
    await writeOpenMetrics(openMetrics, renderOpenMetrics(report));
  }
  return paths;
}

async function writeOpenMetrics(path: string, text: string): Promise<void> {
  if (path === STDOUT) {
    process.stdout.write(text);
    return;
  }
  try {
    await writeFile(path, text);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`--openmetrics ${path} could not be written: ${reason}`, { cause: error });
  }
}

function verdictText(report: AnyReport, reportPaths: readonly string[], color: boolean): string {
  if (report.kind !== 'prove') {
    return renderVerdict(report, { color, reportPaths });
  }
  const named = reportPaths.length === 0 ? '' : `Report: ${reportPaths.join(', ')}\n`;
  return `${renderKillMatrix(report, color)}${named}`;
}
