import { join } from 'node:path';

import { type AnyReport, renderJson, writeReportDirectory, writeReportFile } from '../../../reports/index.ts';
import { STDOUT } from './text-output.ts';

/** Where reports are wanted; `null` if nowhere. */
export interface ReportPlaces {
  readonly json: string | null;
  readonly report: string | null;
}

export interface WrittenReports {
  /** The files to name of those written; none if one could not be. */
  readonly paths: readonly string[];
  readonly problem: string | null;
}

/** Writes what was asked for. A file that cannot be written is returned as a problem, since the verdict stays worth printing. */
export async function writeReports(report: AnyReport, places: ReportPlaces): Promise<WrittenReports> {
  try {
    return { paths: await writeAll(report, places), problem: null };
  } catch (error) {
    return { paths: [], problem: error instanceof Error ? error.message : String(error) };
  }
}

async function writeAll(report: AnyReport, { json, report: directory }: ReportPlaces): Promise<string[]> {
  const paths: string[] = [];
  if (json === STDOUT) {
    process.stdout.write(await renderJson(report));
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
