import { ConfigurationError } from '../../../contract/configuration-error.ts';
import { type Likeness, twinOf } from '../../library/twin/twin.ts';
import { readReportFile } from './report-file.ts';

/**
 * The twin of the service that a report judged.
 * @param path a file of `--json`, or a folder of `--report`
 * @throws {ConfigurationError} that names the option, if the report cannot be read or says nothing of a service
 */
export function readLikeness(path: string, option: string): Likeness {
  const report = readReportFile(path, `${option} ${path}`);
  if (report.kind !== 'verify') {
    throw new ConfigurationError(
      `${option} ${path}: this is a report of ${report.kind}, which says little of how the service behaves; take one of verify`,
    );
  }
  if (Object.keys(report.observations).length === 0) {
    throw new ConfigurationError(
      `${option} ${path}: the run observed nothing, so there is nothing to imitate; run verify in profile standard or full`,
    );
  }
  return { path, twin: twinOf(report), latency: report.responseTimes?.p50 ?? null };
}
