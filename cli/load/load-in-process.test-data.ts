import { tmpdir } from 'node:os';

import { runLoad, type LoadRunListener } from '../../load/index.ts';
import type { LoadReport } from '../../reports/index.ts';
import { resolveTargetConfig, type TargetDescription } from '../../suites/target/index.ts';
import { buildLoadReport } from '../library/load/report.ts';
import { readLoadOptions, type LoadFlags } from './load-options.ts';
import { packageVersion } from '../library/version.ts';

const SILENT: LoadRunListener = {
  onPhase: () => {},
  onSecond: () => {},
  onScenarioStart: () => {},
  onScenarioEnd: () => {},
  onNotice: () => {},
};

/** Loads a target as `stockcheck load` does, without a process of its own, and returns the report. */
export async function loadInProcess(
  description: TargetDescription,
  flags: Partial<LoadFlags>,
): Promise<LoadReport> {
  const config = resolveTargetConfig(description);
  const defaults = { level: 'must', timeout: '30', self: true };
  const surroundings = { environment: {}, directory: tmpdir(), stdout: {} };
  const options = readLoadOptions(undefined, { ...defaults, ...flags }, surroundings);
  const result = await runLoad({
    config,
    scenarios: options.scenarios,
    transport: {
      timeoutMilliseconds: options.timeout * 1000,
      insecure: false,
      certificateAuthority: null,
    },
    headers: [],
    signal: new AbortController().signal,
    listener: SILENT,
    fleet: null,
  });
  return buildLoadReport(result, { options, config, baseline: null, version: packageVersion() });
}
