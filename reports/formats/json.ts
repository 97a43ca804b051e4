import type { AnyReport } from './format.ts';

/** The report as JSON text that matches its schema. @throws {Error} if it would not */
export async function renderJson(report: AnyReport): Promise<string> {
  const { validateKillMatrix, validateReport } = await import('../model/validate.ts');
  // The written text is validated: JSON.stringify drops or alters values that JSON does not have.
  const text = `${stringify(report)}\n`;
  const written: unknown = JSON.parse(text);
  if (report.kind === 'prove') {
    validateKillMatrix(written);
  } else {
    validateReport(written);
  }
  return text;
}

/** Indented, but for trails: each is on one line, since it may have thousands of values. */
function stringify(report: AnyReport): string {
  const trails: string[] = [];
  const text = JSON.stringify(
    report,
    (member, value: unknown) => {
      if (member !== 'trail' || value === undefined) {
        return value;
      }
      trails.push(JSON.stringify(value));
      return { $trail: trails.length - 1 };
    },
    2,
  );
  return text.replaceAll(
    /\{\s*"\$trail": (?<index>\d+)\s*\}/g,
    (found, index) => trails[Number(index)] ?? found,
  );
}
