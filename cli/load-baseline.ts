import { resolve } from 'node:path';

import type { LoadScenarioResult } from '../contract/load-result.ts';
import { validateReport } from '../reports/validate.ts';
import { ConfigurationError } from '../suites/configuration-error.ts';
import { readJsonFile } from './json-file.ts';

/** An earlier report of `stockcheck load`. */
export interface LoadBaseline {
  readonly file: string;
  readonly startedAt: string;
  readonly scenarios: readonly LoadScenarioResult[];
}

/** @throws {ConfigurationError} where the file is no report of `stockcheck load` */
export function readLoadBaseline(path: string): LoadBaseline {
  const value = readJsonFile(resolve(path), `--baseline ${path}`);
  const report = validateReport(value);
  if (report.kind !== 'load') {
    throw new ConfigurationError(
      `--baseline ${path} is a report of stockcheck ${report.kind}, not of stockcheck load`,
    );
  }
  return { file: path, startedAt: report.startedAt, scenarios: report.scenarios };
}
