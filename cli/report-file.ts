import { statSync } from 'node:fs';
import { join } from 'node:path';

import type { Report } from '../reports/report.ts';
import { validateReport } from '../reports/validate.ts';
import { ConfigurationError } from '../suites/configuration-error.ts';
import { readJsonFile } from './json-file.ts';

/**
 * Reads a report as JSON: a file of `--json`, or `report.json` in a directory of `--report`.
 * @param named what messages call it, such as `--baseline last.json`
 * @throws {ConfigurationError} where it can't be read or is no report of stockcheck
 */
export function readReportFile(path: string, named: string): Report {
  const isDirectory = statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  const value = readJsonFile(isDirectory ? join(path, 'report.json') : path, named);
  try {
    return validateReport(value);
  } catch (error) {
    const [, problem = ''] = error instanceof Error ? error.message.split('\n') : [];
    const because = problem === '' ? '' : `: ${problem.trim()}`;
    throw new ConfigurationError(`${named} is no report of stockcheck${because}`, { cause: error });
  }
}
