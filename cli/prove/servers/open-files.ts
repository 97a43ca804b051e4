import { isJsonObject, parseJson } from '../../../contract/json/index.ts';

// What a process may open if nobody has raised the limit.
const COMMON_LIMIT = 1_024;

/** How many files and connections this process may have open at once (Node raises the soft limit to the hard one). */
export function openFilesLimit(): number {
  const report = parseJson(JSON.stringify(process.report.getReport()));
  const limits = isJsonObject(report) ? report['userLimits'] : undefined;
  const files = isJsonObject(limits) ? limits['open_files'] : undefined;
  const soft = isJsonObject(files) ? files['soft'] : undefined;
  return typeof soft === 'number' ? soft : soft === 'unlimited' ? Number.POSITIVE_INFINITY : COMMON_LIMIT;
}
