import { existsSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';

import { checkOutputDirectory, checkOutputFile } from '../shared/files/option-paths.ts';
import type { Subcommand, CommandCall } from '../shared/options/command.ts';
import { optional, withDefault, readOptions } from '../shared/options/option-rows.ts';
import { asShare } from '../shared/options/values.ts';
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
import { compareTwo } from '../library/compare.ts';
import { isFolder } from '../shared/files/json-file.ts';
import { readReportFile } from '../shared/files/report-file.ts';
import { forOneReport } from '../shared/options/shared-options.ts';
import { textOutput } from '../shared/output/text-output.ts';
import { writeJsonValue } from '../shared/output/written-files.ts';

/** The options of `stockcheck compare`. */
const COMPARE_OPTIONS = {
  /** Relative change of a measure for the worse that is tolerated. */
  tolerance: withDefault('<share>', 'how much worse a measure may get', '5%', asShare),
  json: optional('<file>', 'write requirements against reports as JSON; - for stdout', checkOutputFile),
  report: optional('<dir>', 'write them into this folder as HTML, Markdown and JSON', checkOutputDirectory),
};

/** `stockcheck compare`. */
export const COMPARE: Subcommand = {
  summary: 'compare reports',
  description:
    'Compares reports of verify, certify or load: each requirement, scenario and observation that changed from the first to the second, and the measures of a load. Three or more are laid side by side.',
  arguments: { '<reports...>': 'files of --json, folders of --report, or folders of several reports' },
  options: { 'Options:': COMPARE_OPTIONS },
  examples: `
Examples:
  $ stockcheck compare release-1.json release-2.json
  $ stockcheck compare report-of-main report
  $ stockcheck compare monday.json tuesday.json --tolerance 10%
  $ stockcheck compare releases/ --report comparison

Exit codes: 0 nothing that decides a verdict got worse, 1 a requirement or threshold fails that did not fail
in the first, or a measure got worse, 2 bad usage, 3 a requirement that was judged is no longer judged.`,
  run: runCompare,
};

const EXIT_CODES = { worse: 1, less: 3, 'not worse': 0 } as const satisfies Record<Trend, number>;

/** How bad each trend is. */
const GRAVITY = ['not worse', 'less', 'worse'] as const satisfies readonly Trend[];

/**
 * Prints how reports differ, and returns the exit code: 1 if something got worse than in the first one, 3 if something
 * is no longer judged.
 * @throws {ConfigurationError} if one cannot be read, or they are not of one kind
 */
async function runCompare({ operands: paths, flags, surroundings }: CommandCall): Promise<number> {
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
  if (json !== null) {
    await writeJsonValue(json, matrix);
  }
  if (folder !== null) {
    await writeReportText(join(folder, 'comparison.json'), `${JSON.stringify(matrix, null, 2)}\n`);
    await writeReportText(join(folder, 'comparison.md'), renderMatrixMarkdown(matrix));
    await writeReportText(join(folder, 'comparison.html'), renderMatrixHtml(matrix, reports));
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
