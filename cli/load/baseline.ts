import { resolve } from 'node:path';

import { ConfigurationError } from '../../contract/configuration-error.ts';
import type { LoadBaseline } from '../library/load/baseline.ts';
import { readReportFile } from '../shared/files/report-file.ts';

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
