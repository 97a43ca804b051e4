import { ConfigurationError } from '../../../contract/configuration-error.ts';
import type { Report } from '../../../reports/index.ts';
import { type Likeness, twinOf } from './twin.ts';

/**
 * The twin of the service that a report judged.
 * @param path what the report is called
 * @throws {ConfigurationError} if it says nothing of a service
 */
export function likenessOf(report: Report, path: string, named: string): Likeness {
  if (report.kind !== 'verify') {
    throw new ConfigurationError(
      `${named}: this is a report of ${report.kind}, which says little of how the service behaves; take one of verify`,
    );
  }
  if (Object.keys(report.observations).length === 0) {
    throw new ConfigurationError(
      `${named}: the run observed nothing, so there is nothing to imitate; run verify in profile standard or full`,
    );
  }
  return { path, twin: twinOf(report), latency: report.responseTimes?.p50 ?? null };
}
