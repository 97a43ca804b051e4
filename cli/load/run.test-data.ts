import { join } from 'node:path';

import type { LoadReport } from '../../reports/index.ts';
import { readReport, runBinary, type BinaryResult, temporaryDirectory } from '../run-binary.test-data.ts';

export interface LoadResult extends BinaryResult {
  /** `null` if none was written. */
  readonly report: LoadReport | null;
}

/** Runs `stockcheck load` with these words, in a folder of its own. */
export async function loadTarget(
  words: readonly string[],
  directory = temporaryDirectory(),
): Promise<LoadResult> {
  const result = await runBinary(['load', '--json', 'out.json', ...words], directory);
  return { ...result, report: readReport(join(directory, 'out.json'), 'load') };
}
