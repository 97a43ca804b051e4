import { existsSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { CommandCall } from '../shared/options/command.ts';
import { readOptions } from '../shared/options/option-rows.ts';
import { ConfigurationError } from '../../contract/configuration-error.ts';
import {
  changesDocument,
  layOut,
  matrixDocument,
  type NamedReport,
  renderMarkdown,
  renderPage,
  renderTerminal,
  type ReportMatrix,
  type Trend,
  writeReportText,
} from '../../reports/index.ts';
import { compareTwo } from '../library/compare.ts';
import { isFolder } from '../shared/files/json-file.ts';
import { readReportFile } from '../shared/files/report-file.ts';
import { forOneReport } from '../shared/options/shared-options.ts';
import { textOutput } from '../shared/output/text-output.ts';
import { writeJsonValue } from '../shared/output/written-files.ts';
import { COMPARE_OPTIONS } from './command.ts';

const EXIT_CODES = { worse: 1, less: 3, 'not worse': 0 } as const satisfies Record<Trend, number>;

/** How bad each trend is. */
const GRAVITY = ['not worse', 'less', 'worse'] as const satisfies readonly Trend[];

/**
 * Prints how reports differ, and returns the exit code: 1 if something got worse than in the first one, 3 if something
 * is no longer judged.
 * @throws {ConfigurationError} if one cannot be read, or they are not of one kind
 */
export async function runCompare({ operands: paths, flags, surroundings }: CommandCall): Promise<number> {
  const options = forOneReport(readOptions(COMPARE_OPTIONS, flags, surroundings));
  const { tolerance, json, report: folder } = options;
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
  const document =
    pair !== undefined && pairs.length === 1
      ? changesDocument({ before: first, after: second, ...pair })
      : matrixDocument(matrix, reports);
  output.write(renderTerminal(document, output.color));
  await writeMatrix(matrix, reports, { json, folder });
  const worst = GRAVITY.findLast((trend) => pairs.some((one) => one.trend === trend)) ?? 'not worse';
  return EXIT_CODES[worst];
}

async function writeMatrix(
  matrix: ReportMatrix,
  reports: readonly NamedReport[],
  { json, folder }: { readonly json: string | null; readonly folder: string | null },
): Promise<void> {
  if (json !== null) {
    await writeJsonValue(json, matrix);
  }
  if (folder !== null) {
    await writeReportText(join(folder, 'comparison.json'), `${JSON.stringify(matrix, null, 2)}\n`);
    const document = matrixDocument(matrix, reports);
    await writeReportText(join(folder, 'comparison.md'), renderMarkdown(document));
    await writeReportText(join(folder, 'comparison.html'), await renderPage(document));
  }
}

/**
 * The reports at these paths: a file of `--json`, a folder of `--report`, or a folder that holds several of either.
 * @throws {ConfigurationError} if one cannot be read, or a folder holds none
 */
function readReports(paths: readonly string[]): readonly NamedReport[] {
  const files = paths.flatMap((path) =>
    isFolder(path) && !existsSync(join(path, 'report.json')) ? reportsIn(path) : [path],
  );
  const short = files.map((path) => basename(path, '.json'));
  const isClear = files.length > 2 && new Set(short).size === files.length;
  return files.map((path, index) => ({
    name: isClear ? (short[index] ?? path) : path,
    report: readReportFile(path, path),
  }));
}

function reportsIn(folder: string): readonly string[] {
  const found = readdirSync(folder)
    .toSorted()
    .map((name) => join(folder, name))
    .filter((path) => (isFolder(path) ? existsSync(join(path, 'report.json')) : path.endsWith('.json')));
  if (found.length === 0) {
    throw new ConfigurationError(
      `${folder}: the folder holds no report.json, as --report writes it, and no reports of --json`,
    );
  }
  return found;
}
