import type { Report } from './report.ts';
import { validateReport } from './validate.ts';

/** The report as JSON text that matches `report.schema.json`; throws where it would not. */
export function renderJson(report: Report): string {
  // Judged as it is written: JSON.stringify drops or alters what JSON has no word for.
  const text = `${JSON.stringify(report, null, 2)}\n`;
  validateReport(JSON.parse(text));
  return text;
}
