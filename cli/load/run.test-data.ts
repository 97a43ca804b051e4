import { join } from 'node:path';
import { tmpdir } from 'node:os';

import type { LoadReport } from '../../reports/index.ts';
import { readReport, runBinary, type BinaryResult, temporaryDirectory } from '../run-binary.test-data.ts';
import { resolveTargetConfig, type TargetDescription } from '../../suites/target/index.ts';
import { measureTarget } from '../library/load/measure-target.ts';
import { transportOf } from '../shared/options/shared-options.ts';
import { readLoadOptions, type LoadFlags } from './load-options.ts';

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

/** Loads a target as `stockcheck load` does, without a process of its own, and returns the report. */
export async function loadInProcess(
  description: TargetDescription,
  flags: Partial<LoadFlags>,
): Promise<LoadReport> {
  const defaults = { level: 'must', timeout: '30', self: true };
  const surroundings = { environment: {}, directory: tmpdir() };
  const options = readLoadOptions(undefined, { ...defaults, ...flags }, surroundings);
  const { report } = await measureTarget({
    ...options,
    config: resolveTargetConfig(description),
    transport: transportOf(options),
    headers: [],
    signal: new AbortController().signal,
    listener: {
      onPhase: () => {},
      onSecond: () => {},
      onScenarioStart: () => {},
      onScenarioEnd: () => {},
      onNotice: () => {},
    },
    fleet: null,
  });
  return report;
}
