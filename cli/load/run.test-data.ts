import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { type LoadReport, parseReport } from '../../reports/index.ts';
import { runBinary, type BinaryResult, temporaryDirectory } from '../run-binary.test-data.ts';

export interface LoadResult extends BinaryResult {
  /** `null` if none was written. */
  readonly report: LoadReport | null;
}

/** Runs `stockcheck load` with these words, in a folder of its own. */
export async function load(words: readonly string[], directory = temporaryDirectory()): Promise<LoadResult> {
  const result = await runBinary(['load', '--json', 'out.json', ...words], directory);
  return { ...result, report: readLoadReport(join(directory, 'out.json')) };
}

/** The report in that file, validated, or `null` if there is no file. */
export function readLoadReport(path: string): LoadReport | null {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch {
    return null;
  }
  const report = parseReport(text);
  if (report.kind !== 'load') {
    throw new Error(`The report is of kind ${report.kind}`);
  }
  return report;
}
