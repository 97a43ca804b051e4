import { join } from 'node:path';

import { renderJson, type Report, writeReportDirectory, writeReportFile } from '../../reports/index.ts';
import { STDOUT } from './text-output.ts';

/** Where reports are wanted; `null` for nowhere. */
export interface ReportPlaces {
  readonly json: string | null;
  readonly report: string | null;
}

export interface WrittenReports {
  /** What is worth naming of what was written; nothing where something could not be. */
  readonly paths: readonly string[];
  readonly problem: string | null;
}

/** Writes what was asked for. The verdict is worth telling even where a file can't be written, so that is returned. */
export async function writeReports(report: Report, places: ReportPlaces): Promise<WrittenReports> {
  try {
    return { paths: await writeAll(report, places), problem: null };
  } catch (error) {
    return { paths: [], problem: error instanceof Error ? error.message : String(error) };
  }
}

async function writeAll(report: Report, { json, report: directory }: ReportPlaces): Promise<string[]> {
  const paths: string[] = [];
  if (json === STDOUT) {
    process.stdout.write(renderJson(report));
  } else if (json !== null) {
    await writeReportFile(json, report);
    paths.push(json);
  }
  if (directory !== null) {
    const written = await writeReportDirectory(directory, report);
    paths.push(written.find((path) => path.endsWith('.html')) ?? join(directory, 'report.html'));
  }
  return paths;
}
