import { likenessOf } from '../../library/twin/likeness.ts';
import type { Likeness } from '../../library/twin/twin.ts';
import { readReportFile } from './report-file.ts';

/**
 * The twin of the service that a report judged.
 * @param path a file of `--json`, or a folder of `--report`
 * @throws {ConfigurationError} that names the option, if the report cannot be read or says nothing of a service
 */
export function readLikeness(path: string, option: string): Likeness {
  const named = `${option} ${path}`;
  return likenessOf(readReportFile(path, named), path, named);
}
