import { existsSync } from 'node:fs';
import { join } from 'node:path';

import { isJsonObject, stringifyJson, type JsonValue } from '../../../contract/json/index.ts';
import { type Report, validateReport } from '../../../reports/index.ts';
import { ConfigurationError } from '../../../contract/configuration-error.ts';
import { likenessOf, type Likeness } from '../../library/twin/twin.ts';
import { isFolder, readJsonFile } from './json-file.ts';

/**
 * Reads a report as JSON: a file of `--json`, or `report.json` in a directory of `--report`.
 * @param named what messages call it, such as `--last-failed last.json`
 * @throws {ConfigurationError} if it cannot be read or is no report of stockcheck
 */
export function readReportFile(path: string, named: string): Report {
  const file = isFolder(path) ? join(path, 'report.json') : path;
  if (file !== path && !existsSync(file)) {
    throw new ConfigurationError(`${named}: the directory holds no report.json, as --report writes it`);
  }
  const value = readJsonFile(file, named);
  try {
    return validateReport(value);
  } catch (error) {
    const [, problem = ''] = error instanceof Error ? error.message.split('\n') : [];
    throw new ConfigurationError(
      `${named} is no report of stockcheck: ${otherKind(value) ?? problem.trim()}`,
      { cause: error },
    );
  }
}

/**
 * The twin of the service that a report judged.
 * @param path a file of `--json`, or a folder of `--report`
 * @throws {ConfigurationError} that names the option, if the report cannot be read or says nothing of a service
 */
export function readLikeness(path: string, option: string): Likeness {
  const named = `${option} ${path}`;
  return likenessOf(readReportFile(path, named), path, named);
}

/** Commands that write JSON of other kinds, by kind. */
const OTHER_MAKERS: ReadonlyMap<unknown, string> = new Map([
  ['prove', 'prove'],
  ['catalogue', 'prove'],
  ['comparison', 'compare'],
  ['simulate', 'simulate'],
  ['check-certificate', 'check-certificate'],
]);

/** What the file is instead, if that can be told. */
function otherKind(value: JsonValue): string | undefined {
  if (!isJsonObject(value)) {
    return 'a report is a JSON object';
  }
  const { kind, schemaVersion } = value;
  const maker = OTHER_MAKERS.get(kind);
  if (maker !== undefined) {
    return `it is by stockcheck ${maker}, and a report is by verify, certify or load`;
  }
  return typeof kind === 'string' && schemaVersion !== undefined && schemaVersion !== 1
    ? `it is by another version of stockcheck (schemaVersion ${stringifyJson(schemaVersion)})`
    : undefined;
}
