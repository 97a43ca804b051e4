import { join } from 'node:path';

import { ConfigurationError } from '../../contract/configuration-error.ts';
import {
  layOut,
  type NamedReport,
  renderComparison,
  renderMatrix,
  renderMatrixHtml,
  renderMatrixMarkdown,
  type ReportMatrix,
  type Trend,
  writeReportText,
} from '../../reports/index.ts';
import { compareTwo } from '../library/compare/compare-two.ts';
import { STDOUT, textOutput } from '../shared/output/text-output.ts';
import { readReports } from './read-reports.ts';

export interface CompareOptions {
  /** Paths of reports, and of folders of reports; the earliest first. */
  readonly paths: readonly string[];
  /** Relative change of a measure for the worse that is tolerated. */
  readonly tolerance: number;
  /** The file for the matrix as JSON; `-` for stdout. */
  readonly json: string | null;
  /** The folder for the matrix as a page, as Markdown and as JSON. */
  readonly report: string | null;
  readonly color: boolean;
}

const EXIT_CODES = { worse: 1, less: 3, 'not worse': 0 } as const satisfies Record<Trend, number>;

/** How bad each trend is. */
const GRAVITY = ['not worse', 'less', 'worse'] as const satisfies readonly Trend[];

/**
 * Prints how reports differ, and returns the exit code: 1 if something got worse than in the first one, 3 if something
 * is no longer judged.
 * @throws {ConfigurationError} if one cannot be read, or they are not of one kind
 */
export async function runCompare(options: CompareOptions): Promise<number> {
  const { paths, tolerance, json, report: folder } = options;
  const reports = readReports(paths);
  const [first, ...others] = reports;
  const [second] = others;
  if (first === undefined || second === undefined) {
    throw new ConfigurationError(`compare takes two reports or more, and ${paths.join(', ')} is one`);
  }
  const pairs = others.map((after) => compareTwo(first, after, tolerance));
  const matrix = layOut(first.report.kind, reports);
  const output = textOutput(options);
  const [pair] = pairs;
  output.write(
    pair !== undefined && pairs.length === 1
      ? renderComparison({ before: first, after: second, ...pair }, output.color)
      : renderMatrix(matrix, output.color),
  );
  await writeMatrix(matrix, reports, { json, folder });
  const worst = GRAVITY.findLast((trend) => pairs.some((one) => one.trend === trend)) ?? 'not worse';
  return EXIT_CODES[worst];
}

async function writeMatrix(
  matrix: ReportMatrix,
  reports: readonly NamedReport[],
  { json, folder }: { readonly json: string | null; readonly folder: string | null },
): Promise<void> {
  const text = `${JSON.stringify(matrix, null, 2)}\n`;
  if (json === STDOUT) {
    process.stdout.write(text);
  } else if (json !== null) {
    await writeReportText(json, text);
  }
  if (folder !== null) {
    await writeReportText(join(folder, 'comparison.json'), text);
    await writeReportText(join(folder, 'comparison.md'), renderMatrixMarkdown(matrix));
    await writeReportText(join(folder, 'comparison.html'), renderMatrixHtml(matrix, reports));
  }
}
