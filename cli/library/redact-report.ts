import type { AnyReport } from '../../reports/index.ts';

/** The report with every text made one that may be shown. @param redact what makes a text so */
export function redactReport<Reported extends AnyReport>(
  report: Reported,
  redact: (text: string) => string,
): Reported {
  const redacted: Reported = JSON.parse(JSON.stringify(report), (_member, value: unknown) =>
    typeof value === 'string' ? redact(value) : value,
  );
  return redacted;
}
