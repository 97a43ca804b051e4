import type { Report } from '../model/report.ts';
import type { KillMatrix } from '../model/kill-matrix.ts';
import { validateKillMatrix, validateReport } from '../model/validate.ts';

/** The report as JSON text that matches `report.schema.json`; throws where it would not. */
export function renderJson(report: Report): string {
  return validated(report, validateReport);
}

/** The kill matrix as JSON text that matches `kill-matrix.schema.json`; throws where it would not. */
export function renderKillMatrixJson(matrix: KillMatrix): string {
  return validated(matrix, validateKillMatrix);
}

function validated<Value>(value: Value, validate: (read: unknown) => Value): string {
  // Judged as it is written: JSON.stringify drops or alters what JSON has no word for.
  const text = `${JSON.stringify(value, null, 2)}\n`;
  validate(JSON.parse(text));
  return text;
}
