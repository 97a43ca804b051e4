import { resolve } from 'node:path';

import type { LoadScenarioResult } from '../contract/load-result.ts';
import type { Report } from '../reports/report.ts';
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
  const report = readReport(value, path);
  if (report.kind !== 'load') {
    throw new ConfigurationError(
      `--baseline ${path} is a report of stockcheck ${report.kind}, not of stockcheck load`,
    );
  }
  return { file: path, startedAt: report.startedAt, scenarios: report.scenarios };
}

function readReport(value: unknown, path: string): Report {
  try {
    return validateReport(value);
  } catch (error) {
    throw new ConfigurationError(`--baseline ${path} is no report of stockcheck load`, { cause: error });
  }
}
