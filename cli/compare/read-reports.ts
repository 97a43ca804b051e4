import { existsSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';

import { isFolder } from '../shared/files/json-file.ts';
import { ConfigurationError } from '../../contract/configuration-error.ts';
import type { NamedReport } from '../../reports/index.ts';
import { readReportFile } from '../shared/files/report-file.ts';

/**
 * The reports at these paths: a file of `--json`, a folder of `--report`, or a folder that holds several of either.
 * @throws {ConfigurationError} if one cannot be read, or a folder holds none
 */
export function readReports(paths: readonly string[]): readonly NamedReport[] {
  const files = paths.flatMap((path) =>
    isFolder(path) && !existsSync(join(path, 'report.json')) ? reportsIn(path) : [path],
  );
  const short = files.map((path) => basename(path, '.json'));
  const isClear = files.length > 2 && new Set(short).size === files.length;
  return files.map((path, index) => ({
    name: isClear ? (short[index] ?? path) : path,
    report: readReportFile(path, path),
  }));
}

function reportsIn(folder: string): readonly string[] {
  const found = readdirSync(folder)
    .toSorted()
    .map((name) => join(folder, name))
    .filter((path) => (isFolder(path) ? existsSync(join(path, 'report.json')) : path.endsWith('.json')));
  if (found.length === 0) {
    throw new ConfigurationError(
      `${folder}: the folder holds no report.json, as --report writes it, and no reports of --json`,
    );
  }
  return found;
}
