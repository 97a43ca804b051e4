import { measuredServiceOf, type MeasuredService } from '../library/simulate/measured-service.ts';
import { readReportFile } from '../shared/files/report-file.ts';

/** @throws {ConfigurationError} that names the option, if the report cannot be read or measured nothing */
export function readMeasuredService(path: string, option: string): MeasuredService {
  const named = `${option} ${path}`;
  return measuredServiceOf(readReportFile(path, named), named);
}
