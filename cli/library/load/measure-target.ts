import { runLoad } from '../../../load/index.ts';
import type { LoadReport } from '../../../reports/index.ts';
import { createRedactor } from '../../../suites/target/index.ts';
import { redactReport } from '../redact-report.ts';
import { packageVersion } from '../version.ts';
import { buildLoadReport, type LoadReportContext } from './report.ts';

/** How a target is loaded, and what decides the verdict. */
export type MeasureTargetOptions = Omit<Parameters<typeof runLoad>[0], 'redactor'> &
  Omit<LoadReportContext, 'options' | 'version'> &
  LoadReportContext['options'];

/** Loads one target, and reports what was measured and found, without any key. */
export async function measureTarget(
  options: MeasureTargetOptions,
): Promise<{ readonly report: LoadReport; readonly interrupted: boolean }> {
  const redactor = createRedactor();
  const result = await runLoad({ ...options, redactor });
  const report = buildLoadReport(result, { ...options, options, version: packageVersion() });
  return { report: redactReport(report, redactor.redact), interrupted: result.interrupted };
}
