import { resolve } from 'node:path';

import type { LoadScenarioResult } from '../../contract/load-result.ts';
import { ConfigurationError } from '../../contract/configuration-error.ts';
import { readReportFile } from '../shared/files/report-file.ts';

/** An earlier report of `stockcheck load`. */
export interface LoadBaseline {
  readonly file: string;
  readonly startedAt: string;
  readonly scenarios: readonly LoadScenarioResult[];
}

/** @throws {ConfigurationError} if the file is no report of `stockcheck load` */
export function readLoadBaseline(path: string): LoadBaseline {
  const report = readReportFile(resolve(path), `--baseline ${path}`);
  if (report.kind !== 'load') {
    throw new ConfigurationError(
      `--baseline ${path} is a report of stockcheck ${report.kind}, not of stockcheck load`,
    );
  }
  return { file: path, startedAt: report.startedAt, scenarios: report.scenarios };
}
